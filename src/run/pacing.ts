/** @file How far ahead the replicas may run without hearing from the conductor. */

const WINDOW_SECONDS = 0.2;
const MINIMUM_WINDOW = 2;
/** Wall ms between two measurements of the rate; the first, of a handful of steps, comes sooner. */
const MEASURED_MS = 50;
const FIRST_MS = 15;
/** Smoothing of the step rate: the weight of the newest measurement. */
const NEWEST = 0.3;
/** From this factor on a measurement is taken as it is: small windows hid how fast the ranks are. */
const LEAP = 2;

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
      if (elapsed < (rate === 0 ? FIRST_MS : MEASURED_MS)) return;
      const now = ((completed - last.completed) / elapsed) * 1000;
      rate = now > LEAP * rate ? now : rate + NEWEST * (now - rate);
      last = { completed, nowMs };
    },
    limit: (completed) => completed + Math.max(MINIMUM_WINDOW, Math.ceil(rate * WINDOW_SECONDS)),
    rate: () => rate,
    rest() {
      last = null;
    },
  };
}
