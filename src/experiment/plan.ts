/** @file From an experiment to the plan that every rank follows, in terms of core alone. */

import { parseFaults } from '#core/faults';
import { PYTORCH_SCALER, type ScalerConfig } from '#core/grad-scaler';
import { scaleLearningRate } from '#core/learning-rate';
import type { TaskShape } from '#core/model';
import { buildModel } from '#core/models';
import type {
  BucketRule,
  CollectiveConfig,
  LearningRateConfig,
  Plan,
  PrecisionConfig,
  RecoveryConfig,
} from '#core/plan';
import { stepsOfEpoch, totalSteps } from './counts.ts';
import type {
  BucketChoice,
  CommunicationChoice,
  DataChoice,
  Experiment,
  LossScalingChoice,
} from './experiment.ts';

const BYTES_PER_MIB = 1_048_576;

/** What the loaded data turned out to be. */
export interface LoadedTask {
  readonly trainCount: number;
  readonly testCount: number;
  readonly task: TaskShape;
}

/**
 * The plan of an experiment over loaded data. Throws RangeError where the model does not fit the
 * task, or a rank would have no sample.
 */
export function resolvePlan(experiment: Experiment, loaded: LoadedTask): Plan {
  const { replicas, batchPerRank, buckets } = experiment;
  const { trainCount, testCount, task } = loaded;
  if (!(trainCount >= 1)) {
    throw new RangeError(`resolvePlan: ${trainCount} training samples; at least 1 is needed`);
  }
  return {
    seed: experiment.seed,
    worldSize: replicas,
    batchPerRank,
    trainCount,
    testCount,
    stepsPerEpoch: stepsOfEpoch(experiment, trainCount),
    totalSteps: totalSteps(experiment, trainCount),
    resumed: null,
    recovery: recoveryOf(experiment),
    model: buildModel(experiment.model, task),
    optimizer: experiment.optimizer,
    learningRate: learningRateOf(experiment),
    buckets: bucketsOf(buckets),
    augmentation: experiment.data.name === 'mnist' ? experiment.data.augment : 'none',
    collective: collectiveOf(experiment.communication),
    compression: experiment.compression,
    clipNorm: experiment.clipNorm,
    accumulation: experiment.accumulation,
    sync: experiment.sync,
    mistakes: experiment.mistakes,
    measuresNoise: experiment.measure.noiseScale,
    precision: precisionOf(experiment),
    checkpointing: experiment.checkpointing,
    evalEvery: experiment.evalEvery,
    logEvery: experiment.logEvery,
  };
}

/** The shape of one sample; `alphabetSize` counts for text only. */
export function taskShapeOf(data: DataChoice, alphabetSize: number): TaskShape {
  switch (data.name) {
    case 'mnist':
      return { kind: 'image', height: 28, width: 28, classes: 10 };
    case 'moby-dick':
      return { kind: 'text', vocabulary: alphabetSize };
    default:
      return { kind: 'points', features: 2, classes: 2 };
  }
}

function collectiveOf(choice: CommunicationChoice): CollectiveConfig {
  const ranksPerNode = choice.collective === 'hierarchical' ? choice.ranksPerNode : 1;
  return { name: choice.collective, ranksPerNode, combine: choice.combine };
}

function bucketsOf(choice: BucketChoice): BucketRule {
  if (choice.rule === 'horovod') {
    return { rule: 'horovod', thresholdBytes: Math.round(choice.fusionMiB * BYTES_PER_MIB) };
  }
  const { firstMiB, capMiB } = choice;
  return { rule: 'ddp', firstBytes: toBytes(firstMiB), capBytes: toBytes(capMiB) };
}

function precisionOf({ precision, lossScaling, mistakes }: Experiment): PrecisionConfig {
  const keepsMaster = precision.format === 'fp32' || precision.masterWeights;
  return {
    format: precision.format,
    masterWeights: keepsMaster && !mistakes.pureLowWeights,
    scaler: mistakes.noLossScaling ? { kind: 'none' } : scalerOf(lossScaling),
  };
}

/** Dynamic scaling is PyTorch's but for its first scale and its interval. */
function scalerOf(choice: LossScalingChoice): ScalerConfig {
  if (choice.kind !== 'dynamic') return choice;
  const { scale: initialScale, growthInterval } = choice;
  return { ...PYTORCH_SCALER, initialScale, growthInterval };
}

/** Scaled to the batch of all ranks; a warm-up then begins at the rate that was tuned [Goyal et al.]. */
function learningRateOf(experiment: Experiment): LearningRateConfig {
  const { replicas, batchPerRank } = experiment;
  const { scaling, referenceBatch, ...rate } = experiment.learningRate;
  if (scaling === 'none') return rate;
  const factor = (replicas * batchPerRank) / referenceBatch;
  const base = scaleLearningRate(rate.base, scaling, factor);
  return { ...rate, base, warmupFrom: rate.base };
}

/** A rank that is alone has nobody to go on without it, and makes no commits. */
function recoveryOf({ recovery, replicas }: Experiment): RecoveryConfig {
  const commits = recovery.policy !== 'stop' && replicas > 1;
  const commitEvery = commits ? recovery.commitEvery : 0;
  return { policy: recovery.policy, commitEvery, faults: parseFaults(recovery.faults) };
}

/** Whole bytes; a bucket of less than one gradient still holds one. */
function toBytes(mebibytes: number): number {
  return Math.max(1, Math.round(mebibytes * BYTES_PER_MIB));
}
