/** @file Words for emulated precision, loss scaling and activation checkpointing. */
import type { Message } from '../message.ts';

export const precision = {
  'field.precision.format.label': 'Числа',
  'field.precision.format.line': 'В чём считаются проходы вперёд и назад; эмуляция.',
  'field.precision.format.help':
    'Веса, активации и градиенты округляются до этого формата везде, где одна операция передаёт их другой; суммы остаются в fp32, как на тензорных ядрах. Видно влияние на обучение, но не на скорость: округление здесь само занимает время. fp8 берёт e4m3 для прямого прохода и e5m2 для градиентов.',
  'field.precision.masterWeights.label': 'Веса в fp32',
  'field.precision.masterWeights.line': 'Хранить основную копию, в которой копятся обновления.',
  'field.precision.masterWeights.help':
    'Обновление меньше примерно 1/2000 веса в fp16 пропадает при сложении. С основной копией в fp32 оно сохраняется, а округляется только копия для вычислений.',
  'field.lossScaling.kind.label': 'Масштаб потерь',
  'field.lossScaling.kind.line': 'Умножить градиенты в пути и разделить перед обновлением.',
  'field.lossScaling.kind.help':
    'Градиенты меньше 2^-25 в fp16 равны нулю; умноженные на масштаб, они уцелеют. dynamic следует GradScaler из PyTorch: при переполнении градиента масштаб делится пополам, а шаг пропускается; после спокойных шагов масштаб удваивается.',
  'field.lossScaling.scale.label': 'Масштаб',
  'field.lossScaling.scale.line': 'Множитель; при dynamic — начальный.',
  'field.lossScaling.scale.help':
    'PyTorch начинает с 65 536. Слишком большой стоит лишь нескольких пропущенных шагов в начале: каждое переполнение делит его пополам.',
  'field.lossScaling.growthInterval.label': 'Интервал роста',
  'field.lossScaling.growthInterval.line': 'Шагов без переполнения до удвоения масштаба.',
  'field.lossScaling.growthInterval.help':
    'В PyTorch 2000. С коротким интервалом наибольший масштаб находится быстрее, но шаги пропускаются чаще.',
  'field.checkpointing.label': 'Чекпойнтинг',
  'field.checkpointing.line': 'Пересчитывать активации в обратном проходе, а не хранить.',
  'field.checkpointing.help':
    'Хранятся только входы слоёв; остальное обратный проход вычисляет заново, слой за слоем. Памяти нужно меньше, времени примерно на треть больше, градиент тот же.',
  'choice.precision.format.fp32': 'fp32',
  'choice.precision.format.fp16': 'fp16',
  'choice.precision.format.bf16': 'bf16',
  'choice.precision.format.e4m3': 'fp8 e4m3',
  'choice.precision.format.e5m2': 'fp8 e5m2',
  'choice.lossScaling.kind.none': 'Нет',
  'choice.lossScaling.kind.fixed': 'Постоянный',
  'choice.lossScaling.kind.dynamic': 'Динамический',
} as const satisfies Readonly<Record<string, Message>>;
