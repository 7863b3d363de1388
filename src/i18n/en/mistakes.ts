/** @file Words for the classic mistakes. */
import type { Message } from '../message.ts';

export const mistakes = {
  'field.mistakes.sumNotMean.label': 'Sum, not mean',
  'field.mistakes.sumNotMean.line': 'Forget to divide by the replicas.',
  'field.mistakes.noErrorFeedback.label': 'Residual lost',
  'field.mistakes.noErrorFeedback.line': 'Forget what compression kept back.',
  'field.mistakes.noSetEpoch.label': 'No set_epoch',
  'field.mistakes.noSetEpoch.line': 'Every epoch in the order of the first.',
  'field.mistakes.noBroadcast.label': 'No broadcast',
  'field.mistakes.noBroadcast.line': 'Every rank begins with weights of its own.',
  'field.mistakes.equalAugmentation.label': 'Equal augmentation',
  'field.mistakes.equalAugmentation.line': 'All ranks draw the same random changes.',
  'field.mistakes.unequalBatches.label': 'Unequal batches',
  'field.mistakes.unequalBatches.line': 'The last rank has one batch less in an epoch.',
  'field.mistakes.noLossScaling.label': 'No loss scaling',
  'field.mistakes.noLossScaling.line': 'Leave the scaler out in a format that needs it.',
  'field.mistakes.clipBeforeUnscale.label': 'Clipped too early',
  'field.mistakes.clipBeforeUnscale.line': 'Clip gradients that are still scaled.',
  'field.mistakes.pureLowWeights.label': 'Only narrow weights',
  'field.mistakes.pureLowWeights.line': 'Keep no fp32 copy of the weights.',
  'field.mistakes.unsyncedModule.label': 'Around the wrapper',
  'field.mistakes.unsyncedModule.line': 'Call the bare model from mid-run on.',
  'field.mistakes.noBufferBroadcast.label': 'Own buffers',
  'field.mistakes.noBufferBroadcast.line': 'Running statistics differ from rank to rank.',
} as const satisfies Readonly<Record<string, Message>>;
