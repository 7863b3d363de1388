/** @file Words for emulated precision, loss scaling and activation checkpointing. */
import type { Message } from '../message.ts';

export const precision = {
  'field.precision.format.label': 'Numbers',
  'field.precision.format.line': 'What forward and backward compute in; emulated.',
  'field.precision.masterWeights.label': 'fp32 weights',
  'field.precision.masterWeights.line': 'Keep a master copy that updates add up in.',
  'field.lossScaling.kind.label': 'Loss scaling',
  'field.lossScaling.kind.line': 'Multiply gradients on the way, divide before the update.',
  'field.lossScaling.scale.label': 'Loss scale',
  'field.lossScaling.scale.line': 'The factor; the first one where it is dynamic.',
  'field.lossScaling.growthInterval.label': 'Growth interval',
  'field.lossScaling.growthInterval.line': 'Steps without overflow until the scale doubles.',
  'field.checkpointing.label': 'Checkpointing',
  'field.checkpointing.line': 'Recompute activations in backward instead of keeping them.',
  'choice.precision.format.fp32': 'fp32',
  'choice.precision.format.fp16': 'fp16',
  'choice.precision.format.bf16': 'bf16',
  'choice.precision.format.e4m3': 'fp8 e4m3',
  'choice.precision.format.e5m2': 'fp8 e5m2',
  'choice.lossScaling.kind.none': 'None',
  'choice.lossScaling.kind.fixed': 'Fixed',
  'choice.lossScaling.kind.dynamic': 'Dynamic',
} as const satisfies Readonly<Record<string, Message>>;
