/**
 * @file What the replicas are told: an experiment with every choice made, in terms of core alone.
 */
import type { CompressionConfig } from './compression/config.ts';
import type { Resumption } from './course.ts';
import type { Fault } from './faults.ts';
import type { FloatFormatName } from './float-formats.ts';
import type { ScalerConfig } from './grad-scaler.ts';
import type { Model } from './model.ts';
import type { AllReduceName } from './schedules.ts';

/** What Adam and its relatives are set by. */
interface AdamMoments {
  readonly beta1: number;
  readonly beta2: number;
  readonly epsilon: number;
  readonly weightDecay: number;
}

export type OptimizerConfig =
  | {
      readonly kind: 'sgd';
      readonly momentum: number;
      readonly nesterov: boolean;
      readonly weightDecay: number;
    }
  | ({ readonly kind: 'adam' | 'adamw' } & AdamMoments)
  | ({ readonly kind: 'lamb' } & AdamMoments)
  | {
      readonly kind: 'lars';
      readonly momentum: number;
      readonly weightDecay: number;
      /** Share of a layer's weight norm that one step may move (You et al.: 0.001). */
      readonly trustCoefficient: number;
    };

/** Learning rate by step: linear warm-up over `warmupSteps`, then constant, cosine to zero, or drops. */
export interface LearningRateConfig {
  readonly base: number;
  readonly warmupSteps: number;
  readonly decay: 'none' | 'cosine' | 'step';
  /** Rate of step 0 of the warm-up; left out: base / warmupSteps. Goyal et al., Horovod: base / N. */
  readonly warmupFrom?: number;
  /** Decay 'step': the steps from which on the rate is multiplied by `factor` once more. */
  readonly milestones?: readonly number[];
  /** Decay 'step'; 0.1 where left out. */
  readonly factor?: number;
}

export interface BucketConfig {
  /** Bytes; the first bucket closes at this size (PyTorch: 1 MiB). */
  readonly firstBytes: number;
  /** Bytes; later buckets close once they reach this size (PyTorch: 25 MiB). */
  readonly capBytes: number;
}

/** Which gradients go together: PyTorch's buckets, or Horovod's fusion up to a threshold. */
export type BucketRule =
  | ({ readonly rule: 'ddp' } & BucketConfig)
  | { readonly rule: 'horovod'; readonly thresholdBytes: number };

/** Which all-reduce runs; `ranksPerNode` counts for 'hierarchical' alone. */
export interface CollectiveConfig {
  readonly name: AllReduceName;
  readonly ranksPerNode: number;
  /** Horovod's adaptive sum instead of the mean; it goes by halving-doubling. */
  readonly combine: 'mean' | 'adasum';
}

/** A step's batch in parts whose gradients are added up before the one update. */
export interface AccumulationConfig {
  /** Parts of a batch; 1 is the batch as it is. */
  readonly microBatches: number;
  /** Reduce once, after the last part [PyTorch's no_sync]; else after every part. */
  readonly noSync: boolean;
}

/** What the ranks agree on, and when; see sync-rules.ts. Steps are those of the plan. */
export type SyncConfig =
  | {
      readonly kind: 'allReduce';
      /** Equal batches, or batches in proportion to the ranks' speeds. */
      readonly balance: 'off' | 'speeds';
      readonly slowdowns: readonly number[];
    }
  | { readonly kind: 'localSgd'; readonly period: number }
  | { readonly kind: 'postLocalSgd'; readonly warmupSteps: number; readonly period: number }
  | {
      readonly kind: 'diloco';
      readonly period: number;
      readonly outerRate: number;
      readonly outerMomentum: number;
    }
  | ({ readonly kind: 'async' } & ServerSync)
  /** No rank is more than `bound` gradients ahead of the slowest when it begins one. */
  | ({ readonly kind: 'ssp'; readonly bound: number } & ServerSync)
  /** The last `backups` ranks of each step are not waited for. */
  | ({ readonly kind: 'backup'; readonly backups: number } & RankSpeeds);

/** An asynchronous parameter server on rank 0. One step is one update of it. */
type ServerSync = RankSpeeds & {
  /** n of n-softsync: floor(N / n) gradients make an update. */
  readonly splits: number;
  /** Whether a gradient's rate is divided by its staleness. */
  readonly stalenessAware: boolean;
};

/** What decides the order of events between ranks; cluster time, never wall time. */
interface RankSpeeds {
  /** Rank r takes slowdowns[r] times as long for a gradient; 1 where the list ends. */
  readonly slowdowns: readonly number[];
  /** Deviation of the logarithm of each duration. */
  readonly jitter: number;
}

/** Classic mistakes of distributed training, made on purpose. */
export interface MistakesConfig {
  /** Gradients are summed over the ranks and not divided. */
  readonly sumNotMean: boolean;
  /** What compression keeps back is forgotten. */
  readonly noErrorFeedback: boolean;
  /** Every epoch has the order of the first. */
  readonly noSetEpoch: boolean;
  /** Every rank begins with weights of its own. */
  readonly noBroadcast: boolean;
  /** All ranks draw the same augmentation. */
  readonly equalAugmentation: boolean;
  /** The last rank has one batch less in an epoch, and leaves its loop there. */
  readonly unequalBatches: boolean;
  /** The loss is not scaled, although the experiment says so. */
  readonly noLossScaling: boolean;
  /** Gradients are clipped while they are still scaled. */
  readonly clipBeforeUnscale: boolean;
  /** Weights are kept in the narrow format alone. */
  readonly pureLowWeights: boolean;
  /** From the middle of the run on the model is called without its wrapper: nothing is reduced. */
  readonly unsyncedModule: boolean;
  /** Every rank keeps running statistics of batch norms of its own. */
  readonly noBufferBroadcast: boolean;
}

/** What becomes of the run when ranks are lost. */
export interface RecoveryConfig {
  /** The others go on; newcomers take the places; the run ends. */
  readonly policy: 'shrink' | 'replace' | 'stop';
  /** Steps between two commits (0 where the policy is 'stop'), copies of a rank's state in its own memory [Horovod elastic]. */
  readonly commitEvery: number;
  readonly faults: readonly Fault[];
}
export const NO_MISTAKES: MistakesConfig = {
  sumNotMean: false,
  noErrorFeedback: false,
  noSetEpoch: false,
  noBroadcast: false,
  equalAugmentation: false,
  unequalBatches: false,
  noLossScaling: false,
  clipBeforeUnscale: false,
  pureLowWeights: false,
  unsyncedModule: false,
  noBufferBroadcast: false,
};

/** How training samples are changed before they are used. */
export type Augmentation = 'none' | 'shift';

/** What forward and backward compute in; all but fp32 are emulated. */
export type NumberFormat = 'fp32' | FloatFormatName;

export interface PrecisionConfig {
  readonly format: NumberFormat;
  /** Whether the optimizer updates fp32 weights; if not, they are rounded to the format after it. */
  readonly masterWeights: boolean;
  readonly scaler: ScalerConfig;
}

/** The same on every rank. Steps count from 0; a run has steps 0 ... totalSteps - 1. */
export interface Plan {
  readonly seed: number;
  readonly worldSize: number;
  readonly batchPerRank: number;
  readonly trainCount: number;
  readonly testCount: number;
  readonly stepsPerEpoch: number;
  readonly totalSteps: number;
  /** Set where these ranks took over from others in the middle of the run. */
  readonly resumed: Resumption | null;
  readonly model: Model;
  readonly optimizer: OptimizerConfig;
  readonly learningRate: LearningRateConfig;
  readonly buckets: BucketRule;
  readonly augmentation: Augmentation;
  readonly precision: PrecisionConfig;
  /** Recompute activations in backward instead of keeping them. */
  readonly checkpointing: boolean;
  readonly collective: CollectiveConfig;
  readonly compression: CompressionConfig;
  /** Norm that the averaged gradient is clipped to; 0 is off. */
  readonly clipNorm: number;
  readonly accumulation: AccumulationConfig;
  readonly sync: SyncConfig;
  readonly mistakes: MistakesConfig;
  readonly recovery: RecoveryConfig;
  /** Estimate the gradient noise scale from the ranks' own gradients. */
  readonly measuresNoise: boolean;
  /** Evaluate on the test set after every so many steps, and after the last. */
  readonly evalEvery: number;
  /** One step record every so many steps, and for the last. */
  readonly logEvery: number;
}
