/** @file Слова для кластера, время которого оценивают часы. */
import type { Message } from '../message.ts';

export const cluster = {
  'field.cluster.preset.label': 'Устроен как',
  'field.cluster.preset.line': 'Известный кластер как отправная точка.',
  'field.cluster.preset.help':
    'Задаёт значения по умолчанию для всех остальных параметров кластера; любой из них можно указать отдельно. Источники — в docs/clusters.md.',
  'field.cluster.workload.label': 'Оценивать как',
  'field.cluster.workload.line': 'Чьи байты и операции считают часы кластера.',
  'field.cluster.workload.help':
    'itself — сама маленькая реплика; остальные варианты оценивают шаг так, будто это известная модель. Сходимость остаётся такой, как у реплики.',
  'field.cluster.nodes.label': 'Узлы',
  'field.cluster.nodes.line': 'Машины в кластере.',
  'field.cluster.nodes.help':
    'Ранги заполняют узлы один за другим. Узлы без рангов ничего не стоят.',
  'field.cluster.gpusPerNode.label': 'GPU на узел',
  'field.cluster.gpusPerNode.line': 'Устройства в одной машине.',
  'field.cluster.gpusPerNode.help':
    'Они общаются по внутреннему каналу узла и делят его сетевые карты. На каждом работает один ранг.',
  'field.cluster.fp32Tflops.label': 'Пик fp32',
  'field.cluster.fp32Tflops.line': 'Вычисления в fp32.',
  'field.cluster.fp32Tflops.help':
    'Плотное значение из документации производителя. Обучение достигает лишь его доли, которую задаёт эффективность.',
  'field.cluster.tf32Tflops.label': 'Пик TF32',
  'field.cluster.tf32Tflops.line': 'Матричные произведения в TF32.',
  'field.cluster.tf32Tflops.help':
    'Входы с десятью битами мантиссы, суммы в fp32. Для устройств без TF32 берётся пик fp32.',
  'field.cluster.halfTflops.label': 'Пик в 16 битах',
  'field.cluster.halfTflops.line': 'Матричные произведения в fp16 или bf16.',
  'field.cluster.halfTflops.help':
    'Плотное значение: в документации часто печатают вдвое больше, для разреженных матриц.',
  'field.cluster.fp8Tflops.label': 'Пик fp8',
  'field.cluster.fp8Tflops.line': 'Матричные произведения в fp8.',
  'field.cluster.fp8Tflops.help':
    'Вдвое больше 16-битного пика, если устройство умеет fp8. Для остальных берётся 16-битный пик.',
  'field.cluster.efficiency.label': 'Эффективность fp32',
  'field.cluster.efficiency.line': 'Достигаемая доля пика fp32.',
  'field.cluster.efficiency.help':
    'Большие матричные произведения достигают 60–80 процентов. То, что ограничено памятью, считается отдельно.',
  'field.cluster.halfEfficiency.label': 'Тензорная эффективность',
  'field.cluster.halfEfficiency.line': 'Достигаемая доля остальных пиков.',
  'field.cluster.halfEfficiency.help':
    'Для TF32, 16 и 8 бит. Чем быстрее вычисления, тем труднее их загрузить данными.',
  'field.cluster.memoryGBps.label': 'Память',
  'field.cluster.memoryGBps.line': 'Пропускная способность памяти устройства.',
  'field.cluster.memoryGBps.help':
    'Через неё проходят активации, копии бакетов и обновление весов. Шестнадцать бит вдвое уменьшают долю активаций.',
  'field.cluster.variation.label': 'Разброс',
  'field.cluster.variation.line': 'Насколько устройства различаются по скорости.',
  'field.cluster.variation.help':
    'Стандартное отклонение в долях времени вычислений. Шаг ждёт самого медленного ранга, поэтому чем больше рангов, тем дольше ожидание.',
  'field.cluster.intraTopology.label': 'Внутри узла',
  'field.cluster.intraTopology.line': 'Как соединены устройства узла.',
  'field.cluster.intraTopology.help':
    'За коммутатором (или на пути через хост) у каждого устройства полная полоса, сколько бы их ни участвовало. В сетке из шести каналов двоим достаётся один канал, четверым — четыре.',
  'field.cluster.switchReduction.label': 'Суммы в коммутаторе',
  'field.cluster.switchReduction.line': 'Складывает сам коммутатор NVLink.',
  'field.cluster.switchReduction.help':
    'NVLink SHARP складывает на пути, и вектор проходит каждый канал один раз. Есть начиная с Hopper.',
  'field.cluster.intraGBps.label': 'Канал внутри',
  'field.cluster.intraGBps.line': 'Пропускная способность канала устройства в одну сторону.',
  'field.cluster.intraGBps.help':
    'То, чего кольцо достигает на больших сообщениях вместе с протоколом. Для сетки — сумма всех её каналов.',
  'field.cluster.intraLlUs.label': 'Шаг LL внутри',
  'field.cluster.intraLlUs.line': 'Задержка малого сообщения.',
  'field.cluster.intraLlUs.help':
    'Протокол LL из NCCL шлёт флаг с каждым словом: наименьшая задержка и не более половины полосы.',
  'field.cluster.intraLl128Us.label': 'Шаг LL128 внутри',
  'field.cluster.intraLl128Us.line': 'Задержка среднего сообщения; 0 — выключен.',
  'field.cluster.intraLl128Us.help':
    'Флаг с каждой строкой в 128 байт: почти полная полоса. Нужный порядок записи гарантирует только NVLink.',
  'field.cluster.intraSimpleUs.label': 'Шаг Simple внутри',
  'field.cluster.intraSimpleUs.line': 'Задержка большого сообщения.',
  'field.cluster.intraSimpleUs.help':
    'Протокол Simple подтверждает целые куски с барьером: медленный старт, полная полоса.',
  'field.cluster.intraLlGBps.label': 'Скорость LL внутри',
  'field.cluster.intraLlGBps.line': 'Наибольшая скорость LL внутри узла.',
  'field.cluster.intraLlGBps.help':
    'В NCCL такой предел есть для каждого поколения GPU. Он определяет, где LL уступает другим протоколам.',
  'field.cluster.nicsPerNode.label': 'Сетевых карт на узел',
  'field.cluster.nicsPerNode.line': 'Сетевые карты машины.',
  'field.cluster.nicsPerNode.help':
    'Их делят все ранги узла. Кольцо входит в узел и выходит из него один раз, по своим картам.',
  'field.cluster.nicGbps.label': 'Сетевая карта',
  'field.cluster.nicGbps.line': 'Скорость одной сетевой карты.',
  'field.cluster.nicGbps.help':
    'Биты в секунду, как указано на карте, в одну сторону. Чтобы получить байты, разделите на восемь.',
  'field.cluster.networkEfficiency.label': 'Эффективность сети',
  'field.cluster.networkEfficiency.line': 'Какая доля этой скорости достаётся данным.',
  'field.cluster.networkEfficiency.help':
    'Остальное уходит на заголовки, заторы и копии через память машины. RDMA достигает примерно 0,97.',
  'field.cluster.networkDelayUs.label': 'Задержка сети',
  'field.cluster.networkDelayUs.line': 'В одну сторону между узлами, сверх шагов протокола.',
  'field.cluster.networkDelayUs.help':
    'Расстояние, коммутаторы, сокеты. Кольцо скрывает её, пока передача куска длится дольше задержки.',
  'field.cluster.networkLlUs.label': 'Шаг LL между узлами',
  'field.cluster.networkLlUs.line': 'Задержка малого сообщения между узлами.',
  'field.cluster.networkLlUs.help':
    'NCCL считает 2,7 для InfiniBand. Посредники и библиотеки вроде libfabric намного медленнее.',
  'field.cluster.networkLl128Us.label': 'Шаг LL128 между узлами',
  'field.cluster.networkLl128Us.line': 'То же для LL128; 0 — выключен.',
  'field.cluster.networkLl128Us.help':
    'NCCL считает 4 для InfiniBand. Выключен там, где сеть не хранит порядок.',
  'field.cluster.networkSimpleUs.label': 'Шаг Simple между узлами',
  'field.cluster.networkSimpleUs.line': 'Задержка большого сообщения между узлами.',
  'field.cluster.networkSimpleUs.help':
    'Постановка в очередь, завершение, поток-посредник. NCCL считает 14 для InfiniBand.',
  'field.cluster.networkLlGBps.label': 'Скорость LL между узлами',
  'field.cluster.networkLlGBps.line': 'Наибольшая скорость LL между узлами.',
  'field.cluster.networkLlGBps.help':
    'Как внутри узла, но для колец и деревьев, проходящих через сеть.',
  'field.cluster.sharedMedium.label': 'Общая среда',
  'field.cluster.sharedMedium.line': 'Все узлы передают по одному каналу.',
  'field.cluster.sharedMedium.help':
    'Как в Wi-Fi: когда передают все, как в кольце, каждому достаётся его доля. За коммутатором у каждого узла свой кабель.',
  'field.cluster.oversubscription.label': 'Переподписка',
  'field.cluster.oversubscription.line': 'Портов вниз на один порт вверх.',
  'field.cluster.oversubscription.help':
    'Каналы вверх несут полосу узлов пода, делённую на это число. Кольца и деревья выходят из пода с трафиком одного узла, поэтому чувствуют её только при малых подах; 1 — полное толстое дерево.',
  'field.cluster.nodesPerPod.label': 'Узлов в поде',
  'field.cluster.nodesPerPod.line': 'Машины под одним уровнем коммутаторов.',
  'field.cluster.nodesPerPod.help':
    'Внутри пода действует полная полоса. В кластере Llama 3 под — 3072 GPU, 384 машины.',
  'field.cluster.library.label': 'Библиотека',
  'field.cluster.library.line': 'Что выполняет коллективные операции.',
  'field.cluster.library.help':
    'nccl передаёт байты с устройства на устройство; gloo проводит их через память машины и складывает на CPU.',
  'field.cluster.launchUs.label': 'Запуск',
  'field.cluster.launchUs.line': 'Старт операции сверх времени самого NCCL.',
  'field.cluster.launchUs.help':
    'Запуск ядра и встреча потоков перед ним. Несколько устройств в одном процессе стартуют дольше.',
  'field.cluster.channels.label': 'Каналы',
  'field.cluster.channels.line': 'Кольца или деревья, работающие рядом.',
  'field.cluster.channels.help':
    'У каждого свои буферы и своя часть сообщения. Между узлами их не больше двух на сетевую карту.',
  'field.cluster.slotKiB.label': 'Слот',
  'field.cluster.slotKiB.line': 'Сколько канал передаёт за раз.',
  'field.cluster.slotKiB.help':
    'Конвейер должен наполниться: с малыми слотами он начинает раньше. В NCCL восемь слотов по 512 КиБ на канал.',
  'field.cluster.hostGBps.label': 'Путь через CPU',
  'field.cluster.hostGBps.line': 'Копии и суммы Gloo на процессоре.',
  'field.cluster.hostGBps.help':
    'Каждый байт принимается, складывается ядром процессора и отправляется дальше. Из-за этого Gloo отстаёт от NCCL на быстрых сетях.',
  'field.cluster.segmentsInFlight.label': 'Сегментов в пути',
  'field.cluster.segmentsInFlight.line': 'Сколько сегментов Gloo шлёт, не дожидаясь ответа.',
  'field.cluster.segmentsInFlight.help':
    'Gloo режет данные на сегменты по 1 МиБ. Когда в пути два, при большой задержке каждый стоит половину оборота.',
  'field.cluster.kernelUs.label': 'Ядро',
  'field.cluster.kernelUs.line': 'Время хоста на запуск одного ядра.',
  'field.cluster.kernelUs.help':
    'Если ядра короче, устройство ждёт хост, как при малых батчах. Два ядра на тензор параметров в прямом проходе, четыре в обратном.',
  'field.cluster.hookUs.label': 'Хук',
  'field.cluster.hookUs.line': 'Что DDP делает для каждого тензора параметров.',
  'field.cluster.hookUs.help':
    'Хук autograd и два малых ядра, за счёт времени CPU. Больше всего платят модели из множества малых тензоров.',
  'field.cluster.contention.label': 'Помехи',
  'field.cluster.contention.line': 'Что скрытый обмен отнимает у вычислений.',
  'field.cluster.contention.help':
    'Ядра NCCL занимают те же блоки и память, что и обратный проход. 0,45 значит: десять скрытых миллисекунд стоят 4,5.',
  'field.cluster.loaderSamplesPerSecond.label': 'Загрузчик',
  'field.cluster.loaderSamplesPerSecond.line':
    'Сколько примеров в секунду загружает узел; 0 — без ожидания.',
  'field.cluster.loaderSamplesPerSecond.help':
    'Ядра узла делят все его устройства. Если есть очередь, ждать приходится только того, что дольше шага.',
  'field.cluster.loaderPrefetch.label': 'Предзагрузка',
  'field.cluster.loaderPrefetch.line': 'Сколько батчей загружается заранее.',
  'field.cluster.loaderPrefetch.help':
    'При 0 каждый шаг ждёт весь свой батч. Больше одного помогает лишь при неровной загрузке.',
  'field.cluster.storageGBps.label': 'Хранилище',
  'field.cluster.storageGBps.line': 'Куда пишутся контрольные точки.',
  'field.cluster.storageGBps.help':
    'Все ранги вместе. Контрольная точка модели в смешанной точности занимает 14 байт на параметр.',
  'field.cluster.mtbfHoursPerGpu.label': 'Наработка на отказ',
  'field.cluster.mtbfHoursPerGpu.line': 'Одного устройства, в среднем.',
  'field.cluster.mtbfHoursPerGpu.help':
    'Разделите на число устройств, чтобы получить значение для всей задачи. У Llama 3 на 16 384 GPU отказ случался раз в три часа: 50 700 часов на устройство.',
  'choice.cluster.preset.laptop': 'Один ноутбук',
  'choice.cluster.preset.wifi-laptops': 'Ноутбуки по Wi-Fi',
  'choice.cluster.preset.cloud-10gbe': 'Облако, 10 Гбит/с',
  'choice.cluster.preset.pascal-25gbe': 'Pascal, 25 Гбит/с',
  'choice.cluster.preset.pcie-host': '4 GPU по PCIe',
  'choice.cluster.preset.dgx1-v100': 'DGX-1 V100',
  'choice.cluster.preset.dgx2-v100': 'DGX-2 V100',
  'choice.cluster.preset.dgx-a100': 'DGX A100',
  'choice.cluster.preset.dgx-h100': 'DGX H100',
  'choice.cluster.preset.hgx-h200': 'HGX H200',
  'choice.cluster.preset.hgx-b200': 'HGX B200',
  'choice.cluster.preset.h100-ib-ndr': 'H100 + InfiniBand NDR',
  'choice.cluster.preset.h100-roce': 'H100 + RoCE',
  'choice.cluster.preset.llama3-16k': '16 384 H100 (Llama 3)',
  'choice.cluster.preset.p3dn-efa': 'p3dn V100, EFA',
  'choice.cluster.preset.p4de-efa': 'p4de A100, EFA',
  'choice.cluster.preset.slow-link': 'Медленные каналы',
  'choice.cluster.workload.itself': 'Сама реплика',
  'choice.cluster.workload.resnet50': 'ResNet-50',
  'choice.cluster.workload.resnet101': 'ResNet-101',
  'choice.cluster.workload.resnext50': 'ResNeXt-50',
  'choice.cluster.workload.resnext101': 'ResNeXt-101',
  'choice.cluster.workload.inception3': 'Inception V3',
  'choice.cluster.workload.vgg16': 'VGG-16',
  'choice.cluster.workload.gnmt': 'GNMT',
  'choice.cluster.workload.bert-base': 'BERT-base',
  'choice.cluster.workload.bert-large': 'BERT-large',
  'choice.cluster.workload.gpt2-124m': 'GPT-2 124M',
  'choice.cluster.workload.gpt2-1.5b': 'GPT-2 1.5B',
  'choice.cluster.workload.llama3-8b': 'Llama 3 8B',
  'choice.cluster.workload.llama3-70b': 'Llama 3 70B',
  'choice.cluster.intraTopology.switch': 'Коммутатор',
  'choice.cluster.intraTopology.mesh': 'Сетка',
  'choice.cluster.library.nccl': 'NCCL',
  'choice.cluster.library.gloo': 'Gloo',
} as const satisfies Readonly<Record<string, Message>>;
