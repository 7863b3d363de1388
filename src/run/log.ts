/** @file The run's log: append-only events. Wall-clock data lies beside it, never in it. */
import type { FaultKind } from '#core/faults';
import type { FloatCensus } from '#core/float-formats';
import type { Experiment } from '#experiment/experiment';
import type { PushedGradient } from '#protocol/replica';
import type { StepFigures } from '#sim/run-clock';
import type { News } from '#sim/run-monitor';

export interface RunEvent {
  readonly type: 'run';
  readonly experiment: Experiment;
  readonly backend: string;
  readonly device: string;
  readonly transport: 'shared' | 'ports';
  readonly parameters: number;
  readonly stepsPerEpoch: number;
  readonly totalSteps: number;
  readonly trainCount: number;
  readonly testCount: number;
  /** Bucket sizes in bytes, in launch order, from iteration 1 on (under DDP iteration 0 uses one bucket). */
  readonly bucketBytes: readonly number[];
  /** Hash of the weights after rank 0's broadcast, one a rank. */
  readonly initialHash: readonly string[];
}

/** Emulated precision and loss scaling in one step. */
export interface PrecisionRecord {
  /** The scale of this step, on rank 0. */
  readonly lossScale: number;
  /** Steps since the previous record whose update was left out because a gradient overflowed. */
  readonly skipped: number;
  /** Gradient entries of all ranks, still scaled, by what rounding did to them; null in fp32. */
  readonly gradients: FloatCensus | null;
}

/** Gradient noise scale, from the means over the steps so far. */
export interface NoiseRecord {
  /** Of the true gradient: |G|^2. */
  readonly signal: number;
  /** tr(Sigma) of one sample's gradient. */
  readonly noise: number;
  /** noise / signal, in samples; null while one of them is not positive. */
  readonly samples: number | null;
}

export interface StepEvent {
  readonly type: 'step';
  readonly step: number;
  readonly epoch: number;
  /** Samples seen by all ranks together, this step included. */
  readonly samples: number;
  readonly loss: number;
  /** Null for a rank that took no part in the step. */
  readonly lossPerRank: readonly (number | null)[];
  readonly weightsHash: readonly string[];
  /** Payload bytes each rank sent in this step. */
  readonly bytesPerRank: readonly number[];
  readonly learningRate: number;
  /** Whether the ranks agreed on their weights after this step; in between, hashes differ. */
  readonly synchronised: boolean;
  /** Of the bytes, what went by all-gather; left out where nothing did. */
  readonly gatheredPerRank?: readonly number[];
  /** Norm of what compression keeps back on each rank; left out where it keeps nothing. */
  readonly residualPerRank?: readonly number[];
  /** Norm of rank 0's gradient before clipping; left out where nothing is clipped. */
  readonly gradientNorm?: number;
  /** The smoothed estimate so far; left out where it is not measured. */
  readonly noiseScale?: NoiseRecord;
  /** How many of the ranks' augmentations differ; left out where nothing is augmented. */
  readonly augmentations?: number;
  /** Left out in fp32 without loss scaling. */
  readonly precision?: PrecisionRecord;
  /** What the step took in the modelled cluster. */
  readonly cluster: StepFigures;
  /** With backup workers: the ranks whose gradients counted, and those that were late. */
  readonly kept?: readonly number[];
  readonly dropped?: readonly number[];
  /** With batches by speed: each rank's share of the step's samples. */
  readonly sharePerRank?: readonly number[];
  /** Under an asynchronous server: the gradients of this update, in order of arrival. */
  readonly pushes?: readonly PushedGradient[];
}

export interface EvalEvent {
  readonly type: 'eval';
  /** Completed steps. */
  readonly step: number;
  /** Mean over the whole test set, nats. */
  readonly loss: number;
  readonly accuracy: number;
  readonly trainLoss: number;
  readonly trainAccuracy: number;
}

export interface FallbackEvent {
  readonly type: 'fallback';
  readonly step: number;
  readonly rank: number;
  readonly from: string;
  readonly to: string;
  readonly reason: string;
}

/** The loss became NaN or infinite: at which step, and on which ranks. */
export interface NonFiniteEvent {
  readonly type: 'nonFinite';
  readonly step: number;
  readonly ranks: readonly number[];
}

/** Ranks' weights differ at a synchronisation point. */
export interface DisagreementEvent {
  readonly type: 'disagreement';
  readonly step: number;
  readonly weightsHash: readonly string[];
}

/** A rank was lost or hurt, by the experiment's script or by hand. */
export interface FaultEvent {
  readonly type: 'fault';
  /** Steps that all ranks had completed. */
  readonly step: number;
  readonly kind: FaultKind | 'crash';
  /** As they were numbered then. */
  readonly ranks: readonly number[];
  readonly cause: 'script' | 'hand' | 'found';
}

/** The ranks that were left, and newcomers, went on from a commit. */
export interface RecoveryEvent {
  readonly type: 'recovery';
  /** The step that comes next; later ones that the log holds already are done again. */
  readonly step: number;
  /** Steps that were completed and are lost. */
  readonly lostSteps: number;
  readonly worldSize: number;
  /** Workers that joined, and take the last ranks. */
  readonly newcomers: number;
  readonly totalSteps: number;
  readonly weightsHash: readonly string[];
  /** Bytes that rank 0 sent to hand its state to the others. */
  readonly bytesSent: number;
  /** Noticing, joining and handing over, in cluster milliseconds. */
  readonly clusterMs: number;
}

/** A rank ran out of batches and left; the others wait in a collective of that step for ever. */
export interface HangEvent {
  readonly type: 'hang';
  readonly step: number;
  readonly rank: number;
  readonly waiting: readonly number[];
}

export interface EndEvent {
  readonly type: 'end';
  /** Completed steps. */
  readonly step: number;
  readonly reason: 'finished' | 'stopped' | 'nonFinite' | 'hang' | 'failed';
}

export type LogEvent =
  | RunEvent
  | StepEvent
  | EvalEvent
  | FallbackEvent
  | NonFiniteEvent
  | DisagreementEvent
  | FaultEvent
  | RecoveryEvent
  | HangEvent
  | News
  | EndEvent;

/** Wall time of one recorded step, beside the log. Milliseconds, one entry a rank. */
export interface WallRecord {
  readonly step: number;
  /** Since the previous record. */
  readonly wallMs: number;
  readonly computeMs: readonly number[];
  readonly communicateMs: readonly number[];
  readonly updateMs: readonly number[];
  /** Bytes of tensors alive beside weights and batch, at most, as the library counts; null in fused. */
  readonly heldBytes: readonly (number | null)[];
}
