/** @file Words for the classic mistakes. */
import type { Message } from '../message.ts';

export const mistakes = {
  'field.mistakes.sumNotMean.label': 'Sum, not mean',
  'field.mistakes.sumNotMean.line': 'Forget to divide by the replicas.',
  'field.mistakes.sumNotMean.help':
    'Gradients are added over the ranks and not divided. It acts as a learning rate N times as large, and often diverges.',
  'field.mistakes.noErrorFeedback.label': 'Residual lost',
  'field.mistakes.noErrorFeedback.line': 'Forget what compression kept back.',
  'field.mistakes.noErrorFeedback.help':
    'The residual is cleared after every step, as if its buffer were made anew. Small entries never arrive.',
  'field.mistakes.noSetEpoch.label': 'No set_epoch',
  'field.mistakes.noSetEpoch.line': 'Every epoch in the order of the first.',
  'field.mistakes.noSetEpoch.help':
    'DistributedSampler shuffles by seed and epoch, and must be told the epoch. Without it every batch comes back exactly as it was.',
  'field.mistakes.noBroadcast.label': 'No broadcast',
  'field.mistakes.noBroadcast.line': 'Every rank begins with weights of its own.',
  'field.mistakes.noBroadcast.help':
    'Gradients are averaged all the same, so the ranks stay as far apart as they began and average gradients of different models. The hashes never agree.',
  'field.mistakes.equalAugmentation.label': 'Equal augmentation',
  'field.mistakes.equalAugmentation.line': 'All ranks draw the same random changes.',
  'field.mistakes.equalAugmentation.help':
    'Every worker seeds its random numbers alike, so sample i moves the same way on all ranks. The batch then holds fewer different changes than it seems to, and nothing fails.',
  'field.mistakes.unequalBatches.label': 'Unequal batches',
  'field.mistakes.unequalBatches.line': 'The last rank has one batch less in an epoch.',
  'field.mistakes.unequalBatches.help':
    'It leaves its loop while the others wait for it in the all-reduce, for ever. The wait is real here; after two seconds of wall time in which nothing moves the run is ended and the ranks are named.',
  'field.mistakes.noLossScaling.label': 'No loss scaling',
  'field.mistakes.noLossScaling.line': 'Leave the scaler out in a format that needs it.',
  'field.mistakes.noLossScaling.help':
    'Loss scaling stays chosen above, but the loss is not multiplied. Small gradients are rounded to zero, and a deep network learns nothing.',
  'field.mistakes.clipBeforeUnscale.label': 'Clipped too early',
  'field.mistakes.clipBeforeUnscale.line': 'Clip gradients that are still scaled.',
  'field.mistakes.clipBeforeUnscale.help':
    'The norm is measured times the loss scale, so nearly every gradient exceeds the bound and is cut to the bound divided by the scale. Unscale first, as PyTorch’s unscale_ is for.',
  'field.mistakes.pureLowWeights.label': 'Only narrow weights',
  'field.mistakes.pureLowWeights.line': 'Keep no fp32 copy of the weights.',
  'field.mistakes.pureLowWeights.help':
    'Updates go straight into weights of the narrow format. One that is smaller than half a step of the format is rounded away: a thousand times 0.0001 leaves an fp16 weight of 1 at 1.',
  'field.mistakes.unsyncedModule.label': 'Around the wrapper',
  'field.mistakes.unsyncedModule.line': 'Call the bare model from mid-run on.',
  'field.mistakes.unsyncedModule.help':
    'With model.module(x) DDP hears nothing of the forward pass and reduces nothing in backward. From the middle of the run on every rank trains alone, on its own shard, and the weights drift apart.',
  'field.mistakes.noBufferBroadcast.label': 'Own buffers',
  'field.mistakes.noBufferBroadcast.line': 'Running statistics differ from rank to rank.',
  'field.mistakes.noBufferBroadcast.help':
    'DDP with broadcast_buffers=False: each rank keeps the running mean and variance of its own shard. The weights agree all the same, but every rank evaluates another model.',
} as const satisfies Readonly<Record<string, Message>>;
