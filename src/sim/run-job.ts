/** @file A run as the cluster clock takes it: the same layers, buckets and schedules, on links. */

import { ringAllGather } from '#core/all-gather';
import type { Plan } from '#core/plan';
import { reductionRanges } from '#core/reduction-ranges';
import { allReduceSchedule } from '#core/schedules';
import type { Experiment } from '#experiment/experiment';
import { intraBytesPerSecond, layoutOf, nodeBytesPerSecond, US } from './cluster.ts';
import { layerTimes, updateSeconds } from './compute-model.ts';
import { experimentJob } from './experiment-job.ts';
import type { LoaderConfig } from './loader.ts';
import { type BucketJob, readyLayers, type StepJob } from './step-job.ts';
import { frameworkSeconds } from './step-model.ts';
import { ns, secondsToNs } from './time.ts';
import { makeTopology, type Topology } from './topology.ts';
import { evenChunkBytes } from './traffic.ts';
import { parameterCount } from './workloads.ts';

/** Ports of each rank within its node, and the node's NICs; ranks fill one node after the other. */
export function runTopology({ cluster }: Experiment, worldSize: number): Topology {
  const { perNode, nodes } = layoutOf(cluster, worldSize);
  const nicsPerNode = Math.min(cluster.nicsPerNode, perNode);
  return makeTopology({
    worldSize,
    ranksPerNode: perNode,
    inner: {
      latencySeconds: cluster.intraSimpleUs * US,
      bytesPerSecond: intraBytesPerSecond(cluster, perNode),
    },
    outer: {
      latencySeconds: (cluster.networkSimpleUs + cluster.networkDelayUs) * US,
      bytesPerSecond: nodeBytesPerSecond(cluster, nodes) / nicsPerNode,
    },
    nicsPerNode,
  });
}

/** What one step of the plan costs before anything is slow; its workload may be another model's. */
export function runJob(experiment: Experiment, plan: Plan): StepJob {
  const { cluster } = experiment;
  const job = experimentJob(experiment);
  const samples = job.batchPerRank;
  const layers = layerTimes(cluster, { ...job, samples }).map((each) => ({
    forwardNs: secondsToNs(each.forwardSeconds),
    backwardNs: secondsToNs(each.backwardSeconds),
  }));
  const framework = plan.worldSize > 1 ? frameworkSeconds(cluster, job) : 0;
  return {
    layers,
    microBatches: job.microBatches,
    buckets: plan.worldSize > 1 ? bucketJobs(experiment, plan) : [],
    optimizerNs: secondsToNs(updateSeconds(cluster, job.workload, 1) + framework),
  };
}

/** Loading beside the step, where the cluster has a loader that takes time. */
export function runLoader({ cluster, batchPerRank }: Experiment): LoaderConfig | null {
  if (cluster.loaderSamplesPerSecond === 0) return null;
  const batchNs = secondsToNs(batchPerRank / cluster.loaderSamplesPerSecond);
  return { workers: 1, depth: cluster.loaderPrefetch, batchNs, sigma: 0 };
}

/** Elements of a bucket, and the layer whose backward completes it. */
interface BucketPlace {
  readonly elements: number;
  readonly readyLayer: number;
}

function bucketJobs(experiment: Experiment, plan: Plan): BucketJob[] {
  const { worldSize, collective, compression } = plan;
  const codec = experimentJob(experiment).codec;
  const launchNs = secondsToNs(experiment.cluster.launchUs * US);
  const { ranksPerNode } = collective;
  const reducing = allReduceSchedule(collective.name, worldSize, { ranksPerNode });
  return bucketPlaces(experiment, plan).map(({ elements, readyLayer }): BucketJob => {
    const { kind, bytes, count } = codec.messages([elements], 4, worldSize);
    const isGathered = kind === 'all-gather';
    const schedule = isGathered ? ringAllGather(worldSize) : reducing;
    const whole = compression.kind === 'none' ? 4 * elements : count * bytes;
    return {
      schedule,
      chunkBytes: evenChunkBytes(schedule.chunks, Math.ceil(whole), 1),
      encodeNs: launchNs,
      decodeNs: ns(0),
      readyLayer,
    };
  });
}

/** The run's own buckets, or those that DDP would make of the model that it is priced as. */
function bucketPlaces(experiment: Experiment, plan: Plan): BucketPlace[] {
  if (experiment.cluster.workload === 'itself') {
    const ranges = reductionRanges(plan.model.parameters, plan.buckets).later;
    const ready = readyLayers(plan.model.segments, ranges);
    return ranges.map(({ start, end }, i) => ({ elements: end - start, readyLayer: ready[i] }));
  }
  const { workload, buckets } = experimentJob(experiment);
  const places: BucketPlace[] = [];
  let limit = buckets.firstBytes;
  let elements = 0;
  for (let layer = workload.layers.length - 1; layer >= 0; layer--) {
    elements += workload.layers[layer].parameters;
    if (4 * elements < limit && layer > 0) continue;
    if (elements > 0) places.push({ elements, readyLayer: layer });
    [elements, limit] = [0, buckets.capBytes];
  }
  return places;
}

/** Bytes of the state that a rank hands to a newcomer: weights and two moments, in fp32. */
export function stateBytes(experiment: Experiment): number {
  return 12 * parameterCount(experimentJob(experiment).workload);
}
