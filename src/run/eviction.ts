/** @file Ranks whose numbers are wrong are sent away, where it is plain which ones these are. */
import { type Fault, isSilent } from '#core/faults';
import type { ActiveRun } from './active-run.ts';
import type { LogEvent } from './log.ts';
import type { Loss } from './losses.ts';

export interface Sick {
  /** Of the event that shows it; what the ranks did after it does not count. */
  readonly index: number;
  readonly loss: Loss;
}

/**
 * Looks at what is about to be recorded for ranks to send away: a minority whose weights differ from
 * those that most agree on, or ranks whose gradient a scheduled fault made NaN. A loss that became
 * NaN by itself would do so again, and ends the run.
 */
export function findSick(run: ActiveRun, events: readonly LogEvent[]): Sick | null {
  if (run.plan === null || run.plan.recovery.policy === 'stop') return null;
  for (const [index, event] of events.entries()) {
    if (event.type === 'nonFinite') {
      if (!isScheduled(run, event.step, event.ranks)) return null;
      // A flip of this step would have come after the gradient: it is still to come.
      forget(run, ({ kind, step }) => kind === 'nan' && step <= event.step);
      const loss = { kind: 'nan', ranks: event.ranks, cause: 'found', step: event.step } as const;
      return { index, loss };
    }
    if (event.type === 'disagreement') {
      const ranks = minority(event.weightsHash);
      if (ranks === null) return null;
      return { index, loss: { kind: 'flip', ranks, cause: 'found', step: event.step + 1 } };
    }
    if (event.type === 'step' && event.synchronised) {
      // By now it has shown, or there was no such rank.
      forget(run, ({ kind, step }) => isSilent(kind) && step <= event.step);
      if (events[index + 1]?.type !== 'disagreement') run.agreed = event.step + 1;
    }
  }
  return null;
}

function isScheduled({ faults, plan }: ActiveRun, step: number, ranks: readonly number[]): boolean {
  if (ranks.length >= (plan?.worldSize ?? 0)) return false;
  const due = faults.filter((fault) => fault.kind === 'nan' && fault.step === step);
  return ranks.every((rank) => due.some((fault) => fault.ranks.includes(rank)));
}

/** What was done to a rank by schedule is not done again to the one that takes its number. */
function forget(run: ActiveRun, isOver: (fault: Fault) => boolean): void {
  if (run.faults.some(isOver)) run.faults = run.faults.filter((fault) => !isOver(fault));
}

/** The ranks that do not hold what more than half of all hold; null where no hash has so many. */
function minority(hashes: readonly string[]): readonly number[] | null {
  const votes = new Map<string, number>();
  for (const hash of hashes) votes.set(hash, (votes.get(hash) ?? 0) + 1);
  const [winner, count = 0] = [...votes].sort(([, a], [, b]) => b - a)[0] ?? [];
  if (2 * count <= hashes.length) return null;
  return hashes.flatMap((hash, rank) => (hash === winner ? [] : [rank]));
}
