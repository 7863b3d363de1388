/** @file The validation as numbers: rows, medians and the null models, for the document and its test. */
import { clusterOf } from './cluster-choice.ts';
import { bestCollective } from './collective-model.ts';
import type { SingleFigure } from './figure.ts';
import { COLLECTIVE_SERIES, type CollectiveSeries, parsePoints } from './measured-collectives.ts';
import { SCALING_SERIES, type ScalingSeries } from './measured-scaling.ts';
import { type ScalingPoint, scaleSeries } from './score-scaling.ts';
import { singleFigures } from './single-figures.ts';

export interface CollectiveRow {
  readonly series: CollectiveSeries;
  readonly points: readonly {
    readonly size: string;
    readonly measuredUs: number;
    readonly predictedUs: number;
    /** Relative. */
    readonly error: number;
  }[];
}

export interface ScalingRow {
  readonly series: ScalingSeries;
  readonly points: readonly ScalingPoint[];
}

/** Medians over points, relative errors but for overheads, which are shares of the first step. */
export interface Medians {
  readonly collectives: number;
  readonly scalingSteps: number;
  readonly overhead: number;
  readonly overheadOfPerfect: number;
  readonly overheadOfLinear: number;
  readonly singles: number;
  /** Collective times, steps and single figures together. */
  readonly all: number;
}

export interface Validation {
  readonly collectives: readonly CollectiveRow[];
  readonly scaling: readonly ScalingRow[];
  readonly singles: readonly SingleFigure[];
  readonly fitted: Medians;
  readonly leftOut: Medians;
}

/** Prices every published series. */
export function validate(): Validation {
  const collectives = COLLECTIVE_SERIES.map(collectiveRow);
  const scaling = SCALING_SERIES.map((series) => ({ series, points: scaleSeries(series) }));
  const singles = singleFigures();
  const medians = (fitted: boolean): Medians => {
    const times = collectives
      .filter((row) => row.series.fitted === fitted)
      .flatMap((row) => row.points);
    const steps = scaling
      .filter((row) => row.series.fitted === fitted)
      .flatMap((row) => row.points);
    const figures = singles.filter((row) => row.fitted === fitted);
    return mediansOf(
      times.map(({ error }) => Math.abs(error)),
      steps,
      figures.flatMap((each) => figureError(each) ?? []),
    );
  };
  return { collectives, scaling, singles, fitted: medians(true), leftOut: medians(false) };
}

/** |predicted / measured - 1|; null where nothing was predicted. */
export function figureError({ predicted, measured }: SingleFigure): number | null {
  return predicted === null ? null : Math.abs(predicted / measured - 1);
}

/** Relative error of a step's time. */
export function stepError({ predicted, measured }: ScalingPoint): number {
  return Math.abs((1 + predicted) / (1 + measured) - 1);
}

/** The middle value, or the mean of the two. NaN of an empty list. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length / 2;
  const [low = Number.NaN, high = low] = sorted.slice(Math.ceil(half) - 1, Math.floor(half) + 1);
  return (low + high) / 2;
}

function collectiveRow(series: CollectiveSeries): CollectiveRow {
  const cluster = clusterOf(series.cluster);
  const points = parsePoints(series.microseconds).map(({ size, bytes, seconds }) => {
    const { ranks, algorithm } = series;
    const price = bestCollective(cluster, ranks, 'all-reduce', bytes, algorithm);
    const [measuredUs, predictedUs] = [seconds * 1e6, price.seconds * 1e6];
    return { size, measuredUs, predictedUs, error: predictedUs / measuredUs - 1 };
  });
  return { series, points };
}

function mediansOf(
  times: readonly number[],
  steps: readonly ScalingPoint[],
  figures: readonly number[],
): Medians {
  const stepErrors = steps.map(stepError);
  return {
    collectives: median(times),
    scalingSteps: median(stepErrors),
    overhead: median(steps.map(({ predicted, measured }) => Math.abs(predicted - measured))),
    overheadOfPerfect: median(steps.map(({ measured }) => Math.abs(measured))),
    overheadOfLinear: median(steps.map(({ linear, measured }) => Math.abs(linear - measured))),
    singles: median(figures),
    all: median([...times, ...stepErrors, ...figures]),
  };
}
