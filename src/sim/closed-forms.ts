/** @file Times of homogeneous clusters without simulating them; tests hold both equal. */
import {
  binaryTreeSeconds,
  halvingDoublingSeconds,
  hierarchicalSeconds,
  ringSeconds,
  starSeconds,
} from '#core/collective-time';
import type { LinkCost } from '#core/schedule-cost';
import type { AllReduceName } from '#core/schedules';
import { type LoaderConfig, loaderPeriodNs } from './loader.ts';
import { backwardPieces, passWork, type StepJob } from './step-job.ts';
import { type Ns, ns, secondsToNs } from './time.ts';

/** Ranks on links of their own: ports within nodes, and a NIC each between them. */
export interface HomogeneousCluster {
  readonly worldSize: number;
  readonly ranksPerNode: number;
  readonly inner: LinkCost;
  readonly outer: LinkCost;
}

/**
 * An all-reduce of `bytes`, cut evenly. Null where no closed form holds: the double tree, trees and
 * halving-doubling for other numbers than powers of two, and flat algorithms over two kinds of link.
 */
export function allReduceNs(
  name: AllReduceName,
  cluster: HomogeneousCluster,
  bytes: number,
): Ns | null {
  const { worldSize, ranksPerNode, inner, outer } = cluster;
  const nodes = worldSize / ranksPerNode;
  if (name === 'hierarchical') {
    return secondsToNs(hierarchicalSeconds({ nodes, ranksPerNode, inner, outer }, bytes));
  }
  if (nodes > 1 && ranksPerNode > 1) return null;
  const seconds = flatSeconds(name, worldSize, bytes, nodes > 1 ? outer : inner);
  return seconds === null ? null : secondsToNs(seconds);
}

function flatSeconds(
  name: Exclude<AllReduceName, 'hierarchical'>,
  worldSize: number,
  bytes: number,
  link: LinkCost,
): number | null {
  const isPowerOfTwo = Number.isInteger(Math.log2(worldSize));
  switch (name) {
    case 'ring':
      return ringSeconds(worldSize, bytes, link);
    case 'star':
      return starSeconds(worldSize, bytes, link);
    case 'binary-tree':
      return isPowerOfTwo ? binaryTreeSeconds(worldSize, bytes, link) : null;
    case 'halving-doubling':
      return isPowerOfTwo ? halvingDoublingSeconds(worldSize, bytes, link) : null;
    case 'double-binary-tree':
      return null;
  }
}

/** end = fold(max(end, ready) + cost): collectives in a fixed order on one stream. */
export function streamEndNs(readyNs: readonly Ns[], costNs: readonly Ns[]): Ns {
  return ns(readyNs.reduce((end, ready, i) => Math.max(end, ready) + costNs[i], 0));
}

export interface StepTimes {
  readonly forwardNs: Ns;
  readonly backwardNs: Ns;
  /** What of the collectives is not hidden behind backward. */
  readonly exposedNs: Ns;
  readonly optimizerNs: Ns;
  /** The step from batch to batch: no shorter than the loader. */
  readonly totalNs: Ns;
}

/** A steady step of equal ranks; `collectiveNs` is the time of each bucket, codecs included. */
export function steadyStep(
  job: StepJob,
  collectiveNs: readonly Ns[],
  loader: LoaderConfig | null,
): StepTimes {
  const pass = passWork(job);
  const { untilReadyNs, restNs } = backwardPieces(job);
  const forwardNs = ns(job.microBatches * pass.forwardNs);
  let now = forwardNs + (job.microBatches - 1) * pass.backwardNs;
  const readyNs = untilReadyNs.map((piece) => {
    now += piece;
    return ns(now);
  });
  const computed = now + restNs;
  const exchanged = Math.max(computed, streamEndNs(readyNs, collectiveNs));
  const step = ns(exchanged + job.optimizerNs);
  return {
    forwardNs,
    backwardNs: ns(computed - forwardNs),
    exposedNs: ns(exchanged - computed),
    optimizerNs: job.optimizerNs,
    totalNs: loader === null ? step : loaderPeriodNs(loader, step),
  };
}
