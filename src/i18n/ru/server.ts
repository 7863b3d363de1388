/** @file Слова о синхронизации без ожидания и о батчах по скорости. */
import type { Message } from '../message.ts';

export const server = {
  'field.sync.bound.label': 'Граница',
  'field.sync.bound.line': 'На сколько градиентов можно обогнать самый медленный ранг.',
  'field.sync.bound.help':
    'Ранг, который ушёл дальше, ждёт, пока самый медленный его догонит. 0 — это BSP: никто не начинает новый круг, пока все не закончили прошлый.',
  'field.sync.splits.label': 'Число частей',
  'field.sync.splits.line': 'n в n-softsync: обновление из floor(N / n) градиентов.',
  'field.sync.splits.help':
    'Если частей столько же, сколько реплик, каждый градиент применяется сразу по приходе. При одной части сервер собирает столько градиентов, сколько реплик, и применяет их среднее.',
  'field.sync.stalenessAware.label': 'По устареванию',
  'field.sync.stalenessAware.line': 'Делить скорость обучения на устаревание градиента.',
  'field.sync.stalenessAware.help':
    'Градиент, вычисленный по весам, которые сервер с тех пор обновил k раз, применяется со скоростью в k раз меньше. Старые градиенты меньше вредят, но и меньше помогают.',
  'field.sync.backups.label': 'Запасные',
  'field.sync.backups.line': 'Скольких рангов не ждать на каждом шаге.',
  'field.sync.backups.help':
    'Шаг берёт первые градиенты, а последние отбрасывает вместе с их примерами. Отстающих ждать не нужно, но работа части рангов пропадает.',
  'field.sync.balance.label': 'Балансировка',
  'field.sync.balance.line': 'Батчи поровну или по скорости рангов.',
  'field.sync.balance.help':
    'speeds делит общий батч пропорционально скоростям рангов и взвешивает градиенты по долям: все заканчивают одновременно, а среднее берётся по тем же примерам.',
  'field.sync.slowdowns.label': 'Замедления',
  'field.sync.slowdowns.line': 'Во сколько раз медленнее каждый ранг, начиная с нулевого.',
  'field.sync.slowdowns.help':
    '1, 1, 3 — ранг 2 тратит на градиент втрое больше времени кластера; у рангов за концом списка 1. От этого зависит порядок событий, но не скорость этой машины.',
  'field.sync.jitter.label': 'Разброс',
  'field.sync.jitter.line': 'Разброс времени на градиент; 0 — без разброса.',
  'field.sync.jitter.help':
    'Стандартное отклонение логарифма длительности; для каждого градиента она берётся заново из начального числа. С разбросом ранги одной скорости иногда обгоняют друг друга.',
  'choice.sync.kind.async': 'Асинхронно',
  'choice.sync.kind.ssp': 'SSP',
  'choice.sync.kind.backup': 'Запасные ранги',
  'choice.sync.balance.off': 'Поровну',
  'choice.sync.balance.speeds': 'По скорости',
} as const satisfies Readonly<Record<string, Message>>;

export const serverMessages = {
  'problem.sspBelowZero':
    'Опережение не бывает отрицательным; при 0 ранги ждут друг друга на каждом шаге. Допустимо целое число от {minimum} до {maximum}.',
  'problem.splitsOverReplicas':
    'На каждую часть нужна реплика, поэтому частей не больше {replicas}. Уменьшите их число или добавьте реплики.',
  'problem.backupsOverReplicas':
    'Из реплик (всего их {replicas}) хотя бы одна должна учитываться, поэтому запасных не больше {maximum}. Уменьшите их число или добавьте реплики.',
  'problem.slowdownsUnused':
    'Когда батчи равны и все ждут всех, замедления ничего не меняют. Уберите их, включите балансировку speeds или выберите async, ssp либо backup.',
  'problem.slowdownsOverReplicas':
    'Реплик {replicas}, и список не может быть длиннее. Сократите его или добавьте реплики.',
  'problem.rankWithoutSamples':
    'В последнем шаге эпохи {total} примеров, и рангу {rank} не достаётся ни одного. Измените батч или уменьшите замедления.',
  'problem.serverIsStar':
    'При {sync} ранг 0 — сервер параметров, а это звезда. Выберите star или другую синхронизацию.',
  'problem.compressionNeedsAllReduce':
    'При {sync} градиенты передаются как есть, а сжатие работает с all-reduce всех рангов. Выберите none или allReduce.',
  'problem.partsNeedNoSync':
    'Здесь ранги участвуют в шагах по-разному, и складывать части батча по одной нельзя. Включите noSync или возьмите один микробатч.',
  'problem.scaleNeedsAllRanks':
    'Динамическому масштабу потерь нужно, чтобы все ранги видели переполнение на одном и том же шаге, а при {sync} это не так. Выберите fixed или none.',
  'problem.serverBroadcasts':
    'При {sync} каждый ранг берёт веса у сервера, и от его собственных ничего не остаётся. Выключите это или выберите allReduce.',
  'unit.gradients': {
    one: '{count} градиент',
    few: '{count} градиента',
    many: '{count} градиентов',
    other: '{count} градиента',
  },
} as const satisfies Readonly<Record<string, Message>>;
