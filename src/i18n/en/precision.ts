/** @file Words for emulated precision, loss scaling and activation checkpointing. */
import type { Message } from '../message.ts';

export const precision = {
  'field.precision.format.label': 'Numbers',
  'field.precision.format.line': 'What forward and backward compute in; emulated.',
  'field.precision.format.help':
    'Weights, activations and gradients are rounded to this format wherever one operator hands them to the next; sums stay in fp32, as on tensor cores. It shows the effect on learning, not the speed: the rounding costs time here. fp8 takes e4m3 forward and e5m2 for gradients.',
  'field.precision.masterWeights.label': 'fp32 weights',
  'field.precision.masterWeights.line': 'Keep a master copy that updates add up in.',
  'field.precision.masterWeights.help':
    'An update smaller than about 1/2000 of an fp16 weight is lost when it is added to it. With a master copy in fp32 it is kept, and only the copy that computes is rounded.',
  'field.lossScaling.kind.label': 'Loss scaling',
  'field.lossScaling.kind.line': 'Multiply gradients on the way, divide before the update.',
  'field.lossScaling.kind.help':
    'Gradients below 2^-25 are zero in fp16; multiplied by the scale they survive. dynamic follows PyTorch’s GradScaler: halved and the step skipped when a gradient overflows, doubled after a while without.',
  'field.lossScaling.scale.label': 'Loss scale',
  'field.lossScaling.scale.line': 'The factor; the first one where it is dynamic.',
  'field.lossScaling.scale.help':
    'PyTorch begins at 65,536. Too large only costs a few skipped steps at the start, because every overflow halves it.',
  'field.lossScaling.growthInterval.label': 'Growth interval',
  'field.lossScaling.growthInterval.line': 'Steps without overflow until the scale doubles.',
  'field.lossScaling.growthInterval.help':
    'PyTorch takes 2,000. Shorter intervals find the largest scale sooner and skip steps more often.',
  'field.checkpointing.label': 'Checkpointing',
  'field.checkpointing.line': 'Recompute activations in backward instead of keeping them.',
  'field.checkpointing.help':
    'Only the inputs of the layers are kept; backward computes the rest once more, a layer at a time. It holds less memory, takes about a third more time, and gives the same gradient.',
  'choice.precision.format.fp32': 'fp32',
  'choice.precision.format.fp16': 'fp16',
  'choice.precision.format.bf16': 'bf16',
  'choice.precision.format.e4m3': 'fp8 e4m3',
  'choice.precision.format.e5m2': 'fp8 e5m2',
  'choice.lossScaling.kind.none': 'None',
  'choice.lossScaling.kind.fixed': 'Fixed',
  'choice.lossScaling.kind.dynamic': 'Dynamic',
} as const satisfies Readonly<Record<string, Message>>;
