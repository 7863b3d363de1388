/** @file Wall time of the steps since the last record, by what it was spent on. */

export interface StepTimes {
  computeMs: number;
  communicateMs: number;
  updateMs: number;
}

export interface StepClock {
  /** Time passes from here on; what went before counts as nothing. */
  start(): void;
  /** Everything since the last call was spent on this. */
  lap(what: keyof StepTimes): void;
  /** The sums since the last call. */
  take(): Readonly<StepTimes>;
}

export function createStepClock(now: () => number): StepClock {
  const times: StepTimes = { computeMs: 0, communicateMs: 0, updateMs: 0 };
  let lastMs = 0;
  return {
    start() {
      lastMs = now();
    },
    lap(what) {
      const nowMs = now();
      times[what] += nowMs - lastMs;
      lastMs = nowMs;
    },
    take() {
      const taken = { ...times };
      Object.assign(times, { computeMs: 0, communicateMs: 0, updateMs: 0 });
      return taken;
    },
  };
}
