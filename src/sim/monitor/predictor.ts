/** @file Warns before a rank crosses a limit: heat, slower steps, an empty queue, growing numbers. */
import { type Forecast, forecast } from './forecast.ts';
import { median } from './robust.ts';
import type { Quantity, RankSeries } from './series.ts';

export type Danger =
  /** The device will slow itself down. */
  | 'throttling'
  /** Compute will take longer than is allowed. */
  | 'slowing'
  /** The rank will wait for data. */
  | 'starving'
  /** The loss scale is on its way to where small gradients vanish. */
  | 'lossScaleFalls'
  /** The gradient is on its way to overflow. */
  | 'gradientGrows';

export interface Warning extends Forecast {
  readonly rank: number;
  readonly danger: Danger;
  /** The step at which the limit is expected to be crossed. */
  readonly step: number;
  readonly limit: number;
}

export interface PredictorOptions {
  /** At which the device slows down, as its data sheet says; infinite where unknown. */
  readonly limitCelsius?: number;
  /** Compute may take so many times as long as in the first steps. */
  readonly slowRatio?: number;
  readonly leastLossScale?: number;
  /** Norms may be so many times the first steps'. */
  readonly gradientRatio?: number;
  /** Steps to look ahead. */
  readonly horizon?: number;
  /** Warnings that are less sure are not given. */
  readonly leastSureness?: number;
}

/** The limits of the field: 1.2 times the step, a queue of less than one batch, a scale of 1. */
const DEFAULTS = {
  limitCelsius: Number.POSITIVE_INFINITY,
  slowRatio: 1.2,
  leastLossScale: 1,
  gradientRatio: 10,
  horizon: 128,
  leastSureness: 0.9,
};
const EMPTY_QUEUE = 0.5;
/** Forecasts look back so far: the long view is steadier, the short one sees what just began. */
const PAST_STEPS = [128, 64, 32];

interface Watch {
  readonly danger: Danger;
  readonly quantity: Quantity;
  readonly above: boolean;
  /** Whether it grows or falls by factors rather than by sums. */
  readonly byFactors: boolean;
  readonly limit: number;
}

/** What is expected of each rank within the horizon, the nearest first. */
export function predict(series: RankSeries, options: PredictorOptions = {}): Warning[] {
  const given = { ...DEFAULTS, ...options };
  const last = series.steps(1)[0];
  const warnings: Warning[] = [];
  for (let rank = 0; rank < series.worldSize; rank++) {
    for (const watch of watchesOf(series, rank, given)) {
      const expected = expectedOf(series, rank, watch, given.horizon);
      if (expected === null || expected.sureness < given.leastSureness) continue;
      const { danger, limit } = watch;
      const step = last + Math.ceil(expected.inSteps);
      warnings.push({ rank, danger, limit, step, ...expected });
    }
  }
  return warnings.sort((a, b) => a.step - b.step);
}

function watchesOf(series: RankSeries, rank: number, options: typeof DEFAULTS): Watch[] {
  const normal = (quantity: Quantity): number => median(series.first(quantity, rank));
  const watch = (
    danger: Danger,
    quantity: Quantity,
    limit: number,
    { above = true, byFactors = false } = {},
  ): Watch => ({ danger, quantity, limit, above, byFactors });
  return [
    watch('throttling', 'celsius', options.limitCelsius),
    watch('slowing', 'computeNs', options.slowRatio * normal('computeNs')),
    watch('starving', 'queue', EMPTY_QUEUE, { above: false }),
    watch('lossScaleFalls', 'lossScale', options.leastLossScale, { above: false, byFactors: true }),
    watch('gradientGrows', 'gradientNorm', options.gradientRatio * normal('gradientNorm'), {
      byFactors: true,
    }),
  ];
}

function expectedOf(
  series: RankSeries,
  rank: number,
  { quantity, above, byFactors, limit }: Watch,
  horizon: number,
): Forecast | null {
  if (!Number.isFinite(limit)) return null;
  const scaled = (value: number): number => (byFactors ? Math.log(value) : value);
  const rests = quantity === 'celsius';
  const views = PAST_STEPS.flatMap((steps) => {
    const past = series.last(quantity, rank, steps).map(scaled);
    return forecast(past, { value: scaled(limit), above, horizon, rests }) ?? [];
  });
  return views.reduce<Forecast | null>(
    (best, view) => (best !== null && best.sureness >= view.sureness ? best : view),
    null,
  );
}
