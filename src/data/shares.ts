/** @file How the samples of a step are dealt out: equally, or in proportion to the ranks' speeds. */
import { segmentOfBatch } from '#core/course';
import type { Plan } from '#core/plan';
import { samplesPerRank } from '#core/sampler';
import { balancedBatches, speedsOf } from '#core/sync-rules';

/** A rank's run of the samples of one step, in the sampler's order. */
export interface Share {
  readonly offset: number;
  readonly size: number;
}

/** Samples each rank would have in a step if all had as many: fewer in the last one of an epoch. */
export function equalBatchAt(plan: Plan, step: number): number {
  const { trainCount, worldSize, batchPerRank } = plan;
  const { firstStep, position } = segmentOfBatch(plan, step);
  const perRank = samplesPerRank(trainCount - position, worldSize, false);
  return Math.min(batchPerRank, perRank - (step - firstStep) * batchPerRank);
}

/** Rank `rank`'s share of a step of `equal` samples a rank; null where all batches are equal. */
export function createShares(
  { sync, worldSize }: Plan,
  rank: number,
): ((equal: number) => Share) | null {
  if (sync.kind !== 'allReduce' || sync.balance === 'off') return null;
  const speeds = speedsOf(sync.slowdowns, worldSize);
  const known = new Map<number, Share>();
  return (equal) => {
    const share = known.get(equal) ?? shareOf(balancedBatches(equal * worldSize, speeds), rank);
    known.set(equal, share);
    return share;
  };
}

/** Most samples that a rank has in a step. */
export function largestBatch(plan: Plan, rank: number): number {
  const { batchPerRank } = plan;
  return createShares(plan, rank)?.(batchPerRank).size ?? batchPerRank;
}

function shareOf(sizes: readonly number[], rank: number): Share {
  const offset = sizes.slice(0, rank).reduce((sum, size) => sum + size, 0);
  return { offset, size: sizes[rank] ?? 0 };
}
