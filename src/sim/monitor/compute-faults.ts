/** @file Ranks whose compute is slow, and why: heat, pauses, jitter, or just slow. */
import { type Finding, othersOf } from './finding.ts';
import { periodOf } from './period.ts';
import { deviation, median, robustZ } from './robust.ts';
import type { RankSeries } from './series.ts';

/** Steps at the end of the window that say how a rank is now. */
const PRESENT_STEPS = 48;
/** Fewer steps say nothing. */
const LEAST_STEPS = 16;

/** So much slower than its peers, and that many of their deviations away, a rank is slow. */
const SLOW_RATIO = 1.12;
const SLOW_Z = 5;
/** Ranks are taken to differ by so much, as a share, where they differ less. */
const LEAST_SPREAD = 0.015;

/** A rank jitters whose spread is such a share of its time, and so many times its peers'. */
const JITTER_SPREAD = 0.06;
const JITTER_RATIO = 2.2;
const JITTER_STEPS = 96;

/** So much slower than at the start, and so near to the limit, a rank throttles. */
const THROTTLED_RATIO = 1.035;
const THROTTLED_Z = 4;
const NEAR_LIMIT_CELSIUS = 6;

/** One finding a rank at most: the cause that explains most. `limitCelsius` is the data sheet's. */
export function computeFaults(series: RankSeries, limitCelsius: number): Finding[] {
  if (series.length < LEAST_STEPS) return [];
  const ranks = Array.from({ length: series.worldSize }, (_, rank) => rank);
  const times = ranks.map((rank) => series.last('computeNs', rank, PRESENT_STEPS));
  const medians = times.map(median);
  const spreads = ranks.map((rank) => spreadOf(series.last('computeNs', rank, JITTER_STEPS)));
  return ranks.flatMap(
    (rank) =>
      throttling(series, rank, limitCelsius) ??
      hiccup(series, rank) ??
      jitter(spreads, rank) ??
      slow(medians, rank) ??
      [],
  );
}

/** Slower than when it was cool, and hot. */
function throttling(series: RankSeries, rank: number, limitCelsius: number): Finding | null {
  const now = series.last('computeNs', rank, PRESENT_STEPS);
  const cool = series.first('computeNs', rank);
  const celsius = median(series.last('celsius', rank, PRESENT_STEPS));
  const rise = celsius - median(series.first('celsius', rank));
  if (!(celsius > limitCelsius - NEAR_LIMIT_CELSIUS && rise > 0)) return null;
  const ratio = median(now) / median(cool);
  const error = deviation(cool) / Math.sqrt(cool.length);
  const z = (median(now) - median(cool)) / Math.max(error, LEAST_SPREAD * 0.5 * median(cool));
  if (ratio < THROTTLED_RATIO || z < THROTTLED_Z) return null;
  return {
    rank,
    cause: 'throttling',
    evidence: { ratioToCool: ratio, z, celsius, riseCelsius: rise, limitCelsius },
  };
}

function hiccup(series: RankSeries, rank: number): Finding | null {
  const found = periodOf(series.starts(rank), series.last('computeNs', rank));
  return found === null ? null : { rank, cause: 'hiccup', evidence: { ...found } };
}

/** Relative, of the differences of neighbours, so that a rank that became slow does not jitter. */
function spreadOf(times: readonly number[]): number {
  const differences = times.slice(1).map((time, i) => time - times[i]);
  return deviation(differences) / Math.SQRT2 / median(times);
}

function jitter(spreads: readonly number[], rank: number): Finding | null {
  const spread = spreads[rank];
  const usual = median(othersOf(spreads, rank));
  const ratio = spread / Math.max(usual, LEAST_SPREAD);
  if (spread < JITTER_SPREAD || ratio < JITTER_RATIO) return null;
  return { rank, cause: 'jitter', evidence: { spread, usualSpread: usual, ratio } };
}

function slow(medians: readonly number[], rank: number): Finding | null {
  const others = othersOf(medians, rank);
  const ratio = medians[rank] / median(others);
  const z = robustZ(medians[rank], others, LEAST_SPREAD * median(others));
  if (!(ratio >= SLOW_RATIO && z >= SLOW_Z)) return null;
  return { rank, cause: 'slowCompute', evidence: { ratio, z } };
}
