/** @file Слова о коллективных операциях, сжатии, синхронизации и классических ошибках. */
import type { Message } from '../message.ts';

export const communication = {
  'field.communication.collective.label': 'All-reduce',
  'field.communication.collective.line': 'Как складываются градиенты всех рангов.',
  'field.communication.collective.help':
    'Кольцо передаёт меньше всего байтов на ранг, деревьям нужно меньше шагов подряд, звезда сводит весь обмен к рангу 0. Биты у всех рангов всегда одинаковы, но порядок сложения разный, а с ним и последние знаки.',
  'field.communication.ranksPerNode.label': 'Рангов на узел',
  'field.communication.ranksPerNode.line': 'Соседи, которые сначала складывают между собой.',
  'field.communication.ranksPerNode.help':
    'Внутри узла ранги делят вектор и собирают его обратно, а между узлами идёт лишь часть, как в Horovod. Число реплик должно на него делиться.',
  'field.communication.combine.label': 'Как соединять',
  'field.communication.combine.line': 'Что ранги делают из своих градиентов.',
  'field.communication.combine.help':
    'mean берёт среднее. adasum — адаптивная сумма из Horovod, отдельно для каждого тензора: параллельные градиенты усредняются, ортогональные складываются, и скорость не надо увеличивать с N. Обмен идёт делением и удвоением, и на каждый тензор передаются ещё три суммы.',
  'field.measure.noiseScale.label': 'Шкала шума',
  'field.measure.noiseScale.line': 'Оценить, какой батч оправдан.',
  'field.measure.noiseScale.help':
    'Сравнивает норму градиента каждого ранга с нормой среднего: чем больше разница, тем шумнее градиент и тем больший батч окупается. За шаг каждый ранг передаёт на одно число больше.',
  'field.compression.kind.label': 'Сжатие',
  'field.compression.kind.line': 'Что передаётся вместо всего градиента.',
  'field.compression.kind.help':
    'Стоит там же, где communication hook в DDP. 16-битные форматы и PowerSGD складываются по пути; остальное собирают по кольцу, потому что посылки разных рангов складывать нельзя.',
  'field.compression.format.label': 'Формат в пути',
  'field.compression.format.line': 'Шестнадцать битов на число.',
  'field.compression.format.help':
    'В этом формате числа передаются и складываются, как в fp16- и bf16-хуках DDP. У fp16 больше знаков, но выше 65504 он переполняется; у bf16 диапазон fp32.',
  'field.compression.ratio.label': 'Доля',
  'field.compression.ratio.line': 'Какая часть градиента передаётся за шаг.',
  'field.compression.ratio.help':
    '0,01 — одно число из ста. При сборе по кольцу из N рангов пара «индекс и значение» выгодна, пока доля меньше 1 / N.',
  'field.compression.scope.label': 'Отбор',
  'field.compression.scope.line': 'В каждой корзине или во всём градиенте.',
  'field.compression.scope.help':
    'bucket берёт ту же долю из каждой корзины и может начать до конца обратного прохода. global берёт наибольшие числа, где бы они ни были.',
  'field.compression.errorFeedback.label': 'Возврат ошибки',
  'field.compression.errorFeedback.line': 'Прибавить непереданное к следующему градиенту.',
  'field.compression.errorFeedback.help':
    'Каждый ранг помнит, что он придержал: ничего не теряется, только приходит позже. Без этого малые числа не доходят никогда и обучение застревает.',
  'field.compression.scaled.label': 'С множителем',
  'field.compression.scaled.line': 'Умножить переданное на d / k.',
  'field.compression.scaled.help':
    'Тогда переданные числа отвечают и за остальные: в среднем верно, но намного шумнее. Несовместимо с возвратом ошибки.',
  'field.compression.momentum.label': 'Момент DGC',
  'field.compression.momentum.line': 'Момент до отбора, на каждом ранге.',
  'field.compression.momentum.help':
    'DGC накапливает момент до отбора, чтобы опоздавшие числа приходили вместе с ним. У самого оптимизатора момента быть не должно.',
  'field.compression.nesterov.label': 'DGC по Нестерову',
  'field.compression.nesterov.line': 'Заглянуть вперёд по этому моменту.',
  'field.compression.nesterov.help':
    'Момент DGC в форме Нестерова, как в коде авторов. Меняется то, что накапливается, а не то, что передаётся.',
  'field.compression.clipNorm.label': 'Обрезка DGC',
  'field.compression.clipNorm.line': 'Норма суммы всех рангов; 0 — без обрезки.',
  'field.compression.clipNorm.help':
    'Каждый ранг обрезает свой градиент по этой норме, делённой на корень из N, прежде чем прибавить его к придержанному.',
  'field.compression.warmUp.label': 'Разогрев сжатия',
  'field.compression.warmUp.line': 'В первых эпохах передавать больше.',
  'field.compression.warmUp.help':
    'paper передаёт 25, 6,25, 1,56 и 0,4 процента в первых четырёх эпохах; code следует опубликованному коду, там их пять. Первые градиенты меняются слишком быстро, чтобы их придерживать.',
  'field.compression.levels.label': 'Уровни',
  'field.compression.levels.line': 'Ступени между нулём и нормой.',
  'field.compression.levels.help':
    'QSGD округляет каждое число до одной из них, вверх или вниз случайно, так что в среднем всё верно. Больше уровней — больше битов и меньше шума.',
  'field.compression.bucketSize.label': 'Общая норма',
  'field.compression.bucketSize.line': 'Сколько чисел делят одну норму; 0 — все.',
  'field.compression.bucketSize.help':
    'Малые группы округляются точнее, но каждая передаёт ещё одну норму. В статье 512.',
  'field.compression.coding.label': 'Код',
  'field.compression.coding.line': 'Поля одной ширины или короткие коды для малых уровней.',
  'field.compression.coding.help':
    'fixed даёт каждому числу одинаково битов. elias даёт малым уровням меньше, и число байтов зависит от градиента.',
  'field.compression.clipDeviations.label': 'Обрезка',
  'field.compression.clipDeviations.line': 'В стандартных отклонениях; 0 — без неё.',
  'field.compression.clipDeviations.help':
    'Шаг TernGrad — наибольшая величина, и один выброс превращает остальное в шум. В статье обрезают на 2,5.',
  'field.compression.rank.label': 'Ранг матрицы',
  'field.compression.rank.line': 'Столбцы двух множителей, которые передаются.',
  'field.compression.rank.help':
    'Градиент n на m превращается в (n + m), умноженное на это число. В PyTorch начинают с 1.',
  'field.compression.startStep.label': 'Начать с шага',
  'field.compression.startStep.line': 'До него обычный all-reduce.',
  'field.compression.startStep.help':
    'У первых градиентов ещё нет устойчивых направлений. Не меньше 2: после первого шага DDP перестраивает корзины.',
  'field.compression.minCompressionRate.label': 'Не меньше чем',
  'field.compression.minCompressionRate.line': 'Во столько раз меньше, иначе матрица идёт целиком.',
  'field.compression.minCompressionRate.help':
    'Матрица раскладывается, только если станет меньше больше чем во столько раз. В PyTorch 2.',
  'field.compression.warmStart.label': 'Тёплый старт',
  'field.compression.warmStart.line': 'Начать с множителя прошлого шага.',
  'field.compression.warmStart.help':
    'Тогда одной степенной итерации на шаг хватает, чтобы следить за главными направлениями градиента. Без него каждый шаг начинается со случайных.',
  'field.sync.kind.label': 'Согласование',
  'field.sync.kind.line': 'О чём и когда договариваются ранги.',
  'field.sync.kind.help':
    'allReduce усредняет градиенты на каждом шаге, backup — без последних рангов. localSgd и его варианты лишь иногда усредняют веса: байтов намного меньше. У async и ssp на ранге 0 сервер параметров, и шаг — одно его обновление.',
  'field.sync.period.label': 'Каждые',
  'field.sync.period.line': 'Сколько шагов между усреднениями весов.',
  'field.sync.period.help':
    'Чем больше, тем меньше байтов и тем дальше расходятся ранги. После последнего шага они усредняются всегда.',
  'field.sync.warmupSteps.label': 'Сначала вместе',
  'field.sync.warmupSteps.line': 'Сколько шагов сначала усреднять градиенты.',
  'field.sync.warmupSteps.help':
    'Post-local SGD начинает как обычный параллелизм данных, пока градиенты велики, и лишь потом переходит к усреднению весов.',
  'field.sync.outerRate.label': 'Внешняя скорость',
  'field.sync.outerRate.line': 'Шаг от старых весов к среднему.',
  'field.sync.outerRate.help':
    'DiLoCo считает путь, пройденный рангами в среднем, градиентом и делает вдоль него один шаг. 1 без момента — это local SGD; в статье 0,7.',
  'field.sync.outerMomentum.label': 'Внешний момент',
  'field.sync.outerMomentum.line': 'Момент Нестерова этого шага.',
  'field.sync.outerMomentum.help': 'Продолжает путь прошлых кругов. В статье 0,9.',
  'field.accumulation.microBatches.label': 'Микробатчи',
  'field.accumulation.microBatches.line': 'На сколько частей делится батч.',
  'field.accumulation.microBatches.help':
    'Их градиенты складываются с весом по размеру, и обновление то же, что у целого батча. Экономит память, а не время.',
  'field.accumulation.noSync.label': 'no_sync',
  'field.accumulation.noSync.line': 'Обмен раз за шаг, а не после каждой части.',
  'field.accumulation.noSync.help':
    'С ним каждый ранг сначала складывает градиенты у себя, как под no_sync в DDP. Без него обменивается каждая часть: обновление то же, а байтов во столько раз больше.',
  'field.clipNorm.label': 'Обрезка',
  'field.clipNorm.line': 'Наибольшая норма градиента; 0 — без обрезки.',
  'field.clipNorm.help':
    'Если норма усреднённого градиента больше, он уменьшается до неё, как в clip_grad_norm_. Сдерживает отдельные резкие шаги.',
  'field.optimizer.trustCoefficient.label': 'Доверие',
  'field.optimizer.trustCoefficient.line': 'На какую долю весов слоя может сдвинуть шаг.',
  'field.optimizer.trustCoefficient.help':
    'LARS даёт каждому слою свою скорость: это число, умноженное на норму весов и делённое на норму градиента. Помогает при больших батчах.',
  'field.learningRate.milestones.label': 'Рубежи',
  'field.learningRate.milestones.line': 'Шаги, на которых скорость падает.',
  'field.learningRate.milestones.help':
    'На каждом из этих шагов скорость ещё раз умножается на множитель. Они возрастают; рубеж после конца запуска ничего не меняет.',
  'field.learningRate.factor.label': 'Множитель',
  'field.learningRate.factor.line': 'Что остаётся от скорости на рубеже.',
  'field.learningRate.factor.help':
    'Обычно 0,1: функция потерь сразу падает вместе со скоростью. 1 ничего не меняет.',

  'choice.communication.collective.ring': 'Кольцо',
  'choice.communication.collective.halving-doubling': 'Деление и удвоение',
  'choice.communication.collective.binary-tree': 'Дерево',
  'choice.communication.collective.double-binary-tree': 'Два дерева',
  'choice.communication.collective.star': 'Звезда',
  'choice.communication.collective.hierarchical': 'По узлам',
  'choice.communication.combine.mean': 'Среднее',
  'choice.communication.combine.adasum': 'Adasum',
  'choice.compression.kind.none': 'Нет',
  'choice.compression.kind.cast': '16 битов',
  'choice.compression.kind.topK': 'Top-k',
  'choice.compression.kind.randomK': 'Random-k',
  'choice.compression.kind.dgc': 'DGC',
  'choice.compression.kind.qsgd': 'QSGD',
  'choice.compression.kind.ternGrad': 'TernGrad',
  'choice.compression.kind.signSgd': 'signSGD',
  'choice.compression.kind.efSignSgd': 'EF-signSGD',
  'choice.compression.kind.oneBit': '1 бит',
  'choice.compression.kind.powerSgd': 'PowerSGD',
  'choice.compression.format.fp16': 'fp16',
  'choice.compression.format.bf16': 'bf16',
  'choice.compression.scope.bucket': 'Корзина',
  'choice.compression.scope.global': 'Весь',
  'choice.compression.warmUp.none': 'Нет',
  'choice.compression.warmUp.paper': 'Статья',
  'choice.compression.warmUp.code': 'Код',
  'choice.compression.coding.fixed': 'Ровный',
  'choice.compression.coding.elias': 'Элиас',
  'choice.sync.kind.allReduce': 'Каждый шаг',
  'choice.sync.kind.localSgd': 'Local SGD',
  'choice.sync.kind.postLocalSgd': 'Post-local',
  'choice.sync.kind.diloco': 'DiLoCo',
} as const satisfies Readonly<Record<string, Message>>;
