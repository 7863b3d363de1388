/** @file Steps that the ranks do not share alike: late ranks are dropped, or batches go by speed. */
import type { Plan } from '#core/plan';
import { createShares, equalBatchAt } from '#data/shares';
import type { StepPart } from '#protocol/replica';
import { createDurations } from '#sim/durations';
import { backupSteps } from '#sim/order';

export interface Participation {
  /**
   * Enters a step; all are entered, in their order. Returns what this rank's gradient counts for in the
   * mean, as a multiple of 1 / N; 0 where it takes no part.
   */
  enter(step: number): number;
  /** What the record says of the step entered last. */
  part(): StepPart;
}

/** Null where all ranks count alike in every step. */
export function createParticipation(plan: Plan, rank: number): Participation | null {
  const sizeAt = plan.sync.kind === 'backup' ? keptSamples(plan, rank) : sharedSamples(plan, rank);
  if (sizeAt === null) return null;
  const ranks = plan.sync.kind === 'backup' ? plan.worldSize - plan.sync.backups : plan.worldSize;
  let [samples, weight] = [0, 0];
  return {
    enter(step) {
      const size = sizeAt(step);
      samples += size;
      weight = (size / equalBatchAt(plan, step)) * (plan.worldSize / ranks);
      return weight;
    },
    part: () => ({ share: weight / plan.worldSize, samples, pushes: [] }),
  };
}

type SamplesAt = (step: number) => number;

/** With backup workers: all of the batch, or none where this rank comes too late. */
function keptSamples(plan: Plan, rank: number): SamplesAt | null {
  const { sync, seed, worldSize } = plan;
  if (sync.kind !== 'backup') return null;
  const { backups, slowdowns, jitter } = sync;
  const steps = backupSteps(worldSize, backups, createDurations({ seed, slowdowns, jitter }));
  return (step) => (steps.next().value.kept.includes(rank) ? equalBatchAt(plan, step) : 0);
}

/** With batches by speed: this rank's share. */
function sharedSamples(plan: Plan, rank: number): SamplesAt | null {
  const shares = createShares(plan, rank);
  return shares === null ? null : (step) => shares(equalBatchAt(plan, step)).size;
}
