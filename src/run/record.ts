/** @file From merged reports to what the log, the page and the run's fate take from them. */
import type { Plan } from '#core/plan';
import type { RunClock } from '#sim/run-clock';
import { disagreement, evalEvent, stepEvent, wallRecord } from './assemble.ts';
import type { LogEvent, WallRecord } from './log.ts';
import type { Merged } from './merge.ts';
import { failureOf, nonFiniteFailure } from './run-failure.ts';
import type { Failure } from './service.ts';

export interface Recorded {
  readonly events: readonly LogEvent[];
  readonly wall: readonly WallRecord[];
  /** Set where the run cannot go on. */
  readonly ending: { readonly reason: 'nonFinite' | 'failed'; readonly failure: Failure } | null;
}

/** `elapsedMs` of wall time is shared out evenly to the step records in `merged`. */
export function recordMerged(
  plan: Plan,
  merged: readonly Merged[],
  elapsedMs: number,
  clock: RunClock,
): Recorded {
  const events: LogEvent[] = [];
  const wall: WallRecord[] = [];
  let ending: Recorded['ending'] = null;
  const records = merged.filter((entry) => entry.type === 'step').length;
  for (const entry of merged) {
    switch (entry.type) {
      case 'step': {
        events.push(stepEvent(plan, entry.perRank, clock));
        const differ = disagreement(entry.perRank);
        if (differ !== null) events.push(differ);
        events.push(...clock.news());
        wall.push(wallRecord(entry.perRank, elapsedMs / records));
        break;
      }
      case 'eval':
        events.push(evalEvent(entry.perRank));
        break;
      case 'fallback':
        events.push(entry);
        break;
      // Nothing for the log yet: only once the others have stopped moving is it a hang.
      case 'exhausted':
        break;
      case 'nonFinite':
        events.push(entry);
        ending = { reason: 'nonFinite', failure: nonFiniteFailure(entry.step, entry.ranks) };
        break;
      case 'failed': {
        const error = new Error(`rank ${entry.rank}, step ${entry.step}: ${entry.reason}`);
        ending = { reason: 'failed', failure: failureOf(error) };
        break;
      }
    }
  }
  return { events, wall, ending };
}
