/** @file Names the rank that holds the others up, or computes wrongly, and says what shows it. */
import { computeFaults } from './compute-faults.ts';
import { type Finding, othersOf } from './finding.ts';
import { deviation, median, theilSen, trendZ } from './robust.ts';
import type { RankSeries } from './series.ts';

export interface DetectorOptions {
  /** At which the device slows down, as its data sheet says; infinite where unknown. */
  readonly limitCelsius?: number;
}

const PRESENT_STEPS = 48;
const LEAST_STEPS = 16;
/** A port that takes so many times as long as its peers', by its data sheet. */
const SLOW_PORT = 1.2;
/** Share of the time spent waiting for data, and of the steps with such a wait. */
const STARVED_SHARE = 0.04;
const STARVED_STEPS = 0.1;
/** Norms that grew or fell by so much against the peers', as a natural logarithm. */
const DRIFT = Math.log(1.3);
/** In Mann and Kendall's deviations. */
const DRIFT_Z = 4.5;
/** And so many times what is left over, so that noise is none. */
const DRIFT_TO_NOISE = 1.5;
/** Steps' time after which a rank that has not come is taken for hung. */
const HUNG_STEPS = 5;

/** What the last steps show; of a rank and cause one finding at most. */
export function detect(series: RankSeries, options: DetectorOptions = {}): Finding[] {
  const { limitCelsius = Number.POSITIVE_INFINITY } = options;
  if (series.length === 0) return [];
  const ranks = Array.from({ length: series.worldSize }, (_, rank) => rank);
  return [
    ...computeFaults(series, limitCelsius),
    ...slowLinks(series, ranks),
    ...ranks.flatMap((rank) => slowLoader(series, rank) ?? []),
    ...sickGradients(series, ranks),
  ];
}

function slowLinks(series: RankSeries, ranks: readonly number[]): Finding[] {
  const slowness = ranks.map((rank) => median(series.last('portSlowness', rank, PRESENT_STEPS)));
  return ranks.flatMap((rank) => {
    const ratio = slowness[rank] / median(othersOf(slowness, rank));
    if (!(ratio >= SLOW_PORT)) return [];
    return { rank, cause: 'slowLink', evidence: { ratio, slowness: slowness[rank] } };
  });
}

/** Waits for data come in bursts where several loaders work, so sums tell and medians do not. */
function slowLoader(series: RankSeries, rank: number): Finding | null {
  if (series.length < LEAST_STEPS) return null;
  const waits = series.last('dataNs', rank, PRESENT_STEPS);
  const steps = series.last('stepNs', rank, PRESENT_STEPS);
  const usual = median(steps);
  const total = waits.reduce((sum, wait) => sum + Math.min(wait, usual), 0);
  const waitShare = total / steps.reduce((sum, step) => sum + step, 0);
  const stepShare = waits.filter((wait) => wait > 0).length / waits.length;
  if (!(waitShare >= STARVED_SHARE && stepShare >= STARVED_STEPS)) return null;
  const queue = median(series.last('queue', rank, PRESENT_STEPS));
  return { rank, cause: 'slowLoader', evidence: { waitShare, stepShare, queue } };
}

function sickGradients(series: RankSeries, ranks: readonly number[]): Finding[] {
  const norms = ranks.map((rank) => series.last('gradientNorm', rank));
  const newest = norms.map((each) => each.at(-1) ?? Number.NaN);
  // Where nobody's norm is known, nobody's is sick.
  if (newest.every(Number.isNaN)) return [];
  const step = series.steps(1)[0];
  return ranks.flatMap((rank): Finding | readonly Finding[] => {
    if (!Number.isFinite(newest[rank])) return { rank, cause: 'nanGradient', evidence: { step } };
    return drift(norms, rank) ?? [];
  });
}

/** The trend of a rank's norm over its peers' median; they all change as training goes on. */
function drift(norms: readonly (readonly number[])[], rank: number): Finding | null {
  if (norms[rank].length < LEAST_STEPS || norms.length < 3) return null;
  const ratios = norms[rank].map((norm, i) => {
    const peers = median(othersOf(norms, rank).map((each) => each[i]));
    return Math.log(norm / peers);
  });
  const known = ratios.filter(Number.isFinite);
  const { slope, residual } = theilSen(
    known.map((_, i) => i),
    known,
  );
  const change = slope * (known.length - 1);
  const z = trendZ(known);
  const isDrift =
    Math.abs(change) >= Math.max(DRIFT, DRIFT_TO_NOISE * residual) && Math.abs(z) >= DRIFT_Z;
  if (!isDrift) return null;
  const evidence = { ratio: Math.exp(median(known.slice(-LEAST_STEPS))), change, z };
  return { rank, cause: 'gradientDrift', evidence };
}

/** A collective that does not end: who has come to it, and for how long those have waited. */
export interface Stall {
  readonly arrived: readonly boolean[];
  readonly waitedNs: number;
}

/** Ranks that have not come to a collective in which the others wait for longer than steps take. */
export function findHung(series: RankSeries, { arrived, waitedNs }: Stall): Finding[] {
  const times = arrived.flatMap((_, rank) => series.last('stepNs', rank, PRESENT_STEPS));
  const usualNs = median(times);
  const limitNs = HUNG_STEPS * usualNs + HUNG_STEPS * deviation(times);
  if (!(waitedNs > limitNs) || !arrived.includes(true)) return [];
  const evidence = { waitedNs, usualNs, limitNs };
  return arrived.flatMap((came, rank) => (came ? [] : { rank, cause: 'hung', evidence }));
}

/** Ranks whose hash is not the one that more than half of all hold; nobody where none is. */
export function findDisagreeing(hashes: readonly string[]): Finding[] {
  const votes = new Map<string, number>();
  for (const hash of hashes) votes.set(hash, (votes.get(hash) ?? 0) + 1);
  for (const [winner, agreeing] of votes) {
    if (2 * agreeing <= hashes.length) continue;
    return hashes.flatMap((hash, rank) =>
      hash === winner
        ? []
        : { rank, cause: 'hashDisagrees', evidence: { agreeing, of: hashes.length } },
    );
  }
  return [];
}
