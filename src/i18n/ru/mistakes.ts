/** @file Слова о классических ошибках. */
import type { Message } from '../message.ts';

export const mistakes = {
  'field.mistakes.sumNotMean.label': 'Сумма вместо среднего',
  'field.mistakes.sumNotMean.line': 'Забыть поделить на число реплик.',
  'field.mistakes.sumNotMean.help':
    'Градиенты рангов складываются и не делятся. Это всё равно что скорость обучения в N раз больше, и обучение часто расходится.',
  'field.mistakes.noErrorFeedback.label': 'Потерянный остаток',
  'field.mistakes.noErrorFeedback.line': 'Забыть то, что придержало сжатие.',
  'field.mistakes.noErrorFeedback.help':
    'Остаток обнуляется после каждого шага, словно буфер создают заново. Малые числа не доходят никогда.',
  'field.mistakes.noSetEpoch.label': 'Без set_epoch',
  'field.mistakes.noSetEpoch.line': 'Каждая эпоха в порядке первой.',
  'field.mistakes.noSetEpoch.help':
    'DistributedSampler перемешивает по начальному числу и номеру эпохи, и номер ему надо сообщать. Иначе все батчи повторяются в точности.',
  'field.mistakes.noBroadcast.label': 'Без рассылки',
  'field.mistakes.noBroadcast.line': 'Каждый ранг начинает со своих весов.',
  'field.mistakes.noBroadcast.help':
    'Градиенты всё равно усредняются, и ранги остаются так же далеки друг от друга: усредняются градиенты разных моделей. Хеши не совпадут никогда.',
  'field.mistakes.equalAugmentation.label': 'Одинаковая аугментация',
  'field.mistakes.equalAugmentation.line': 'Все ранги берут одни и те же случайные сдвиги.',
  'field.mistakes.equalAugmentation.help':
    'У всех воркеров одно начальное число, и пример i сдвигается на всех рангах одинаково. Разных искажений в батче меньше, чем кажется, а ошибки никто не видит.',
  'field.mistakes.unequalBatches.label': 'Неравное число батчей',
  'field.mistakes.unequalBatches.line': 'У последнего ранга в эпохе на батч меньше.',
  'field.mistakes.unequalBatches.help':
    'Он выходит из цикла, а остальные ждут его в all-reduce — навсегда. Ожидание здесь настоящее; если две секунды реального времени ничего не движется, запуск завершается и ранги названы.',
  'field.mistakes.noLossScaling.label': 'Без масштаба потерь',
  'field.mistakes.noLossScaling.line': 'Не масштабировать там, где формат этого требует.',
  'field.mistakes.noLossScaling.help':
    'Масштабирование выше выбрано, но функция потерь не умножается. Малые градиенты округляются до нуля, и глубокая сеть ничему не учится.',
  'field.mistakes.clipBeforeUnscale.label': 'Обрезка до деления',
  'field.mistakes.clipBeforeUnscale.line': 'Обрезать ещё не разделённые на масштаб градиенты.',
  'field.mistakes.clipBeforeUnscale.help':
    'Норма измеряется вместе с масштабом, почти каждый градиент оказывается выше порога и уменьшается до порога, делённого на масштаб. Сначала надо делить: для этого в PyTorch есть unscale_.',
  'field.mistakes.pureLowWeights.label': 'Только узкие веса',
  'field.mistakes.pureLowWeights.line': 'Не хранить копию весов в fp32.',
  'field.mistakes.pureLowWeights.help':
    'Обновления прибавляются прямо к весам узкого формата. Всё, что меньше половины шага формата, пропадает при округлении: тысяча раз по 0,0001 не сдвинет вес 1 в fp16.',
  'field.mistakes.unsyncedModule.label': 'В обход обёртки',
  'field.mistakes.unsyncedModule.line': 'С середины запуска вызывать саму модель.',
  'field.mistakes.unsyncedModule.help':
    'При вызове model.module(x) DDP не видит прямого прохода и ничего не усредняет в обратном. С середины запуска каждый ранг учится один, на своей доле данных, и веса расходятся.',
  'field.mistakes.noBufferBroadcast.label': 'Свои буферы',
  'field.mistakes.noBufferBroadcast.line': 'Скользящие статистики у рангов разные.',
  'field.mistakes.noBufferBroadcast.help':
    'DDP с broadcast_buffers=False: каждый ранг хранит скользящие среднее и дисперсию своей доли данных. Веса всё равно совпадают, но проверяет каждый ранг другую модель.',
} as const satisfies Readonly<Record<string, Message>>;
