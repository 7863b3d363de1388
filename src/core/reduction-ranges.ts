/** @file Which ranges of the flat vector are reduced together, in launch order. */
import { bucketRanges, firstIterationRanges } from './buckets.ts';
import type { Range } from './collective.ts';
import { fusionRanges } from './fusion.ts';
import type { Parameter } from './model.ts';
import type { BucketRule } from './plan.ts';

export interface ReductionRanges {
  /** Of iteration 0. */
  readonly first: readonly Range[];
  /** Of all iterations after it. */
  readonly later: readonly Range[];
}

/**
 * DDP reduces everything at once in iteration 0 and rebuilds its buckets after it; Horovod fuses
 * the same way from the start. Its cycle is the cluster clock's: here all gradients are ready in one.
 */
export function reductionRanges(
  parameters: readonly Parameter[],
  rule: BucketRule,
): ReductionRanges {
  if (rule.rule === 'ddp') {
    return { first: firstIterationRanges(parameters), later: bucketRanges(parameters, rule) };
  }
  const ready = parameters.map(() => 0);
  const { thresholdBytes } = rule;
  const fused = fusionRanges(parameters, ready, { cycleMilliseconds: 0, thresholdBytes });
  return { first: fused, later: fused };
}
