/** @file What crosses between the conductor and one replica worker. */
import type { FloatCensus } from '#core/float-formats';
import type { ModelState } from '#core/named-weights';
import type { NoiseAverage } from '#core/noise-scale';
import type { Plan } from '#core/plan';

/** What a rank is doing now. */
export type Activity = 'idle' | 'computing' | 'communicating' | 'updating' | 'evaluating';

/** How a replica reaches its peers; made by the transport layer, opaque here. */
export type LinkSetup =
  | { readonly transport: 'shared'; readonly arena: WebAssembly.Memory }
  | { readonly transport: 'ports'; readonly ports: readonly (MessagePort | null)[] };

/** The bytes of a data set; shared between ranks where the page is isolated, else a copy each. */
export interface ReplicaData {
  readonly train: ReplicaSplit;
  readonly test: ReplicaSplit;
  /** Text only: the character of each token id. */
  readonly alphabet: string | null;
}

export type ReplicaSplit =
  | {
      readonly kind: 'labelled';
      readonly count: number;
      readonly x: Uint8Array | Float32Array;
      readonly y: Uint8Array;
    }
  | { readonly kind: 'text'; readonly tokens: Uint8Array }
  /** Batches given from outside: x is [step][rank][sample][feature], y is [step][rank][sample]. */
  | { readonly kind: 'given'; readonly x: Float32Array; readonly y: Int32Array };

export interface ReplicaSetup {
  readonly rank: number;
  /** How often the ranks have been gathered anew; see TelemetryBatch. */
  readonly generation: number;
  readonly plan: Plan;
  readonly link: LinkSetup;
  readonly data: ReplicaData;
  /** Rank 0 only: what to begin with instead of the seeded weights. */
  readonly initialState: ModelState | null;
  readonly telemetry: MessagePort;
}

/** A place in a group of ranks that was gathered anew after some were lost. */
export interface Rejoin extends Pick<ReplicaSetup, 'rank' | 'generation' | 'plan' | 'link'> {
  /** The commit to go back to: completed steps. */
  readonly step: number;
}

export interface BackendTiming {
  readonly backend: string;
  readonly device: string;
  /** Milliseconds of wall time a step, while all ranks measure at once; null where unusable. */
  readonly stepMs: number | null;
  /**
   * Whether it was timed, and if not, why: a GPU emulated on the CPU, slower than one that works
   * here, not made for this model, or not usable.
   */
  readonly verdict: 'timed' | 'emulated' | 'slower' | 'otherModel' | 'unusable';
  /** The technical reason where it is unusable; else empty. */
  readonly reason: string;
}

/** How a rank's step fared under emulated precision or loss scaling. */
export interface PrecisionReport {
  /** The loss's gradient was multiplied by it; 1 without scaling. */
  readonly lossScale: number;
  /** Steps since the previous record whose update was left out because a gradient overflowed. */
  readonly skipped: number;
  /** The own gradient of this step when it was rounded, scaled; null in fp32. */
  readonly census: FloatCensus | null;
}

/** A gradient that an update of the parameter server is made of. */
export interface PushedGradient {
  readonly rank: number;
  /** Updates of the server between the weights it was computed from and its arrival. */
  readonly staleness: number;
  readonly learningRate: number;
}

/** A rank's part in a step that the ranks do not share alike. */
export interface StepPart {
  /** Weight of this rank's loss in the step's; 0 where it took no part. */
  readonly share: number;
  /** Samples of this rank whose gradients have counted since the run began. */
  readonly samples: number;
  /** Under an asynchronous server, in order of arrival; the same on all ranks. */
  readonly pushes: readonly PushedGradient[];
}

/** One rank's part of a step record. */
export interface StepReport {
  readonly step: number;
  /** Mean loss over the local batch, nats; NaN travels as itself; null where it took no part. */
  readonly loss: number | null;
  /** Left out where all ranks take part alike. */
  readonly part?: StepPart;
  readonly weightsHash: string;
  /** Folds the hashes of every step so far, recorded or not. */
  readonly hashChain: string;
  /** Whether the ranks agreed on their weights after this step; only then are hashes compared. */
  readonly synchronised: boolean;
  readonly bytesSent: number;
  /** Of these, what went by all-gather; the rest went by all-reduce. */
  readonly gatheredBytes: number;
  /** Norm of what compression keeps back; null where it keeps nothing. */
  readonly residualNorm: number | null;
  /** Norm of the averaged gradient before clipping; null where nothing is clipped. */
  readonly gradientNorm: number | null;
  /** The estimate of the noise scale so far, the same on all ranks; null where it is not measured. */
  readonly noise: NoiseAverage | null;
  /** Hash of the augmentation that this rank drew; null where nothing is augmented. */
  readonly augmentation: string | null;
  /** Most bytes of tensors alive beside weights and batch in this step's gradient; null in fused. */
  readonly heldBytes: number | null;
  /** Null in fp32 without loss scaling. */
  readonly precision: PrecisionReport | null;
  /** Wall milliseconds since the previous record, split. */
  readonly computeMs: number;
  readonly communicateMs: number;
  readonly updateMs: number;
}

/** Sums over one rank's share of a split. */
export interface EvalShare {
  readonly lossSum: number;
  readonly correct: number;
  readonly count: number;
}

/** One rank's share of an evaluation. */
export interface EvalReport {
  /** Number of completed steps. */
  readonly step: number;
  readonly test: EvalShare;
  readonly train: EvalShare;
}

/** What was not finite on a rank: its loss, or its gradient where no loss scaling answers for it. */
export type NonFiniteCause = 'loss' | 'gradient';

export type ReplicaEvent =
  | {
      readonly type: 'fallback';
      readonly step: number;
      readonly from: string;
      readonly to: string;
      readonly reason: string;
    }
  /** The reduced gradient was marked as no number: this rank stopped before it updated its weights. */
  | { readonly type: 'nonFinite'; readonly step: number; readonly own: NonFiniteCause | null }
  /** This rank has no batch for the step and left its loop; the others do not know. */
  | { readonly type: 'exhausted'; readonly step: number }
  /** Something this rank cannot go on after. */
  | { readonly type: 'failed'; readonly step: number; readonly reason: string };

/** What a rank has to say for the log, in the order in which it happened. */
export type ReplicaReport =
  | { readonly type: 'step'; readonly report: StepReport }
  | { readonly type: 'eval'; readonly report: EvalReport }
  | ReplicaEvent;

/** One message on the telemetry port; at most one every 16 ms but for the last. */
export interface TelemetryBatch {
  readonly rank: number;
  /** Of the rank's number; news of an older one is about steps that were given up. */
  readonly generation: number;
  readonly activity: Activity;
  /** Completed steps. */
  readonly completed: number;
  readonly reports: readonly ReplicaReport[];
}

/** What the learner sees of the model now. Not part of the log. */
export type Probe =
  | {
      readonly kind: 'digits';
      /** [count, 28*28] bytes of the test set, their labels and predicted classes. */
      readonly images: Uint8Array;
      readonly labels: Uint8Array;
      readonly predictions: Uint8Array;
    }
  /** Probability of class 1 (or the winner's, for more) on a grid over [-extent, extent]^2, row by row from the top. */
  | {
      readonly kind: 'boundary';
      readonly size: number;
      readonly extent: number;
      readonly classes: number;
      readonly winner: Uint8Array;
      readonly probability: Float32Array;
    }
  | { readonly kind: 'text'; readonly prompt: string; readonly text: string };

/** The first samples of a rank's present batch. */
export interface BatchSample {
  readonly step: number;
  readonly images: Uint8Array | null;
  readonly points: Float32Array | null;
  readonly text: string | null;
  readonly labels: Uint8Array;
}

/** Exposed by every replica worker over comlink. */
export interface ReplicaService {
  prepare(setup: ReplicaSetup): Promise<void>;
  /** Times one training step of the plan's model and batch on a backend; never throws. */
  timeBackend(backend: string): Promise<BackendTiming>;
  /** Takes a backend for the run; returns the device's name. */
  useBackend(backend: string): Promise<string>;
  /** Ring-broadcasts rank 0's weights and buffers; resolves with the weights' hash. */
  broadcastWeights(): Promise<string>;
  /** Allows steps up to `limit` (exclusive); the loop sleeps when it gets there. */
  grant(limit: number): Promise<void>;
  probe(): Promise<Probe | null>;
  sampleBatch(): Promise<BatchSample>;
  state(): Promise<ModelState>;
  /** Completed steps at the commits that can be gone back to. */
  commits(): Promise<readonly number[]>;
  /** Leaves the old group, takes a place in the new one, and goes back to a commit. */
  rejoin(place: Rejoin): Promise<void>;
  /** Rank 0 hands its state to all; resolves with the weights' hash and the bytes sent. */
  shareState(): Promise<{ readonly weightsHash: string; readonly bytesSent: number }>;
  /** Ends any collective under way; the loop ends. */
  abort(): Promise<void>;
}
