/** @file Words for faults and recovery. */
import type { Message } from '../message.ts';

export const recovery = {
  'field.recovery.policy.label': 'При потере ранга',
  'field.recovery.policy.line': 'Продолжить без него, заменить его или остановиться.',
  'field.recovery.policy.help':
    'shrink собирает кольцо заново без потерянных рангов и делит между оставшимися необработанные примеры, как Horovod elastic. replace запускает новых воркеров, они получают состояние от ранга 0; stop — это обычный DDP: потеря одного ранга обрывает обучение.',
  'field.recovery.commitEvery.label': 'Фиксация каждые',
  'field.recovery.commitEvery.line': 'Шагов между копиями состояния в памяти каждого ранга.',
  'field.recovery.commitEvery.help':
    'После потери все ранги возвращаются к последней общей фиксации, а шаги после неё выполняются заново. Чем чаще фиксации, тем меньше потерянной работы, но каждая стоит копирования.',
  'field.recovery.timeoutSeconds.label': 'Тайм-аут',
  'field.recovery.timeoutSeconds.line':
    'Через сколько молчащий ранг считается потерянным (время кластера).',
  'field.recovery.timeoutSeconds.help':
    'Зависший или недоступный ранг замечают по ожиданию остальных, завершённый — сразу. NCCL в PyTorch по умолчанию ждёт 10 минут, эластичные системы — гораздо меньше.',
  'field.recovery.joinSeconds.label': 'Время замены',
  'field.recovery.joinSeconds.line': 'Через сколько новый воркер готов к работе (время кластера).',
  'field.recovery.joinSeconds.help':
    'Новый процесс получает машину, запускается, загружает библиотеки и данные. Передача состояния считается отдельно, по каналам кластера.',
  'field.recovery.faults.label': 'Сценарий сбоев',
  'field.recovery.faults.line': 'Сбои по расписанию, по одному в строке: вид, ранги, шаг.',
  'field.recovery.faults.help':
    '«kill 2 @ 40» завершает воркер ранга 2 посреди шага 40; другие виды: hang, link, split, nan и flip, а «split 0+1 @ 40» называет два ранга. После потери оставшиеся ранги нумеруются заново.',
  'field.stragglers.label': 'Отстающие ранги',
  'field.stragglers.line': 'Что замедляет ранги во времени кластера, по строке на причину.',
  'field.stragglers.help':
    '«slow 3 x2 @ 10-20» вдвое замедляет ранг 3 между 10-й и 20-й секундами кластера; другие виды: «jitter all 0.2», «hiccup 1 0.5/5» (секунды паузы и период), «heat 2 35» (градусы вокруг устройства), «link 1 x4» и «loader 0 x10». Само обучение остаётся настоящим, меняются лишь часы кластера и то, что от них зависит.',
  'choice.recovery.policy.shrink': 'Продолжить без него',
  'choice.recovery.policy.replace': 'Заменить',
  'choice.recovery.policy.stop': 'Остановиться',
} as const satisfies Readonly<Record<string, Message>>;

export const recoveryMessages = {
  'group.recovery': 'Сбои и восстановление',
  'problem.script':
    'Допустим список до {maximumLength} строк вида «{example}»: виды перечислены в (i).',
  'problem.stragglerRank': 'В «{line}» назван ранг {rank}; есть ранги от 0 до {last}.',
  'problem.stragglerLoader':
    '«{line}» замедляет загрузчик, который не тратит времени. Задайте cluster.loaderSamplesPerSecond больше 0.',
  'problem.stragglersOrdered':
    'При {sync} порядок рангов задают sync.slowdowns и sync.jitter. Укажите медленные ранги там.',
  'problem.stragglerForm': 'Так «{line}» быть не может. Напишите в виде «{example}».',
  'problem.faultRank':
    'На шаге {step} ранга {rank} нет: остались ранги от 0 до {last}. Назовите один из них.',
  'problem.faultStep':
    'В обучении шаги от 0 до {last}, шага {step} нет. Возьмите более ранний или учите дольше.',
  'problem.faultNeedsRanks':
    'На шаге {step} не останется ни одного ранга. Оставьте хотя бы один или выберите stop.',
  'problem.recoveryNeedsAllReduce':
    'При {sync} веса рангов между усреднениями различны, и заменить один другим нельзя. Выберите stop.',
  'failure.lost': {
    one: 'На шаге {step} потерян ранг {ranks}, а для этого случая выбрана остановка. Журнал сохранён.',
    few: 'На шаге {step} потеряны ранги {ranks}, а для этого случая выбрана остановка. Журнал сохранён.',
    many: 'На шаге {step} потеряны ранги {ranks}, а для этого случая выбрана остановка. Журнал сохранён.',
    other:
      'На шаге {step} потеряны ранги {ranks}, а для этого случая выбрана остановка. Журнал сохранён.',
  },
  'failure.lostAll': 'После шага {step} не осталось ни одного ранга. Журнал сохранён.',
} as const satisfies Readonly<Record<string, Message>>;
