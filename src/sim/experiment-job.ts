/** @file An experiment as the step model prices it: the replica itself, or as if it were a known model. */
import type { Model } from '#core/model';
import { buildModel } from '#core/models';
import type { BucketConfig } from '#core/plan';
import type { Experiment } from '#experiment/experiment';
import { taskShapeOf } from '#experiment/plan';
import type { Precision } from './compute-model.ts';
import { gradientCodec } from './gradient-codec.ts';
import { PLAIN_STEP, type StepJob } from './step-model.ts';
import { WORKLOADS, type Workload } from './workloads.ts';

const BYTES_PER_MIB = 2 ** 20;
/** Different characters of the novel as packed. */
const NOVEL_ALPHABET = 84;

/**
 * The step of an experiment. Local SGD and DiLoCo exchange weights every so many steps: a step has
 * its share of that. Post-local SGD is priced as it begins, with gradients in every step.
 */
export function experimentJob(experiment: Experiment): StepJob {
  const { cluster, batchPerRank, accumulation, buckets, compression, checkpointing } = experiment;
  const { microBatches, noSync } = accumulation;
  const period =
    experiment.sync.kind === 'localSgd' || experiment.sync.kind === 'diloco'
      ? experiment.sync.period
      : 1;
  return {
    ...PLAIN_STEP,
    workload: cluster.workload === 'itself' ? replicaOf(experiment) : WORKLOADS[cluster.workload],
    precision: precisionOf(experiment),
    batchPerRank: batchPerRank / microBatches,
    microBatches,
    reductions: (noSync ? 1 : microBatches) / period,
    buckets: bucketsOf(buckets),
    recompute: checkpointing,
    codec: gradientCodec(compression),
  };
}

/** Horovod's fusion fills a buffer up to its threshold; DDP's first bucket is smaller. */
function bucketsOf(choice: Experiment['buckets']): BucketConfig {
  if (choice.rule === 'horovod') {
    const bytes = Math.max(1, choice.fusionMiB * BYTES_PER_MIB);
    return { firstBytes: bytes, capBytes: bytes };
  }
  const { firstMiB, capMiB } = choice;
  return { firstBytes: firstMiB * BYTES_PER_MIB, capBytes: capMiB * BYTES_PER_MIB };
}

function precisionOf({ precision: { format } }: Experiment): Precision {
  return format === 'e4m3' || format === 'e5m2' ? 'fp8' : format;
}

function replicaOf({ model, data }: Experiment): Workload {
  return workloadOf(buildModel(model, taskShapeOf(data, NOVEL_ALPHABET)));
}

/** The layers of a model of the laboratory: its segments. */
export function workloadOf({ spec, segments }: Model): Workload {
  return {
    name: `the replica itself (${spec.kind})`,
    source: 'its own segments',
    sample: 'sequences',
    layers: segments.map(({ parameters, forwardFlops }) => ({
      parameters: parameters.reduce((sum, { length }) => sum + length, 0),
      tensors: parameters.length,
      forwardFlops,
    })),
    trafficBytes: 3 * segments.reduce((sum, { activationBytes }) => sum + activationBytes, 0),
    imbalance: 0,
  };
}
