/** @file Statistics that a few wild values do not move: medians, their deviations, slopes. */

/** Of a normal distribution the median absolute deviation is the deviation over this. */
const MAD_TO_DEVIATION = 1.4826;

/** The middle value, or the mean of the middle two; NaN of nothing. NaN values are left out. */
export function median(values: Iterable<number>): number {
  const sorted = Float64Array.from(values)
    .filter((value) => !Number.isNaN(value))
    .sort();
  const middle = sorted.length >> 1;
  if (sorted.length === 0) return Number.NaN;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** 1.4826 x median |x - median|: the standard deviation where the values are normal. */
export function deviation(values: readonly number[]): number {
  const centre = median(values);
  return MAD_TO_DEVIATION * median(values.map((value) => Math.abs(value - centre)));
}

/**
 * How many deviations `value` lies above the median of `others`. `least` is the deviation to assume
 * where they are closer to each other than that.
 */
export function robustZ(value: number, others: readonly number[], least: number): number {
  return (value - median(others)) / Math.max(deviation(others), least);
}

export interface Line {
  /** Per x. */
  readonly slope: number;
  readonly at: (x: number) => number;
  /** Robust deviation of the values from the line. */
  readonly residual: number;
}

/** Theil and Sen's line: the median of the slopes of all pairs, and of what they leave over. */
export function theilSen(xs: readonly number[], ys: readonly number[]): Line {
  const slopes: number[] = [];
  for (let i = 0; i < xs.length; i++) {
    for (let j = i + 1; j < xs.length; j++) slopes.push((ys[j] - ys[i]) / (xs[j] - xs[i]));
  }
  const slope = slopes.length === 0 ? 0 : median(slopes);
  const offset = median(ys.map((y, i) => y - slope * xs[i]));
  const at = (x: number): number => offset + slope * x;
  return { slope, at, residual: deviation(ys.map((y, i) => y - at(xs[i]))) };
}

/** Mann and Kendall's test of a trend: about standard normal where there is none; ties count 0. */
export function trendZ(ys: readonly number[]): number {
  const n = ys.length;
  let sum = 0;
  for (let i = 0; i < n; i++) for (let j = i + 1; j < n; j++) sum += Math.sign(ys[j] - ys[i]);
  const variance = (n * (n - 1) * (2 * n + 5)) / 18;
  return variance === 0 ? 0 : (sum - Math.sign(sum)) / Math.sqrt(variance);
}
