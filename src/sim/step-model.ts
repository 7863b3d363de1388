/**
 * @file One training step on a cluster and where its time goes, in closed form: compute, what DDP
 * itself costs, communication that backward does not hide, what hidden communication takes from the
 * kernels beside it, and waiting for the slowest rank.
 */
import type { BucketConfig } from '#core/plan';
import { type Cluster, layoutOf, US } from './cluster.ts';
import type { Algorithm } from './collective-job.ts';
import { bestCollective } from './collective-model.ts';
import {
  copySeconds,
  type LayerTimes,
  layerTimes,
  type Precision,
  peakFlops,
  updateSeconds,
} from './compute-model.ts';
import { type GradientCodec, PLAIN } from './gradient-codec.ts';
import { shardedTimes } from './sharded-step.ts';
import { expectedMaximum } from './stragglers.ts';
import { forwardFlops, parameterCount, type Workload } from './workloads.ts';

export interface StepJob {
  readonly workload: Workload;
  readonly precision: Precision;
  /** Samples that a rank computes at a time. */
  readonly batchPerRank: number;
  /** Micro-batches before the gradients are reduced (DDP's no_sync). */
  readonly microBatches: number;
  readonly buckets: BucketConfig;
  /** Reductions a step: one, each micro-batch's without no_sync, less than one for local SGD. */
  readonly reductions: number;
  /** Bytes of one gradient element on the way. */
  readonly gradientBytes: number;
  /** Whether buckets are sent while backward runs. */
  readonly overlap: boolean;
  /** Whether weights, gradients and moments are sharded and layers gathered (ZeRO 3, FSDP). */
  readonly sharded: boolean;
  readonly recompute: boolean;
  readonly algorithm: Algorithm | 'auto';
  readonly codec: GradientCodec;
  /** Whether one rank alone pays what DDP costs; it does when it is wrapped. */
  readonly wrapped: boolean;
  /** Measured over modelled compute; 1 where nothing was measured. */
  readonly computeScale: number;
}

/** Reasonable for DDP in fp32: buckets of 1 and 25 MiB, overlap. */
export const PLAIN_STEP = {
  precision: 'fp32',
  microBatches: 1,
  reductions: 1,
  buckets: { firstBytes: 2 ** 20, capBytes: 25 * 2 ** 20 },
  gradientBytes: 4,
  overlap: true,
  sharded: false,
  recompute: false,
  algorithm: 'auto',
  codec: PLAIN,
  wrapped: false,
  computeScale: 1,
} as const satisfies Omit<StepJob, 'workload' | 'batchPerRank'>;

/** Seconds; the parts of `split` add up to `stepSeconds`. */
export interface StepPrice {
  readonly stepSeconds: number;
  readonly split: {
    readonly compute: number;
    /** Hooks, bucket copies, encoding. */
    readonly framework: number;
    /** Kernels slowed by communication beside them. */
    readonly contention: number;
    readonly exposedCommunication: number;
    readonly straggling: number;
    readonly input: number;
  };
  readonly communicationSeconds: number;
  /** Share of communication that backward hides [HTA]. */
  readonly overlap: number;
  readonly samplesPerSecond: number;
  /** Model FLOPs over peak. */
  readonly mfu: number;
}

/** What one way to communicate makes of a step. */
export interface Exchange {
  readonly communicationSeconds: number;
  readonly exposedSeconds: number;
  readonly frameworkSeconds: number;
}

/** A step of `ranks` ranks. Throws RangeError if the cluster has fewer devices. */
export function stepPrice(cluster: Cluster, ranks: number, job: StepJob): StepPrice {
  const samples = job.batchPerRank;
  const layers = layerTimes(cluster, { ...job, samples }).map((times) => scaled(times, job));
  const shards = job.sharded ? ranks : 1;
  const pass = layers.reduce((sum, each) => sum + each.forwardSeconds + each.backwardSeconds, 0);
  const update = job.computeScale * updateSeconds(cluster, job.workload, shards);
  const compute = job.microBatches * pass + update;
  const { communicationSeconds, exposedSeconds, frameworkSeconds } = job.sharded
    ? shardedTimes(cluster, ranks, job, layers)
    : times(replicatedTimes(cluster, ranks, job, layers), job.reductions);
  const contention = contentionOf(cluster) * (communicationSeconds - exposedSeconds);
  const straggling = compute * deviation(cluster, job) * expectedMaximum(ranks);
  const busy = compute + frameworkSeconds + contention + exposedSeconds + straggling;
  const input = inputSeconds(cluster, ranks, samples * job.microBatches, busy);
  const stepSeconds = busy + input;
  const rankSamples = samples * job.microBatches;
  return {
    stepSeconds,
    split: {
      compute,
      framework: frameworkSeconds,
      contention,
      exposedCommunication: exposedSeconds,
      straggling,
      input,
    },
    communicationSeconds,
    overlap: communicationSeconds > 0 ? 1 - exposedSeconds / communicationSeconds : 0,
    samplesPerSecond: (ranks * rankSamples) / stepSeconds,
    mfu:
      (3 * forwardFlops(job.workload) * rankSamples) /
      stepSeconds /
      peakFlops(cluster, job.precision),
  };
}

function times(exchange: Exchange, reductions: number): Exchange {
  return {
    communicationSeconds: exchange.communicationSeconds * reductions,
    exposedSeconds: exchange.exposedSeconds * reductions,
    frameworkSeconds: exchange.frameworkSeconds * reductions,
  };
}

function scaled(times: LayerTimes, { computeScale }: StepJob): LayerTimes {
  const { layer, forwardSeconds, backwardSeconds } = times;
  return {
    layer,
    forwardSeconds: forwardSeconds * computeScale,
    backwardSeconds: backwardSeconds * computeScale,
  };
}

/** Devices differ for good; unequal samples differ anew in every micro-batch. */
function deviation(cluster: Cluster, { workload, microBatches }: StepJob): number {
  return Math.hypot(cluster.variation, workload.imbalance / Math.sqrt(microBatches));
}

/** Gloo adds on the CPU and leaves the device alone. */
const contentionOf = ({ library, contention }: Cluster): number =>
  library === 'gloo' ? 0 : contention;

/** With a queue the loader works beside the step and only its excess is waited for. */
function inputSeconds(cluster: Cluster, ranks: number, samples: number, busy: number): number {
  if (cluster.loaderSamplesPerSecond === 0) return 0;
  const { perNode } = layoutOf(cluster, ranks);
  const load = (perNode * samples) / cluster.loaderSamplesPerSecond;
  return cluster.loaderPrefetch === 0 ? load : Math.max(0, load - busy);
}

/** DDP: buckets in backward order on one stream, end = fold(max(t, ready) + c). */
function replicatedTimes(
  cluster: Cluster,
  ranks: number,
  job: StepJob,
  layers: readonly LayerTimes[],
): Exchange {
  const isAlone = ranks === 1;
  if (isAlone && !job.wrapped) {
    return { communicationSeconds: 0, exposedSeconds: 0, frameworkSeconds: 0 };
  }
  const backward = layers.reduce((sum, { backwardSeconds }) => sum + backwardSeconds, 0);
  let end = 0;
  let communicationSeconds = 0;
  // Transformers repeat one bucket many times.
  const known = new Map<string, number>();
  for (const { readySeconds, parameters } of bucketsOf(layers, job)) {
    const key = parameters.join();
    const seconds = known.get(key) ?? bucketSeconds(cluster, ranks, job, parameters);
    known.set(key, seconds);
    end = Math.max(end, job.overlap ? readySeconds : backward) + seconds;
    communicationSeconds += seconds;
  }
  return {
    communicationSeconds,
    exposedSeconds: Math.max(0, end - backward),
    frameworkSeconds: frameworkSeconds(cluster, job),
  };
}

function bucketSeconds(
  cluster: Cluster,
  ranks: number,
  job: StepJob,
  parameters: readonly number[],
): number {
  const { kind, bytes, count } = job.codec.messages(parameters, job.gradientBytes, ranks);
  const algorithm = kind === 'all-reduce' ? job.algorithm : 'auto';
  return count * bestCollective(cluster, ranks, kind, bytes, algorithm).seconds;
}

/** A hook for every tensor, gradients copied into buckets and back, and the codec's passes. */
export function frameworkSeconds(
  cluster: Cluster,
  { workload, gradientBytes, codec }: StepJob,
): number {
  const tensors = workload.layers.reduce((sum, layer) => sum + layer.tensors, 0);
  const bytes = parameterCount(workload) * gradientBytes;
  const passes = 2 + codec.passes;
  return tensors * cluster.hookUs * US + passes * copySeconds(cluster, bytes);
}

interface Bucket {
  /** After the beginning of backward. */
  readonly readySeconds: number;
  /** Of each layer. */
  readonly parameters: readonly number[];
}

/** PyTorch's rule, a layer at a time: a bucket is closed once it has reached its limit. */
function bucketsOf(layers: readonly LayerTimes[], job: StepJob): readonly Bucket[] {
  const buckets: Bucket[] = [];
  let limit = job.buckets.firstBytes;
  let parameters: number[] = [];
  let bytes = 0;
  let readySeconds = 0;
  for (const { layer, backwardSeconds } of layers.toReversed()) {
    readySeconds += backwardSeconds;
    parameters.push(layer.parameters);
    bytes += layer.parameters * job.gradientBytes;
    if (bytes < limit) continue;
    buckets.push({ readySeconds, parameters });
    [parameters, bytes, limit] = [[], 0, job.buckets.capBytes];
  }
  if (bytes > 0) buckets.push({ readySeconds, parameters });
  return buckets;
}
