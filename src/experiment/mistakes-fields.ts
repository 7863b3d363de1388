/** @file The field table's rows of the classic mistakes: one switch each, off by default. */
import type { Field } from './field.ts';

export const MISTAKES_FIELDS = [
  { path: 'mistakes.sumNotMean', group: 'mistakes', kind: 'switch', default: false },
  { path: 'mistakes.noErrorFeedback', group: 'mistakes', kind: 'switch', default: false },
  { path: 'mistakes.noSetEpoch', group: 'mistakes', kind: 'switch', default: false },
  { path: 'mistakes.noBroadcast', group: 'mistakes', kind: 'switch', default: false },
  { path: 'mistakes.equalAugmentation', group: 'mistakes', kind: 'switch', default: false },
  { path: 'mistakes.unequalBatches', group: 'mistakes', kind: 'switch', default: false },
  { path: 'mistakes.noLossScaling', group: 'mistakes', kind: 'switch', default: false },
  { path: 'mistakes.clipBeforeUnscale', group: 'mistakes', kind: 'switch', default: false },
  { path: 'mistakes.pureLowWeights', group: 'mistakes', kind: 'switch', default: false },
  { path: 'mistakes.unsyncedModule', group: 'mistakes', kind: 'switch', default: false },
  { path: 'mistakes.noBufferBroadcast', group: 'mistakes', kind: 'switch', default: false },
] as const satisfies readonly Field[];
