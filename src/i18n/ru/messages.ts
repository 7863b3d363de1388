/** @file Ошибки в эксперименте, готовые наборы, группы и единицы. */
import type { ExperimentKey } from '../keys.ts';
import type { Message } from '../message.ts';
import { recoveryMessages } from './recovery.ts';
import { serverMessages } from './server.ts';

export const messages = {
  ...serverMessages,
  'problem.integer': 'Допустимо целое число от {minimum} до {maximum}.',
  'problem.number': 'Допустимо число от {minimum} до {maximum}.',
  'problem.choice': 'Допустимые значения: {allowed}.',
  'problem.switch': 'Допустимо true или false.',
  'problem.list':
    'Допустим список целых чисел от {minimum} до {maximum}; длина списка от {minimumLength} до {maximumLength}.',
  'problem.section': 'Здесь должен стоять объект с именованными полями.',
  'problem.unknownField': 'Такого поля нет. Здесь допустимы: {allowed}.',
  'problem.noSuchField': 'При {condition} такого поля нет. Здесь допустимы: {allowed}.',
  'problem.version':
    'Поддерживается только версия {version}. Уберите это поле или обновите страницу.',
  'problem.tooBig':
    'В эксперименте не больше {depth} уровней, {fields} полей и {characters} символов в строке. Уберите лишнее.',
  'problem.notJson': 'Это не JSON: {reason}',
  'problem.batchOverShard':
    'На каждую реплику (всего их {replicas}) приходится {shard} примеров, поэтому батч не может быть больше {shard}. Уменьшите батч или число реплик либо возьмите больше данных.',
  'problem.headsDivideWidth':
    'Ширина {width} должна делиться на число голов. Допустимые значения: {allowed}.',
  'problem.modelNotForData': 'Эта модель не работает с данными {data}. Допустимы: {allowed}.',
  'problem.fusedModel': 'Бэкенд fused обучает только {allowed}. Выберите другой бэкенд или auto.',
  'problem.warmupOverRun':
    'Во всём запуске {steps} шагов, и разогрев не может быть длиннее. Сократите его или обучайте дольше.',
  'problem.nesterovNeedsMomentum':
    'Метод Нестерова требует момента больше 0. Увеличьте момент или выключите метод Нестерова.',
  'problem.tooManySteps':
    'Получается {steps} шагов, а допустимо не больше {maximum}. Сократите обучение или увеличьте батч.',
  'problem.nodesDivideReplicas':
    'Реплик {replicas}, и они должны делиться на равные узлы. Допустимые значения: {allowed}.',
  'problem.noMicroBatches':
    'Без единой части батча накапливать нечего. Допустимо целое число от {minimum} (без накопления) до {maximum}.',
  'problem.powerSgdTooEarly':
    'После итерации 0 PyTorch перестраивает бакеты, и остаток с матрицей Q к ним уже не подошли бы. Начинайте с шага {minimum} или позже, не позднее {maximum}.',
  'problem.gatherNeedsRing':
    'Посылки {kind} у рангов разные, складывать их по пути нельзя, поэтому их собирают по кольцу. Выберите ring или сжатие, которое складывается: cast, randomK, powerSgd.',
  'problem.compressionNeedsGradients':
    'При {sync} ранги обмениваются весами, а сжатие работает с градиентами. Выберите none или allReduce.',
  'problem.dgcHasMomentum':
    'У DGC момент внутри. Возьмите за ним sgd с моментом 0 и задайте compression.momentum.',
  'problem.scaledWithFeedback':
    'С множителем d / k остаток передавался бы d / k раз. Выберите множитель или возврат ошибки.',
  'problem.nothingKeptBack':
    'Здесь нет остатка, который можно потерять. Возьмите сжатие с возвратом ошибки: topK, randomK, dgc, efSignSgd, oneBit или powerSgd.',
  'problem.sumNeedsGradients':
    'При {sync} градиенты всех рангов не складываются. Выберите allReduce или выключите это.',
  'problem.microBatchesOverBatch':
    'В батче из {batch} примеров не больше {batch} частей. Уменьшите их число или увеличьте батч.',
  'problem.milestonesAscend': 'Рубежи — это шаги по возрастанию, каждый один раз.',
  'problem.adasumPowerOfTwo':
    'Adasum соединяет пары рангов, затем пары пар, поэтому число реплик должно быть степенью двойки, а их {replicas}. Возьмите 1, 2, 4, 8 или 16 либо mean.',
  'problem.adasumNeedsHalving':
    'Adasum соединяет половины векторов в парах рангов, расстояние между которыми удваивается. Возьмите halving-doubling или mean.',
  'problem.adasumAlone':
    'Adasum соединяет целые градиенты на каждом шаге. Возьмите allReduce с равными батчами и без сжатия или mean.',
  'problem.noiseNeedsReplicas':
    'С одной репликой нет второго размера батча для сравнения. Возьмите не меньше 2 реплик.',
  'problem.noiseNeedsMean':
    'Для оценки нужны целый градиент каждого ранга и их точное среднее на каждом шаге. Возьмите allReduce с равными батчами, mean, без сжатия, а при микробатчах — no_sync.',
  'problem.mistakeNeedsReplicas':
    'С одной репликой эта ошибка ничего не меняет. Возьмите не меньше 2 реплик или выключите её.',
  'problem.mistakeNeedsGradients':
    'При {sync} градиенты складываются не на каждом шаге, и эта ошибка не имеет смысла. Возьмите allReduce или выключите её.',
  'problem.mistakeNeedsEqualBatches':
    'Эта ошибка показывается там, где у всех рангов батчи одного размера. Выключите балансировку или ошибку.',
  'problem.nothingAugmented':
    'Здесь ничего не аугментируется. Возьмите mnist и data.augment shift или выключите это.',
  'problem.epochNotReached':
    'Батчи у ранга кончаются в конце первой эпохи, через {epoch} шагов, а в запуске их {steps}. Обучайте хотя бы одну эпоху или выключите это.',
  'problem.nobodyWaits':
    'В обход обёртки ничего не усредняется, и ушедшего ранга никто не ждал бы. Оставьте одну из двух ошибок.',
  'problem.nothingScaled':
    'Здесь нет масштабирования, которое можно забыть. Возьмите {allowed} с масштабированием или выключите это: fp32 и bf16 обходятся без него.',
  'problem.nothingClipped':
    'Порядок обрезки и деления на масштаб важен, только если есть и то и другое. Задайте clipNorm больше 0 и масштабирование или выключите это.',
  'problem.noMasterWeights':
    'Здесь нет копии весов в fp32, которую можно не хранить. Возьмите узкий формат с masterWeights или выключите это.',
  'problem.addressTooLong':
    'Описание эксперимента в ссылке занимает не больше {maximum} символов. Скопируйте ссылку заново.',
  'problem.addressVersion':
    'Поддерживается только версия ссылок {version}, и она должна быть указана: v={version}.',
  'problem.addressPart': 'Каждая часть ссылки имеет вид поле=значение. Скопируйте ссылку заново.',
  'problem.addressTwice': 'Поле указано в ссылке несколько раз. Оставьте одно значение.',
  'problem.line': '{path}: получено {found}. {message}',
  'problem.lineWhole': 'Получено {found}. {message}',
  'problem.count': {
    one: 'В эксперименте {count} ошибка:',
    few: 'В эксперименте {count} ошибки:',
    many: 'В эксперименте {count} ошибок:',
    other: 'В эксперименте {count} ошибки:',
  },
  'unit.samples': {
    one: '{count} пример',
    few: '{count} примера',
    many: '{count} примеров',
    other: '{count} примера',
  },
  'unit.steps': {
    one: '{count} шаг',
    few: '{count} шага',
    many: '{count} шагов',
    other: '{count} шага',
  },
  'unit.epochsOrSteps': {
    one: '{count} эпоха или шаг',
    few: '{count} эпохи или шага',
    many: '{count} эпох или шагов',
    other: '{count} эпохи или шага',
  },
  'unit.epochs': {
    one: '{count} эпоха',
    few: '{count} эпохи',
    many: '{count} эпох',
    other: '{count} эпохи',
  },
  'unit.replicas': {
    one: '{count} реплика',
    few: '{count} реплики',
    many: '{count} реплик',
    other: '{count} реплики',
  },
  'unit.neurons': {
    one: '{count} нейрон',
    few: '{count} нейрона',
    many: '{count} нейронов',
    other: '{count} нейрона',
  },
  'unit.channels': {
    one: '{count} канал',
    few: '{count} канала',
    many: '{count} каналов',
    other: '{count} канала',
  },
  'unit.characters': {
    one: '{count} символ',
    few: '{count} символа',
    many: '{count} символов',
    other: '{count} символа',
  },
  'unit.values': {
    one: '{count} число',
    few: '{count} числа',
    many: '{count} чисел',
    other: '{count} числа',
  },
  'unit.mebibytes': '{count} МиБ',
  'unit.kibibytes': '{count} КиБ',
  'unit.nodes': {
    one: '{count} узел',
    few: '{count} узла',
    many: '{count} узлов',
    other: '{count} узла',
  },
  'unit.gpus': '{count} GPU',
  'unit.nics': {
    one: '{count} сетевая карта',
    few: '{count} сетевые карты',
    many: '{count} сетевых карт',
    other: '{count} сетевые карты',
  },
  'unit.segments': {
    one: '{count} сегмент',
    few: '{count} сегмента',
    many: '{count} сегментов',
    other: '{count} сегмента',
  },
  'unit.seconds': '{count} с',
  'unit.batches': {
    one: '{count} батч',
    few: '{count} батча',
    many: '{count} батчей',
    other: '{count} батча',
  },
  'unit.teraflops': '{count} Тфлоп/с',
  'unit.gigabytesPerSecond': '{count} ГБ/с',
  'unit.gigabitsPerSecond': '{count} Гбит/с',
  'unit.microseconds': '{count} мкс',
  'unit.samplesPerSecond': '{count} примеров/с',
  'unit.hours': '{count} ч',
  'preset.mnist-mlp.name': 'Цифры, четыре реплики',
  'preset.mnist-mlp.description':
    'Двухслойная сеть учится узнавать рукописные цифры на четырёх репликах. За пять эпох она начинает узнавать около 95 % тестовых цифр.',
  'preset.mnist-cnn.name': 'Цифры, свёрточная сеть',
  'preset.mnist-cnn.description':
    'Небольшая свёрточная сеть на тех же цифрах: вычислений намного больше, а байтов по кольцу идёт столько же.',
  'preset.spirals.name': 'Две спирали',
  'preset.spirals.description':
    'Два рукава точек обвивают друг друга. Видно, как граница закручивается между ними.',
  'preset.moons.name': 'Две луны',
  'preset.moons.description':
    'Два полумесяца, которые не разделить прямой. Сеть справляется за мгновение.',
  'preset.circles.name': 'Круги',
  'preset.circles.description':
    'Кольцо точек вокруг диска: одного скрытого слоя хватает, чтобы замкнуть границу.',
  'preset.xor.name': 'XOR',
  'preset.xor.description':
    'Противоположные четверти плоскости относятся к одному классу. Линейная модель здесь бессильна, а небольшой скрытый слой справляется.',
  'preset.moby-dick.name': '«Моби Дик», трансформер',
  'preset.moby-dick.description':
    'Две реплики небольшого трансформера учатся писать по-английски, символ за символом. Занимает около трёх минут.',
  'preset.mnist-topk.name': 'Цифры, top-k 1 %',
  'preset.mnist-topk.description':
    'Каждый ранг отправляет наибольшую сотую часть градиента, а остальное копит: точность почти как без сжатия, байтов в двадцать пять раз меньше.',
  'preset.topk-forgetful.name': 'Top-k без памяти',
  'preset.topk-forgetful.description':
    'Отправляется тысячная часть градиента, остальное отбрасывается. Включите возврат ошибки, и пять пунктов точности вернутся.',
  'preset.mnist-bf16.name': 'Цифры в bf16',
  'preset.mnist-bf16.description':
    'Диапазон fp32 в шестнадцати битах: обучение идёт без масштаба потерь. Округление эмулируется.',
  'preset.fp16-unscaled.name': 'fp16 без масштаба потерь',
  'preset.fp16-unscaled.description':
    'Двадцать слоёв уменьшают градиент ниже предела fp16, и ничему не удаётся научиться. С масштабом dynamic — удаётся.',
  'preset.mnist-webgpu.name': 'Цифры на WebGPU',
  'preset.mnist-webgpu.description':
    'Первый эксперимент, но только на WebGPU. Все реплики делят один графический процессор этой машины.',
  'failure.data':
    'Файл данных {file} отсутствует, обрезан или повреждён. Перезагрузите страницу; если не поможет, запустите npm start ещё раз: данные будут собраны заново.',
  'failure.given': 'Заданные веса или батчи не подходят к эксперименту, см. подробности.',
  'failure.notIsolated':
    'Для общей памяти страница должна быть изолирована, а эта не изолирована. Выберите транспорт ports или auto.',
  'failure.noBackend':
    'Ни один бэкенд не смог обучать здесь эту модель, см. подробности. Выберите auto или другой бэкенд.',
  'failure.nonFinite': {
    one: 'Потери перестали быть числом на шаге {step}, ранг {ranks}. Чаще всего скорость обучения слишком велика: уменьшите её или добавьте разогрев.',
    few: 'Потери перестали быть числом на шаге {step}, ранги {ranks}. Чаще всего скорость обучения слишком велика: уменьшите её или добавьте разогрев.',
    many: 'Потери перестали быть числом на шаге {step}, ранги {ranks}. Чаще всего скорость обучения слишком велика: уменьшите её или добавьте разогрев.',
    other:
      'Потери перестали быть числом на шаге {step}, ранги {ranks}. Чаще всего скорость обучения слишком велика: уменьшите её или добавьте разогрев.',
  },
  'failure.hang': {
    one: 'У ранга {rank} на шаге {step} кончились батчи; ранг {waiting} ждёт его в коллективной операции и не дождётся. У всех рангов должно быть одинаковое число батчей: дополните доли данных, как DistributedSampler, или отбросьте последний батч на всех рангах.',
    few: 'У ранга {rank} на шаге {step} кончились батчи; ранги {waiting} ждут его в коллективной операции и не дождутся. У всех рангов должно быть одинаковое число батчей: дополните доли данных, как DistributedSampler, или отбросьте последний батч на всех рангах.',
    many: 'У ранга {rank} на шаге {step} кончились батчи; ранги {waiting} ждут его в коллективной операции и не дождутся. У всех рангов должно быть одинаковое число батчей: дополните доли данных, как DistributedSampler, или отбросьте последний батч на всех рангах.',
    other:
      'У ранга {rank} на шаге {step} кончились батчи; ранги {waiting} ждут его в коллективной операции и не дождутся. У всех рангов должно быть одинаковое число батчей: дополните доли данных, как DistributedSampler, или отбросьте последний батч на всех рангах.',
  },
  'failure.unexpected': 'Запуск прервался из-за непредвиденной ошибки, см. подробности.',
  'group.task': 'Задача',
  'group.dataParallel': 'Параллелизм данных',
  'group.optimizer': 'Оптимизатор',
  'group.communication': 'Обмен',
  'group.mistakes': 'Классические ошибки',
  'problem.fp8NeedsScaling':
    'Восемь бит теряют почти все градиенты без масштабирования. Выберите dynamic или fixed.',
  ...recoveryMessages,
  'problem.ranksOverCluster':
    'В кластере устройств: {allowed} (узлов {nodes} по {gpusPerNode}). Возьмите меньше реплик или увеличьте cluster.nodes.',
  'problem.hierarchyOnOneNode':
    'Все ранги ({replicas}) помещаются на одном узле ({gpusPerNode}), второго уровня нет. Выберите ring или уменьшите cluster.gpusPerNode.',
  'problem.syncNormNeedsEveryStep':
    'Общие статистики требуют обмена между всеми рангами на каждом шаге, а {sync} обходится без него. Выберите allReduce или нормализацию batch.',
  'problem.syncNormNeedsEqualBatches':
    'Нормализация по всем батчам складывает градиенты рангов так, будто батчи одного размера. Выключите балансировку или выберите нормализацию batch.',
  'problem.noOwnBuffers':
    'Разные скользящие статистики бывают только при нормализации batch на нескольких репликах. Выберите её или уберите ошибку.',
  'group.precision': 'Точность',
  'group.cluster': 'Модель кластера',
  'group.run': 'Запуск',
} as const satisfies Readonly<Record<ExperimentKey, Message>>;
