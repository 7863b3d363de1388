/**
 * @file What the replicas are told: an experiment with every choice made, in terms of core alone.
 */
import type { FloatFormatName } from './float-formats.ts';
import type { ScalerConfig } from './grad-scaler.ts';
import type { Model } from './model.ts';

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
  readonly model: Model;
  readonly optimizer: OptimizerConfig;
  readonly learningRate: LearningRateConfig;
  readonly buckets: BucketConfig;
  readonly precision: PrecisionConfig;
  /** Evaluate on the test set after every so many steps, and after the last. */
  readonly evalEvery: number;
  /** One step record every so many steps, and for the last. */
  readonly logEvery: number;
}
