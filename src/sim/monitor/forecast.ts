/** @file When a series will cross a limit, if it goes on as it does, and how sure that is. */
import { median, theilSen, trendZ } from './robust.ts';

export interface Forecast {
  /** Steps from the last value until the limit is crossed, from 0 on. */
  readonly inSteps: number;
  /** Where the series would come to rest; infinite where it grows without bound. */
  readonly restsAt: number;
  /** Share of the deviations of the fit that leave the limit crossed within the horizon. */
  readonly sureness: number;
}

export interface Limit {
  readonly value: number;
  /** Whether the danger lies above it. */
  readonly above: boolean;
  /** Steps to look ahead. */
  readonly horizon: number;
}

/** Values are brought together in so many medians, so that noise and cost are bounded. */
const BLOCKS = 16;
/** Mann and Kendall's deviations below which nothing goes anywhere; 16 ascending blocks have 5.4. */
const TREND_Z = 3.5;
/** Rates of approach that are tried, as a share of the distance that is left after the window. */
const LEFT_OVER = [0.03, 0.05, 0.08, 0.12, 0.18, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.92];

/**
 * The forecast of `values`, one a step, or null where they have no trend towards the limit, have
 * crossed it, or are not expected to within the horizon. Of a straight line (Theil and Sen's) and an
 * approach to rest, as of heat, the one that leaves less over is taken.
 */
export function forecast(values: readonly number[], limit: Limit): Forecast | null {
  const sign = limit.above ? 1 : -1;
  const ys = blocks(values).map((y) => sign * y);
  const size = values.length / BLOCKS;
  const goal = sign * limit.value;
  if (ys.length < BLOCKS || !ys.every(Number.isFinite)) return null;
  if (ys[BLOCKS - 1] >= goal || trendZ(ys) < TREND_Z) return null;
  const fit = bestFit(ys);
  const inBlocks = fit.until(goal) - (BLOCKS - 1) - 0.5;
  const inSteps = Math.max(0, inBlocks * size);
  if (!(inSteps <= limit.horizon)) return null;
  const atHorizon = fit.at(BLOCKS - 0.5 + limit.horizon / size);
  const sureness = normalShare((atHorizon - goal) / Math.max(fit.error, 1e-9 * Math.abs(goal)));
  return { inSteps, restsAt: sign * fit.rest, sureness };
}

function blocks(values: readonly number[]): number[] {
  if (values.length < BLOCKS) return [];
  return Array.from({ length: BLOCKS }, (_, block) => {
    const from = Math.floor((block * values.length) / BLOCKS);
    const until = Math.floor(((block + 1) * values.length) / BLOCKS);
    return median(values.slice(from, until));
  });
}

interface Fit {
  /** Root mean square of what is left over. */
  readonly residual: number;
  /** Of the value at the horizon, about. */
  readonly error: number;
  readonly rest: number;
  at(x: number): number;
  /** The x at which a value is reached; infinite if never. */
  until(y: number): number;
}

function bestFit(ys: readonly number[]): Fit {
  const fits = [straight(ys), ...LEFT_OVER.map((left) => approach(ys, left))];
  return fits.reduce((best, fit) => (fit.residual < best.residual ? fit : best));
}

const rms = (errors: readonly number[]): number =>
  Math.sqrt(errors.reduce((sum, error) => sum + error * error, 0) / errors.length);

function straight(ys: readonly number[]): Fit {
  const xs = ys.map((_, x) => x);
  const { slope, at } = theilSen(xs, ys);
  const residual = rms(ys.map((y, x) => y - at(x)));
  const rest = slope > 0 ? Number.POSITIVE_INFINITY : at(0);
  const until = (y: number) => (slope > 0 ? (y - at(0)) / slope : Number.POSITIVE_INFINITY);
  return { residual, error: 2 * residual, rest, at, until };
}

/** rest + (first - rest) e^(-x / t), with `left` = e^(-last / t); least squares of the other two. */
function approach(ys: readonly number[], left: number): Fit {
  const rate = -Math.log(left) / (ys.length - 1);
  const decay = ys.map((_, x) => Math.exp(-rate * x));
  const [meanX, meanY] = [decay, ys].map((all) => all.reduce((a, b) => a + b, 0) / ys.length);
  const covariance = ys.reduce((sum, y, i) => sum + (y - meanY) * (decay[i] - meanX), 0);
  const variance = decay.reduce((sum, x) => sum + (x - meanX) ** 2, 0);
  const slope = covariance / variance;
  const rest = meanY - slope * meanX;
  const at = (x: number) => rest + slope * Math.exp(-rate * x);
  const residual = rms(ys.map((y, x) => y - at(x)));
  const until = (y: number) =>
    slope < 0 && y < rest ? -Math.log((y - rest) / slope) / rate : Number.POSITIVE_INFINITY;
  // The less of the way is behind, the less is known of where it ends.
  return { residual, error: (2 * residual) / (1 - left), rest, at, until };
}

/** The share of a normal distribution below z, by the logistic curve that is within 0.01 of it. */
const normalShare = (z: number): number => 1 / (1 + Math.exp(-1.702 * z));
