/** @file When a series will cross a limit, if it goes on as it does, and how sure that is. */
import { median, theilSen, trendZ } from './robust.ts';

export interface Forecast {
  /** Steps from the last value until the limit is crossed, from 0 on. */
  readonly inSteps: number;
  /** Probability that the limit is crossed within the horizon, of the courses that fit. */
  readonly sureness: number;
}

export interface Limit {
  readonly value: number;
  /** Whether the danger lies above it. */
  readonly above: boolean;
  /** Steps to look ahead. */
  readonly horizon: number;
  /** Whether the series may come to rest on its way, as heat does; else it goes on straight. */
  readonly rests: boolean;
}

/** Values are brought together in so many medians, so that noise and cost are bounded. */
const BLOCKS = 16;
/** Mann and Kendall's deviations below which nothing goes anywhere. */
const TREND_Z = 4;
/** Courses to rest that are tried: the share of the distance that is left after the window. */
const LEFT_OVER = Array.from({ length: 32 }, (_, i) => 0.97 - 0.03 * i);
/** Neighbours err together, so that 16 blocks are worth so many. */
const INDEPENDENT = 10;
/** Courses are known no better than this, as a share of the range of the values. */
const LEAST_RESIDUAL = 0.01;

/**
 * The forecast of `values`, one a step, or null where they have no trend towards the limit, have
 * crossed it, or are more likely than not to stay within it up to the horizon. A straight line
 * (Theil and Sen's) and, where asked for, approaches to rest are weighted by how well they fit.
 */
export function forecast(values: readonly number[], limit: Limit): Forecast | null {
  const sign = limit.above ? 1 : -1;
  const ys = blocks(values).map((y) => sign * y);
  const goal = sign * limit.value;
  if (ys.length < BLOCKS || !ys.every(Number.isFinite)) return null;
  if (median(ys.slice(-3)) >= goal || sign * trendZ(values) < TREND_Z) return null;
  const size = values.length / BLOCKS;
  // The last value lies half a block behind the last block's middle.
  const now = BLOCKS - 1 + (1 - 1 / size) / 2;
  const courses = limit.rests
    ? [straight(ys), ...LEFT_OVER.map((left) => approach(ys, left))]
    : [straight(ys)];
  const atHorizon = now + limit.horizon / size;
  const least = LEAST_RESIDUAL * (Math.max(...ys) - Math.min(...ys));
  const weighed = courses.map((course) => {
    const residual = Math.max(course.residual, least);
    const error = residual * course.errorAt(atHorizon);
    return {
      weight: residual ** -INDEPENDENT,
      sureness: normalShare((course.at(atHorizon) - goal) / error),
      inSteps: Math.max(0, size * (course.until(goal) - now)),
    };
  });
  const whole = weighed.reduce((sum, { weight }) => sum + weight, 0);
  const sureness = weighed.reduce((sum, each) => sum + each.weight * each.sureness, 0) / whole;
  const inSteps = weightedMedian(weighed);
  return sureness >= 0.5 && inSteps <= limit.horizon ? { inSteps, sureness } : null;
}

function blocks(values: readonly number[]): number[] {
  if (values.length < BLOCKS) return [];
  return Array.from({ length: BLOCKS }, (_, block) => {
    const from = Math.floor((block * values.length) / BLOCKS);
    const until = Math.floor(((block + 1) * values.length) / BLOCKS);
    return median(values.slice(from, until));
  });
}

function weightedMedian(
  all: readonly { readonly weight: number; readonly inSteps: number }[],
): number {
  const sorted = all.toSorted((a, b) => a.inSteps - b.inSteps);
  let left = sorted.reduce((sum, { weight }) => sum + weight, 0) / 2;
  for (const { weight, inSteps } of sorted) {
    left -= weight;
    if (left <= 0) return inSteps;
  }
  return Number.POSITIVE_INFINITY;
}

interface Course {
  /** Root mean square of what is left over. */
  readonly residual: number;
  /** Deviation of the course at x, in residuals. */
  errorAt(x: number): number;
  at(x: number): number;
  /** The x at which a value is reached; infinite if never. */
  until(y: number): number;
}

function rms(ys: readonly number[], at: (x: number) => number): number {
  return Math.sqrt(ys.reduce((sum, y, x) => sum + (y - at(x)) ** 2, 0) / ys.length);
}

function straight(ys: readonly number[]): Course {
  const xs = ys.map((_, x) => x);
  const { slope, at } = theilSen(xs, ys);
  const until = (y: number) => (slope > 0 ? (y - at(0)) / slope : Number.POSITIVE_INFINITY);
  const middle = (ys.length - 1) / 2;
  const spread = (ys.length * (ys.length ** 2 - 1)) / 12;
  const errorAt = (x: number) => Math.sqrt(1 / ys.length + (x - middle) ** 2 / spread);
  return { residual: rms(ys, at), errorAt, at, until };
}

/** rest + (first - rest) e^(-x / t), with `left` = e^(-last / t); least squares of the other two. */
function approach(ys: readonly number[], left: number): Course {
  const rate = -Math.log(left) / (ys.length - 1);
  const decay = ys.map((_, x) => Math.exp(-rate * x));
  const mean = (all: readonly number[]): number => all.reduce((a, b) => a + b, 0) / all.length;
  const [meanX, meanY] = [mean(decay), mean(ys)];
  const covariance = ys.reduce((sum, y, x) => sum + (y - meanY) * (decay[x] - meanX), 0);
  const variance = decay.reduce((sum, x) => sum + (x - meanX) ** 2, 0);
  const slope = covariance / variance;
  const rest = meanY - slope * meanX;
  const at = (x: number) => rest + slope * Math.exp(-rate * x);
  const until = (y: number) =>
    slope < 0 && y < rest ? -Math.log((y - rest) / slope) / rate : Number.POSITIVE_INFINITY;
  // Courses that differ in `left` stand for what is not known of where it ends.
  return { residual: rms(ys, at), errorAt: () => 2, at, until };
}

/** The share of a normal distribution below z, by the logistic curve that is within 0.01 of it. */
const normalShare = (z: number): number => 1 / (1 + Math.exp(-1.702 * z));
