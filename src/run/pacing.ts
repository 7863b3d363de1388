/** @file How far ahead the replicas may run without hearing from the conductor. */

const WINDOW_SECONDS = 0.2;
const MINIMUM_WINDOW = 2;
/** Smoothing of the step rate: the weight of the newest measurement. */
const NEWEST = 0.3;

export interface Pacer {
  /** Tells the pacer how many steps the slowest rank has completed by now (wall ms). */
  observe(completed: number, nowMs: number): void;
  /** The limit to grant: a fifth of a second of steps ahead, at least two, so that Pause is quick. */
  limit(completed: number): number;
  /** Steps a second over the recent past; 0 before it is known. */
  rate(): number;
  /** Forgets the time that passes while the run is paused. */
  rest(): void;
}

export function createPacer(): Pacer {
  let rate = 0;
  let last: { completed: number; nowMs: number } | null = null;
  return {
    observe(completed, nowMs) {
      if (last === null) {
        last = { completed, nowMs };
        return;
      }
      const elapsed = nowMs - last.nowMs;
      if (elapsed < 50) return;
      const now = ((completed - last.completed) / elapsed) * 1000;
      rate = rate === 0 ? now : rate + NEWEST * (now - rate);
      last = { completed, nowMs };
    },
    limit: (completed) => completed + Math.max(MINIMUM_WINDOW, Math.ceil(rate * WINDOW_SECONDS)),
    rate: () => rate,
    rest() {
      last = null;
    },
  };
}
