/** @file Tells a hang from slowness: a rank has left, the others wait for it, and nothing moves. */
import type { Activity } from '#protocol/replica';
import type { ActiveRun } from './active-run.ts';
import type { HangEvent } from './log.ts';

/** Wall ms without any news from the ranks after which they count as stuck. */
const PATIENCE_MS = 2000;

/** The hang that a run is in, or null as long as some rank may still move. */
export function hangOf(
  { exhausted, completed }: Pick<ActiveRun, 'exhausted' | 'completed'>,
  activity: readonly Activity[],
): HangEvent | null {
  if (exhausted === null) return null;
  const { rank, step } = exhausted;
  const waiting = completed.flatMap((_, other) => (other === rank ? [] : [other]));
  const stuck = waiting.every((other) => {
    return completed[other] === step && activity[other] === 'communicating';
  });
  return stuck ? { type: 'hang', step, rank, waiting } : null;
}

export interface Watchdog {
  /** News came: patience begins anew. */
  feed(): void;
  stop(): void;
}

/** Calls `onSilence` when nothing was fed for two seconds of wall time, and again after as many. */
export function createWatchdog(onSilence: () => void): Watchdog {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const feed = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      feed();
      onSilence();
    }, PATIENCE_MS);
  };
  return { feed, stop: () => clearTimeout(timer) };
}
