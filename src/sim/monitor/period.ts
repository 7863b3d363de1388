/** @file Pauses that come back at regular times, seen in compute times alone. */
import { deviation, median, theilSen } from './robust.ts';

/** A step is a spike that takes so much longer than usual, as a share and in deviations. */
const SPIKE_SHARE = 0.2;
const SPIKE_Z = 8;
const LEAST_SPIKES = 4;
/** Shorter periods, in steps, fit anything. */
const LEAST_PERIOD_STEPS = 3;
/** Spikes that must lie on the grid, and how far they may miss it, in steps. */
const FITTING_SHARE = 0.85;
const TOLERANCE_STEPS = 0.75;
/** Pauses are equally long: the spread of the excess, as a share. Edges of a step cut some short. */
const EXCESS_SPREAD = 0.35;

export interface Period {
  readonly periodNs: number;
  /** That a pause adds to the step it falls in. */
  readonly pauseNs: number;
  readonly spikes: number;
  /** Share of the spikes that the period explains. */
  readonly fit: number;
}

/**
 * The period of the pauses in steps that begin at `starts` and take `times`, or null. Pauses may
 * fall into waiting and go unseen, so distances are multiples of the period.
 */
export function periodOf(starts: readonly number[], times: readonly number[]): Period | null {
  const usual = median(times);
  const least = usual + Math.max(SPIKE_SHARE * usual, SPIKE_Z * deviation(times));
  const spikes = times.flatMap((time, i) => (time > least ? [i] : []));
  if (spikes.length < LEAST_SPIKES) return null;
  const excess = spikes.map((i) => times[i] - usual);
  if (deviation(excess) > EXCESS_SPREAD * median(excess)) return null;
  const middles = spikes.map((i) => starts[i] + times[i] / 2);
  const stepNs = (starts[starts.length - 1] - starts[0]) / (starts.length - 1);
  const turns = turnsOf(middles);
  const { slope: periodNs, at } = theilSen(turns, middles);
  if (!(periodNs >= LEAST_PERIOD_STEPS * stepNs)) return null;
  const near = middles.filter((middle, i) => {
    return Math.abs(middle - at(turns[i])) <= TOLERANCE_STEPS * stepNs;
  });
  const fit = near.length / middles.length;
  if (fit < FITTING_SHARE) return null;
  return { periodNs, pauseNs: median(excess), spikes: spikes.length, fit };
}

/** Periods since the first moment, where the shortest usual distance is one. */
function turnsOf(middles: readonly number[]): number[] {
  const gaps = middles.slice(1).map((middle, i) => middle - middles[i]);
  const shortest = Math.min(...gaps);
  const rough = median(gaps.filter((gap) => gap < 1.5 * shortest));
  let turn = 0;
  return [0, ...gaps.map((gap) => (turn += Math.round(gap / rough)))];
}
