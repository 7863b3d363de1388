/** @file What a request asks: the price of a collective, a step, an experiment, or failures. */

import type { CompressionConfig } from '#core/compression/config';
import { breakEvenRatio } from '#core/compression/wire-bytes';
import { calibrated } from './calibrate.ts';
import { type Cluster, layoutOf } from './cluster.ts';
import type { Algorithm, Collective } from './collective-job.ts';
import { bestCollective, collectivePrices } from './collective-model.ts';
import type { Precision } from './compute-model.ts';
import { experimentJob } from './experiment-job.ts';
import { checkpointBytes, goodput } from './goodput.ts';
import { gradientCodec, PLAIN } from './gradient-codec.ts';
import { PLAIN_STEP, type StepJob, stepPrice } from './step-model.ts';
import type { WhatIfRequest } from './what-if-request.ts';
import { uniformWorkload, WORKLOADS } from './workloads.ts';

export interface CollectiveWish {
  readonly kind?: Collective;
  readonly bytes: number | readonly number[];
  readonly algorithm?: Algorithm | 'auto';
}

export interface CustomWorkload {
  readonly parameters: number;
  readonly forwardFlops: number;
  readonly layers?: number;
  readonly tensors?: number;
  readonly trafficBytes?: number;
  readonly imbalance?: number;
}

export interface StepWish {
  readonly workload: keyof typeof WORKLOADS | CustomWorkload;
  readonly precision?: Precision;
  /** Of one micro-batch; with a global batch, the most that a rank computes at a time. */
  readonly batchPerRank?: number;
  readonly globalBatch?: number;
  readonly microBatches?: number;
  readonly reductions?: number;
  readonly firstMiB?: number;
  readonly capMiB?: number;
  readonly gradientBytes?: number;
  readonly overlap?: boolean;
  readonly sharded?: boolean;
  readonly recompute?: boolean;
  readonly wrapped?: boolean;
  readonly algorithm?: Algorithm | 'auto';
  readonly computeScale?: number;
  readonly compression: CompressionConfig;
  /** One measured step that the device's compute is fitted to. */
  readonly calibrate?: { readonly ranks: number; readonly stepMs: number };
}

export interface GoodputWish {
  readonly parameters?: number;
  readonly checkpointSeconds?: number;
  readonly restartSeconds?: number;
  readonly intervalSeconds?: number;
}

const BYTES_PER_MIB = 2 ** 20;
const DEFAULT_RESTART_SECONDS = 600;

/** A plain value to print. Throws RangeError where a calibration cannot be met. */
export function answerWhatIf(request: WhatIfRequest): Readonly<Record<string, unknown>> {
  const { cluster, collective, step, experiment, goodput: failures } = request;
  const devices = cluster.nodes * cluster.gpusPerNode;
  const ranks = request.ranks ?? doublings(Math.min(devices, step?.globalBatch ?? devices));
  return {
    cluster,
    ...(collective && {
      collective: ranks.flatMap((count) => collectiveAnswers(cluster, count, collective)),
    }),
    ...(step && { step: curve(cluster, ranks, stepJobs(cluster, step)) }),
    ...(step &&
      step.compression.kind !== 'none' && {
        compression: compressionAnswers(cluster, ranks, step),
      }),
    ...(experiment && { experiment: curve(cluster, ranks, () => experimentJob(experiment)) }),
    ...(failures && { goodput: ranks.map((gpus) => goodputAnswer(cluster, gpus, failures)) }),
  };
}

/** 1, 2, 4 ... and the most itself. */
export function doublings(most: number): readonly number[] {
  const powers = Array.from({ length: Math.floor(Math.log2(most)) + 1 }, (_, index) => 2 ** index);
  return powers.at(-1) === most ? powers : [...powers, most];
}

function collectiveAnswers(cluster: Cluster, ranks: number, wish: CollectiveWish) {
  const { kind = 'all-reduce', algorithm = 'auto' } = wish;
  return [wish.bytes].flat().map((bytes) => {
    const best = bestCollective(cluster, ranks, kind, bytes, algorithm);
    const { nodes } = layoutOf(cluster, ranks);
    const alternatives = collectivePrices(cluster, ranks, kind, bytes).map((each) => ({
      algorithm: each.algorithm,
      protocol: each.protocol,
      us: each.seconds * 1e6,
    }));
    return {
      kind,
      ranks,
      nodes,
      bytes,
      us: best.seconds * 1e6,
      busGBps: best.busGBps,
      algorithm: best.algorithm,
      protocol: best.protocol,
      split: {
        latencyUs: best.latencySeconds * 1e6,
        transferUs: best.transferSeconds * 1e6,
        overheadUs: best.overheadSeconds * 1e6,
      },
      alternatives,
    };
  });
}

type JobAt = (ranks: number) => StepJob;

/** Steps by ranks, with the speed-up over one rank and the efficiency, which is that over N. */
function curve(cluster: Cluster, ranks: readonly number[], jobAt: JobAt) {
  const alone = stepPrice(cluster, 1, jobAt(1)).samplesPerSecond;
  return ranks.map((count) => {
    const job = jobAt(count);
    const price = stepPrice(cluster, count, job);
    const { compute, framework, contention, exposedCommunication, straggling, input } = price.split;
    return {
      ranks: count,
      nodes: layoutOf(cluster, count).nodes,
      batchPerRank: job.batchPerRank,
      microBatches: job.microBatches,
      stepMs: price.stepSeconds * 1e3,
      split: {
        computeMs: compute * 1e3,
        frameworkMs: framework * 1e3,
        contentionMs: contention * 1e3,
        exposedCommunicationMs: exposedCommunication * 1e3,
        stragglingMs: straggling * 1e3,
        inputMs: input * 1e3,
      },
      communicationMs: price.communicationSeconds * 1e3,
      overlap: price.overlap,
      samplesPerSecond: price.samplesPerSecond,
      speedUp: price.samplesPerSecond / alone,
      efficiency: price.samplesPerSecond / alone / count,
      mfu: price.mfu,
    };
  });
}

/** The job at each number of ranks: a global batch is shared, in micro-batches of at most batchPerRank. */
function stepJobs(cluster: Cluster, wish: StepWish): JobAt {
  const base = stepJob(wish);
  const jobAt = (ranks: number): StepJob => {
    if (wish.globalBatch === undefined) return base;
    const share = wish.globalBatch / ranks;
    const microBatches = Math.ceil(share / (wish.batchPerRank ?? share));
    return { ...base, microBatches, batchPerRank: share / microBatches };
  };
  if (wish.calibrate === undefined) return jobAt;
  const { ranks, stepMs } = wish.calibrate;
  const { computeScale } = calibrated(cluster, ranks, jobAt(ranks), stepMs / 1e3);
  return (count) => ({ ...jobAt(count), computeScale });
}

function stepJob(wish: StepWish): StepJob {
  const { workload, firstMiB, capMiB, calibrate: _, globalBatch: __, compression, ...given } = wish;
  const { firstBytes, capBytes } = PLAIN_STEP.buckets;
  return {
    ...PLAIN_STEP,
    batchPerRank: 1,
    ...given,
    workload: typeof workload === 'string' ? WORKLOADS[workload] : uniformWorkload(workload),
    buckets: {
      firstBytes: firstMiB === undefined ? firstBytes : firstMiB * BYTES_PER_MIB,
      capBytes: capMiB === undefined ? capBytes : capMiB * BYTES_PER_MIB,
    },
    codec: gradientCodec(compression),
  };
}

/** The same step without compression, and where compression begins to pay. */
function compressionAnswers(cluster: Cluster, ranks: readonly number[], wish: StepWish) {
  const jobAt = stepJobs(cluster, wish);
  return ranks.map((count) => {
    const job = jobAt(count);
    const seconds = (codec: StepJob['codec'], at: Cluster = cluster) =>
      stepPrice(at, count, { ...job, codec }).stepSeconds;
    const gain = (nicGbps: number) => {
      const slower = { ...cluster, nicGbps };
      return seconds(PLAIN, slower) - seconds(job.codec, slower);
    };
    return {
      ranks: count,
      plainMs: seconds(PLAIN) * 1e3,
      compressedMs: seconds(job.codec) * 1e3,
      breakEvenRatio: count === 1 ? null : breakEvenRatio(count),
      breakEvenNicGbps: layoutOf(cluster, count).nodes === 1 ? null : crossing(gain),
    };
  });
}

const SLOWEST_GBPS = 0.001;
const FASTEST_GBPS = 10_000;

/** The NIC rate below which `gain` is positive; null where it is so nowhere or everywhere. */
function crossing(gain: (nicGbps: number) => number): number | null {
  let [low, high] = [SLOWEST_GBPS, FASTEST_GBPS];
  if (gain(low) <= 0 || gain(high) >= 0) return null;
  for (let step = 0; step < 50; step++) {
    const middle = Math.sqrt(low * high);
    if (gain(middle) > 0) low = middle;
    else high = middle;
  }
  return Math.sqrt(low * high);
}

function goodputAnswer(cluster: Cluster, gpus: number, wish: GoodputWish) {
  const bytes = checkpointBytes(wish.parameters ?? 0);
  const checkpointSeconds = wish.checkpointSeconds ?? bytes / (cluster.storageGBps * 1e9);
  const restartSeconds = wish.restartSeconds ?? DEFAULT_RESTART_SECONDS;
  const { mtbfHoursPerGpu } = cluster;
  const answer = goodput(
    { mtbfHoursPerGpu, gpus, checkpointSeconds, restartSeconds },
    wish.intervalSeconds,
  );
  return { gpus, checkpointBytes: bytes, checkpointSeconds, restartSeconds, ...answer };
}
