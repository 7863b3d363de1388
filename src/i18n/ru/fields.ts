/** @file Слова для каждого поля эксперимента и для его значений. */
import type { FieldKey } from '../keys.ts';
import type { Message } from '../message.ts';
import { cluster } from './cluster.ts';
import { communication } from './communication.ts';
import { mistakes } from './mistakes.ts';
import { precision } from './precision.ts';
import { recovery } from './recovery.ts';
import { server } from './server.ts';

export const fields = {
  ...cluster,
  ...precision,
  ...recovery,
  ...communication,
  ...mistakes,
  ...server,
  'field.data.name.label': 'Данные',
  'field.data.name.line': 'На чём учатся реплики.',
  'field.data.name.help':
    'Рукописные цифры, точки на плоскости или роман, который читают посимвольно. Каждая реплика обучается на своей доле одних и тех же данных.',
  'field.data.size.label': 'Объём данных',
  'field.data.size.line': '12 000 цифр или все 60 000.',
  'field.data.size.help':
    'small: 12 000 цифр для обучения и 2000 для проверки, full: 60 000 и 10 000. Полный набор дольше загружается, и шагов в эпохе в пять раз больше.',
  'field.data.augment.label': 'Аугментация',
  'field.data.augment.line': 'Случайные изменения обучающих изображений.',
  'field.data.augment.help':
    'shift сдвигает каждое обучающее изображение не больше чем на два пикселя по каждой оси, заново на каждом шаге и на каждом ранге. Тестовые изображения не меняются.',
  'field.data.samples.label': 'Точки',
  'field.data.samples.line': 'Точки для обучения; ещё столько же для проверки.',
  'field.data.samples.help':
    'Точки порождаются из начального числа, по половине на класс. В проверочном наборе столько же точек, и с обучающим он не пересекается.',
  'field.data.noise.label': 'Шум',
  'field.data.noise.line': 'Насколько точки отклоняются от фигуры.',
  'field.data.noise.help':
    'Стандартное отклонение нормального шума, который прибавляется к обеим координатам; сами фигуры занимают примерно от -1 до 1. При сильном шуме классы перекрываются, и безошибочной модели не существует.',
  'field.model.kind.label': 'Модель',
  'field.model.kind.line': 'Копия чего лежит в каждой реплике.',
  'field.model.kind.help':
    'softmax и mlp работают с цифрами и точками, cnn — с цифрами, transformer — с текстом. После каждого шага веса всех реплик одинаковы.',
  'field.model.hidden.label': 'Скрытые слои',
  'field.model.hidden.line': 'Число нейронов в каждом скрытом слое.',
  'field.model.hidden.help':
    'По одному числу на слой, от входа к выходу. Чем шире слои, тем больше параметров и тем больше байтов проходит по кольцу за шаг.',
  'field.model.activation.label': 'Функция активации',
  'field.model.activation.line': 'Нелинейность после каждого скрытого слоя.',
  'field.model.activation.help':
    'Без неё все слои свелись бы к одному линейному отображению. relu дешевле всех, tanh даёт гладкие границы, gelu обычно берут в трансформерах.',
  'field.model.channels.label': 'Каналы',
  'field.model.channels.line': 'Число фильтров в двух свёртках.',
  'field.model.channels.help':
    'Два числа, по одному на каждую свёртку 3 x 3. Свёртка применяет немногие веса во многих местах: вычислений много, а передавать почти нечего.',
  'field.model.dense.label': 'Полносвязный слой',
  'field.model.dense.line': 'Нейроны между свёртками и выходом.',
  'field.model.dense.help':
    'В этом слое сосредоточена большая часть параметров сети. Уменьшите его, чтобы передавать меньше за шаг.',
  'field.model.norm.label': 'Batch norm',
  'field.model.norm.line': 'Нормализовать выход свёрток по батчу.',
  'field.model.norm.help':
    'batch берёт среднее и дисперсию своего батча на каждом ранге, как PyTorch по умолчанию: если примеров на ранге мало, оценки грубы. syncBatch берёт их по батчам всех рангов, как SyncBatchNorm, ценой двух дополнительных обменов на слой за шаг.',
  'field.model.width.label': 'Ширина',
  'field.model.width.line': 'Сколько чисел представляют один символ.',
  'field.model.width.help':
    'Длина вектора, который переходит от блока к блоку. Число параметров растёт как её квадрат.',
  'field.model.heads.label': 'Головы',
  'field.model.heads.line': 'Головы внимания; ширина должна на них делиться.',
  'field.model.heads.help':
    'Каждая голова смотрит на предыдущий текст по-своему; на символ ей достаётся ширина / головы чисел. Параметров от увеличения числа голов больше не становится.',
  'field.model.depth.label': 'Глубина',
  'field.model.depth.line': 'Блоки трансформера, один за другим.',
  'field.model.depth.help':
    'Каждый блок — это внимание и небольшой MLP после него. Время и число параметров растут пропорционально глубине.',
  'field.model.context.label': 'Контекст',
  'field.model.context.line': 'Сколько символов модель видит сразу.',
  'field.model.context.help':
    'Каждый символ предсказывается по предыдущим внутри этого окна. Один пример — одно окно: в батче из 16 примеров с контекстом 32 всего 512 символов.',
  'field.replicas.label': 'Реплики',
  'field.replicas.line': 'Сколько воркеров обучаются вместе, N.',
  'field.replicas.help':
    'Каждая реплика — это Web Worker со своей копией модели и своей долей данных. Реплик может быть больше, чем ядер процессора: тогда виден сам метод, но не ускорение.',
  'field.batchPerRank.label': 'Батч на ранг',
  'field.batchPerRank.line': 'Сколько примеров обрабатывает реплика за шаг.',
  'field.batchPerRank.help':
    'Градиент усредняется по реплики x батч примерам: это эффективный батч. Чем он больше, тем меньше шагов в эпохе и тем они ровнее.',
  'field.duration.unit.label': 'Считать в',
  'field.duration.unit.line': 'Эпохи или шаги.',
  'field.duration.unit.help':
    'Эпоха — один проход всех реплик вместе по обучающим данным. Шаг — одно обновление весов.',
  'field.duration.count.label': 'Длительность',
  'field.duration.count.line': 'Сколько эпох или шагов обучать.',
  'field.duration.count.help':
    'После стольких эпох или шагов запуск завершается ещё одной проверкой. Остановить его можно в любой момент.',
  'field.optimizer.kind.label': 'Оптимизатор',
  'field.optimizer.kind.line': 'Как градиент превращается в обновление весов.',
  'field.optimizer.kind.help':
    'Все реплики применяют один и тот же усреднённый градиент одним и тем же способом, поэтому веса остаются равными. sgd и lars хранят одно число на параметр, остальные — два. lars и lamb дают каждому слою свою скорость, для больших батчей.',
  'field.optimizer.momentum.label': 'Момент',
  'field.optimizer.momentum.line': 'Какая часть прошлого обновления сохраняется.',
  'field.optimizer.momentum.help':
    'Обновление складывается из прошлых градиентов, и с каждым шагом их вес умножается на это число. 0,9 усредняет примерно десять шагов, 0 — обычный градиентный спуск.',
  'field.optimizer.nesterov.label': 'Метод Нестерова',
  'field.optimizer.nesterov.line': 'Заглянуть вперёд по направлению момента.',
  'field.optimizer.nesterov.help':
    'К градиенту прибавляется момент, который получится после него, как в PyTorch. Нужен момент больше 0.',
  'field.optimizer.beta1.label': 'Бета 1',
  'field.optimizer.beta1.line': 'Память о среднем градиенте.',
  'field.optimizer.beta1.help':
    'Такую долю себя скользящее среднее градиента сохраняет на каждом шаге. 0,9 помнит примерно десять шагов.',
  'field.optimizer.beta2.label': 'Бета 2',
  'field.optimizer.beta2.line': 'Память о квадрате градиента.',
  'field.optimizer.beta2.help':
    'Такую долю себя сохраняет скользящее среднее квадратов градиента, на корень из которого делится обновление. Короткие запуски с 0,98 учатся быстрее, чем с 0,999.',
  'field.optimizer.epsilon.label': 'Эпсилон',
  'field.optimizer.epsilon.line': 'Не даёт делить почти на ноль.',
  'field.optimizer.epsilon.help':
    'Прибавляется к корню из среднего квадрата градиента перед делением. Чем больше значение, тем осторожнее первые шаги.',
  'field.optimizer.weightDecay.label': 'Затухание весов',
  'field.optimizer.weightDecay.line': 'Тянет веса к нулю.',
  'field.optimizer.weightDecay.help':
    'sgd и adam прибавляют к градиенту веса, умноженные на это число, а adamw уменьшает сами веса. Сдерживает переобучение.',
  'field.learningRate.base.label': 'Скорость обучения',
  'field.learningRate.base.line': 'Размер обновления.',
  'field.learningRate.base.help':
    'Обновление умножается на это число. Если оно мало, ничего не меняется, если велико — функция потерь взлетает; большой эффективный батч выдерживает большую скорость.',
  'field.learningRate.warmupSteps.label': 'Разогрев',
  'field.learningRate.warmupSteps.line': 'За сколько шагов скорость станет полной.',
  'field.learningRate.warmupSteps.help':
    'На этих шагах скорость обучения растёт линейно. Разогрев нужен большим батчам и трансформерам: их первые градиенты ненадёжны.',
  'field.learningRate.scaling.label': 'Масштаб скорости',
  'field.learningRate.scaling.line': 'Как скорость следует за общим батчем.',
  'field.learningRate.scaling.help':
    'linear умножает скорость на отношение общего батча к тому, для которого она подобрана (Goyal et al. 2017), squareRoot — на корень из него. Разогрев тогда начинается с подобранной скорости.',
  'field.learningRate.referenceBatch.label': 'Подобрана для',
  'field.learningRate.referenceBatch.line': 'Батч, для которого годится скорость без масштаба.',
  'field.learningRate.referenceBatch.help':
    'При включённом масштабе скорость верна для стольких примеров на шаг и дальше следует за числом реплик. Без масштаба поле ни на что не влияет.',
  'field.learningRate.decay.label': 'Снижение',
  'field.learningRate.decay.line': 'Что происходит со скоростью после разогрева.',
  'field.learningRate.decay.help':
    'none оставляет её постоянной, cosine плавно снижает до нуля к концу запуска, step снижает её на рубежах. При снижении веса успокаиваются, и итоговое значение функции потерь обычно ниже.',
  'field.buckets.rule.label': 'Группировка',
  'field.buckets.rule.line': 'Какие градиенты складываются вместе.',
  'field.buckets.rule.help':
    'ddp собирает корзины как PyTorch: на первом шаге одна на всё, дальше по размеру. horovod объединяет готовое до порога, одинаково на всех шагах; период цикла относится к часам кластера, поэтому здесь все градиенты готовы в одном цикле.',
  'field.buckets.fusionMiB.label': 'Порог объединения',
  'field.buckets.fusionMiB.line':
    'Сколько МиБ объединять самое большее; 0 — каждый тензор отдельно.',
  'field.buckets.fusionMiB.help':
    'Horovod объединяет тензоры, пока их сумма не больше этого размера; тензор крупнее идёт один. По умолчанию там 128 МиБ.',
  'field.buckets.firstMiB.label': 'Первая корзина',
  'field.buckets.firstMiB.line': 'Размер в МиБ, при котором закрывается первая корзина.',
  'field.buckets.firstMiB.help':
    'Градиенты собираются в корзины (buckets) в порядке обратного прохода, и каждая заполненная корзина сразу отправляется. Первая мала, чтобы обмен начался раньше; в PyTorch это 1 МиБ.',
  'field.buckets.capMiB.label': 'Размер корзины',
  'field.buckets.capMiB.line': 'Размер в МиБ, при котором закрываются остальные корзины.',
  'field.buckets.capMiB.help':
    'Корзина закрывается, когда достигает этого размера, поэтому может оказаться и больше. Мелкие корзины лучше перекрываются с обратным проходом, но теряют больше на задержках; в PyTorch это 25 МиБ.',
  'field.transport.label': 'Транспорт',
  'field.transport.line': 'Как байты попадают от воркера к воркеру.',
  'field.transport.help':
    'shared — общая память всех воркеров, для неё страница должна быть изолирована; ports — сообщения, они работают везде. auto берёт shared, где это возможно; результат совпадает до бита.',
  'field.backend.label': 'Бэкенд',
  'field.backend.line': 'На чём вычисляются градиенты.',
  'field.backend.help':
    'auto измеряет один шаг на каждом доступном бэкенде и берёт самый быстрый. fused — простой код для softmax и mlp, остальные — TensorFlow.js.',
  'field.seed.label': 'Начальное число',
  'field.seed.line': 'Задаёт все случайные числа запуска (seed).',
  'field.seed.help':
    'Из него получаются веса, точки и порядок примеров. Тот же эксперимент с тем же числом и на том же бэкенде повторяется до бита.',
  'field.evalEvery.label': 'Проверять каждые',
  'field.evalEvery.line': 'Сколько шагов между двумя проверками модели.',
  'field.evalEvery.help':
    'Реплики делят тестовый набор между собой и сообщают функцию потерь и точность. Частые проверки замедляют запуск, но ничего в нём не меняют.',
  'field.logEvery.label': 'Записывать каждые',
  'field.logEvery.line': 'Сколько шагов между двумя записями в журнале.',
  'field.logEvery.help':
    'Вычисляется и сверяется каждый шаг, но записывается лишь один из стольких. Увеличьте число, если мелких шагов очень много.',
  'choice.data.name.mnist': 'Цифры (MNIST)',
  'choice.data.name.spirals': 'Спирали',
  'choice.data.name.moons': 'Луны',
  'choice.data.name.circles': 'Круги',
  'choice.data.name.xor': 'XOR',
  'choice.data.name.moby-dick': '«Моби Дик»',
  'choice.data.size.small': 'Малый',
  'choice.data.size.full': 'Полный',
  'choice.data.augment.none': 'Нет',
  'choice.data.augment.shift': 'Сдвиг',
  'choice.buckets.rule.ddp': 'Корзины DDP',
  'choice.buckets.rule.horovod': 'Как в Horovod',
  'choice.model.kind.softmax': 'Softmax-регрессия',
  'choice.model.kind.mlp': 'MLP',
  'choice.model.kind.cnn': 'CNN',
  'choice.model.kind.transformer': 'Трансформер',
  'choice.model.norm.none': 'Нет',
  'choice.model.norm.batch': 'Свой батч',
  'choice.model.norm.syncBatch': 'Все батчи',
  'choice.model.activation.relu': 'ReLU',
  'choice.model.activation.tanh': 'tanh',
  'choice.model.activation.gelu': 'GELU',
  'choice.duration.unit.epochs': 'Эпохи',
  'choice.duration.unit.steps': 'Шаги',
  'choice.optimizer.kind.sgd': 'SGD',
  'choice.optimizer.kind.adam': 'Adam',
  'choice.optimizer.kind.adamw': 'AdamW',
  'choice.optimizer.kind.lamb': 'LAMB',
  'choice.optimizer.kind.lars': 'LARS',
  'choice.learningRate.scaling.none': 'Нет',
  'choice.learningRate.scaling.linear': 'Линейный',
  'choice.learningRate.scaling.squareRoot': 'Корень',
  'choice.learningRate.decay.none': 'Постоянная',
  'choice.learningRate.decay.cosine': 'Косинус',
  'choice.learningRate.decay.step': 'Ступени',
  'choice.transport.auto': 'Автоматически',
  'choice.transport.shared': 'Общая память',
  'choice.transport.ports': 'Порты сообщений',
  'choice.backend.auto': 'Автоматически',
  'choice.backend.fused': 'Простые циклы',
  'choice.backend.webgpu': 'WebGPU',
  'choice.backend.webgl': 'WebGL',
  'choice.backend.wasm': 'WebAssembly',
  'choice.backend.cpu': 'Обычный JavaScript',
} as const satisfies Readonly<Record<FieldKey, Message>>;
