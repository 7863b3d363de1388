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
  /**
   * The rank whose buffers hold for all after the step entered last: the largest that took part where
   * some did not, as torch's DDP._find_common_rank has it, for the others' are old; rank 0 else.
   */
  bufferSource(): number;
  /** What the record says of the step entered last. */
  part(): StepPart;
}

/** Null where all ranks count alike in every step. */
export function createParticipation(plan: Plan, rank: number): Participation | null {
  const turnAt = plan.sync.kind === 'backup' ? keptTurns(plan, rank) : sharedTurns(plan, rank);
  if (turnAt === null) return null;
  const ranks = plan.sync.kind === 'backup' ? plan.worldSize - plan.sync.backups : plan.worldSize;
  let [samples, weight, source] = [0, 0, 0];
  return {
    enter(step) {
      const turn = turnAt(step);
      const { size } = turn;
      source = turn.source;
      samples += size;
      weight = (size / equalBatchAt(plan, step)) * (plan.worldSize / ranks);
      return weight;
    },
    bufferSource: () => source,
    part: () => ({ share: weight / plan.worldSize, samples, pushes: [] }),
  };
}

/** This rank's samples in a step, and whose buffers hold after it. */
type TurnAt = (step: number) => { readonly size: number; readonly source: number };

/** With backup workers: all of the batch, or none where this rank comes too late. */
function keptTurns(plan: Plan, rank: number): TurnAt | null {
  const { sync, seed, worldSize } = plan;
  if (sync.kind !== 'backup') return null;
  const { backups, slowdowns, jitter } = sync;
  const steps = backupSteps(worldSize, backups, createDurations({ seed, slowdowns, jitter }));
  return (step) => {
    const { kept } = steps.next().value;
    const size = kept.includes(rank) ? equalBatchAt(plan, step) : 0;
    return { size, source: Math.max(...kept) };
  };
}

/** With batches by speed: this rank's share. */
function sharedTurns(plan: Plan, rank: number): TurnAt | null {
  const shares = createShares(plan, rank);
  if (shares === null) return null;
  return (step) => ({ size: shares(equalBatchAt(plan, step)).size, source: 0 });
}
