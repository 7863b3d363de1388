/**
 * @file When the steps of ranks that do not wait for each other end: by the very order of events
 * that the replicas follow. Compute alone counts; messages to and from the server take no time here.
 */
import type { Plan } from '#core/plan';
import { gradientsAStep } from '#core/sync-rules';
import { createDurations } from './durations.ts';
import { backupSteps, serverUpdates } from './order.ts';

/**
 * Cluster nanoseconds at the end of each step, one a call; `share` is what a gradient takes over
 * the durations' own unit. Null for plans in which every rank takes part in every step.
 */
export function orderedTimes(
  { seed, sync, worldSize }: Plan,
  share: number,
): (() => number) | null {
  if (sync.kind === 'backup') {
    const { backups, slowdowns, jitter } = sync;
    const steps = backupSteps(worldSize, backups, createDurations({ seed, slowdowns, jitter }));
    return () => share * steps.next().value.timeNs;
  }
  if (sync.kind !== 'async' && sync.kind !== 'ssp') return null;
  const { slowdowns, jitter } = sync;
  const updates = serverUpdates({
    worldSize,
    durationNs: createDurations({ seed, slowdowns, jitter }),
    count: gradientsAStep(sync, worldSize),
    bound: sync.kind === 'ssp' ? sync.bound : null,
  });
  return () => share * (updates.next().value.pushes.at(-1)?.timeNs ?? 0);
}
