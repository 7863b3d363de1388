/** @file Scores scaling series beside two null models. */
import { calibrated } from './calibrate.ts';
import { BYTES_PER_GB, type Cluster, layoutOf, US } from './cluster.ts';
import { clusterOf } from './cluster-choice.ts';
import type { ScalingSeries } from './measured-scaling.ts';
import { type StepJob, stepPrice } from './step-model.ts';
import { parameterCount } from './workloads.ts';

export interface ScalingPoint {
  readonly ranks: number;
  /** Seconds a sample and rank over those of the first point, less one. */
  readonly measured: number;
  readonly predicted: number;
  /** One latency and one bandwidth, nothing hidden. */
  readonly linear: number;
}

/** Overheads of every point after the first. */
export function scaleSeries(series: ScalingSeries): readonly ScalingPoint[] {
  const cluster = clusterOf({ preset: series.preset });
  const [first, ...others] = series.points;
  if (first === undefined) return [];
  const [ranks0] = first;
  const job0 = jobAt(series, ranks0);
  const seconds0 = stepSeconds(series, first, job0);
  const { computeScale } = calibrated(cluster, ranks0, job0, seconds0);
  const price = (ranks: number) => {
    const job = { ...jobAt(series, ranks), computeScale };
    return stepPrice(cluster, ranks, job).stepSeconds / samplesOf(job);
  };
  const measured0 = seconds0 / samplesOf(job0);
  const linear0 = linearSeconds(cluster, ranks0, job0);
  return others.map((point) => {
    const [ranks] = point;
    const job = jobAt(series, ranks);
    const measured = stepSeconds(series, point, job) / samplesOf(job);
    const linear = linearSeconds(cluster, ranks, job) / samplesOf(job) - linear0 / samplesOf(job0);
    return {
      ranks,
      measured: measured / measured0 - 1,
      predicted: price(ranks) / measured0 - 1,
      linear: linear / measured0,
    };
  });
}

/** Samples of one rank in a step. */
const samplesOf = ({ batchPerRank, microBatches }: StepJob): number => batchPerRank * microBatches;

function jobAt({ job, globalBatch }: ScalingSeries, ranks: number): StepJob {
  if (globalBatch === undefined) return job;
  const microBatches = Math.max(1, Math.round(globalBatch / ranks / job.batchPerRank));
  return { ...job, microBatches };
}

function stepSeconds(
  series: ScalingSeries,
  [ranks, value]: readonly [number, number],
  job: StepJob,
) {
  if (series.measured === 'step') return value;
  const perRank = series.measured === 'throughput' ? value / ranks : value;
  return samplesOf(job) / perRank;
}

/** 2(N-1) a + 2(N-1)/N S/B on the narrowest link a device has, behind the compute. */
function linearSeconds(cluster: Cluster, ranks: number, job: StepJob): number {
  const { nodes } = layoutOf(cluster, ranks);
  const outer = (cluster.nicsPerNode * cluster.nicGbps) / 8;
  const [hopUs, gigabytes] =
    nodes > 1 ? [cluster.networkSimpleUs, outer] : [cluster.intraSimpleUs, cluster.intraGBps];
  const bytes = parameterCount(job.workload) * job.gradientBytes * (job.sharded ? 1.5 : 1);
  const hops = 2 * (ranks - 1);
  return hops * hopUs * US + ((hops / ranks) * bytes) / (gigabytes * BYTES_PER_GB);
}
