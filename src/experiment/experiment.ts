/** @file The experiment: one JSON value that says everything. Every field has a default. */
import type { CompressionConfig } from '#core/compression/config';
import type { FloatFormatName } from '#core/float-formats';
import type { ScalingRule } from '#core/learning-rate';
import type { ModelSpec } from '#core/model';
import type {
  AccumulationConfig,
  Augmentation,
  LearningRateConfig,
  MistakesConfig,
  OptimizerConfig,
  SyncConfig,
} from '#core/plan';
import type { AllReduceName } from '#core/schedules';
import type { ClusterChoice } from './cluster-fields.ts';

export const EXPERIMENT_VERSION = 1;

export type PointsName = 'spirals' | 'moons' | 'circles' | 'xor';

export type DataChoice =
  /** small: 12,000 + 2,000; full: 60,000 + 10,000. */
  | {
      readonly name: 'mnist';
      readonly size: 'small' | 'full';
      /** shift: each training image moves by up to 2 pixels each way. */
      readonly augment: Augmentation;
    }
  | { readonly name: PointsName; readonly samples: number; readonly noise: number }
  | { readonly name: 'moby-dick' };

/** The all-reduce and what it makes of the gradients; 'hierarchical' also has ranks a node. */
export type CommunicationChoice = { readonly combine: 'mean' | 'adasum' } & (
  | { readonly collective: Exclude<AllReduceName, 'hierarchical'> }
  | { readonly collective: 'hierarchical'; readonly ranksPerNode: number }
);

/** Which gradients are reduced together. Mebibytes, as in PyTorch and Horovod. */
export type BucketChoice =
  | { readonly rule: 'ddp'; readonly firstMiB: number; readonly capMiB: number }
  | { readonly rule: 'horovod'; readonly fusionMiB: number };

/** What forward and backward compute in. Narrow formats may do without fp32 weights. */
export type PrecisionChoice =
  | { readonly format: 'fp32' }
  | { readonly format: FloatFormatName; readonly masterWeights: boolean };

/** `scale` is the first one where it is dynamic. */
export type LossScalingChoice =
  | { readonly kind: 'none' }
  | { readonly kind: 'fixed'; readonly scale: number }
  | { readonly kind: 'dynamic'; readonly scale: number; readonly growthInterval: number };

/** What becomes of the run when ranks are lost, and the faults that befall it by schedule. */
export type RecoveryChoice =
  | {
      readonly policy: 'shrink' | 'replace';
      /** Steps between commits. */
      readonly commitEvery: number;
      /** Cluster seconds until a rank that says nothing counts as lost. */
      readonly timeoutSeconds: number;
      /** Cluster seconds until a newcomer stands ready. */
      readonly joinSeconds: number;
      readonly faults: readonly string[];
    }
  | { readonly policy: 'stop'; readonly faults: readonly string[] };

/** The rate as it is, or tuned for `referenceBatch` samples and scaled to the batch of all ranks. */
export type LearningRateChoice = Omit<LearningRateConfig, 'warmupFrom'> & {
  readonly scaling: ScalingRule;
  readonly referenceBatch: number;
};

export type BackendChoice = 'auto' | 'fused' | 'webgpu' | 'webgl' | 'wasm' | 'cpu';
export type TransportChoice = 'auto' | 'shared' | 'ports';

/** A resolved experiment: all fields present. What a learner writes may leave any of them out. */
export interface Experiment {
  readonly version: typeof EXPERIMENT_VERSION;
  readonly seed: number;
  readonly data: DataChoice;
  readonly model: ModelSpec;
  readonly replicas: number;
  readonly batchPerRank: number;
  readonly duration: { readonly unit: 'epochs' | 'steps'; readonly count: number };
  readonly optimizer: OptimizerConfig;
  readonly learningRate: LearningRateChoice;
  /** Norm that the averaged gradient is clipped to; 0 is off. */
  readonly clipNorm: number;
  readonly accumulation: AccumulationConfig;
  readonly communication: CommunicationChoice;
  readonly compression: CompressionConfig;
  readonly sync: SyncConfig;
  readonly mistakes: MistakesConfig;
  readonly buckets: BucketChoice;
  readonly measure: { readonly noiseScale: boolean };
  readonly precision: PrecisionChoice;
  readonly lossScaling: LossScalingChoice;
  readonly recovery: RecoveryChoice;
  /** What makes ranks slow on the cluster's clock; see straggler-lines.ts. */
  readonly stragglers: readonly string[];
  /** Recompute activations in backward instead of keeping them. */
  readonly checkpointing: boolean;
  /** What the clock prices. */
  readonly cluster: ClusterChoice;
  readonly backend: BackendChoice;
  readonly transport: TransportChoice;
  /** Steps. */
  readonly evalEvery: number;
  /** Steps. */
  readonly logEvery: number;
}

/** What can be wrong with an input; each is a key of the string tables. */
export type ProblemMessage =
  | 'problem.integer'
  | 'problem.number'
  | 'problem.choice'
  | 'problem.switch'
  | 'problem.list'
  | 'problem.section'
  | 'problem.unknownField'
  | 'problem.noSuchField'
  | 'problem.noMicroBatches'
  | 'problem.powerSgdTooEarly'
  | 'problem.version'
  | 'problem.tooBig'
  | 'problem.notJson'
  | 'problem.batchOverShard'
  | 'problem.headsDivideWidth'
  | 'problem.modelNotForData'
  | 'problem.fusedModel'
  | 'problem.warmupOverRun'
  | 'problem.nesterovNeedsMomentum'
  | 'problem.tooManySteps'
  | 'problem.nodesDivideReplicas'
  | 'problem.gatherNeedsRing'
  | 'problem.compressionNeedsGradients'
  | 'problem.dgcHasMomentum'
  | 'problem.scaledWithFeedback'
  | 'problem.nothingKeptBack'
  | 'problem.sumNeedsGradients'
  | 'problem.microBatchesOverBatch'
  | 'problem.milestonesAscend'
  | 'problem.fp8NeedsScaling'
  | 'problem.script'
  | 'problem.faultRank'
  | 'problem.stragglerRank'
  | 'problem.stragglersOrdered'
  | 'problem.stragglerLoader'
  | 'problem.stragglerForm'
  | 'problem.faultStep'
  | 'problem.faultNeedsRanks'
  | 'problem.recoveryNeedsAllReduce'
  | 'problem.ranksOverCluster'
  | 'problem.hierarchyOnOneNode'
  | 'problem.adasumPowerOfTwo'
  | 'problem.adasumNeedsHalving'
  | 'problem.adasumAlone'
  | 'problem.noiseNeedsReplicas'
  | 'problem.noiseNeedsMean'
  | 'problem.mistakeNeedsReplicas'
  | 'problem.mistakeNeedsGradients'
  | 'problem.mistakeNeedsEqualBatches'
  | 'problem.nothingAugmented'
  | 'problem.epochNotReached'
  | 'problem.nobodyWaits'
  | 'problem.nothingScaled'
  | 'problem.nothingClipped'
  | 'problem.noMasterWeights'
  | 'problem.splitsOverReplicas'
  | 'problem.sspBelowZero'
  | 'problem.backupsOverReplicas'
  | 'problem.slowdownsUnused'
  | 'problem.slowdownsOverReplicas'
  | 'problem.rankWithoutSamples'
  | 'problem.serverIsStar'
  | 'problem.compressionNeedsAllReduce'
  | 'problem.partsNeedNoSync'
  | 'problem.scaleNeedsAllRanks'
  | 'problem.serverBroadcasts'
  | 'problem.syncNormNeedsEveryStep'
  | 'problem.syncNormNeedsEqualBatches'
  | 'problem.noOwnBuffers'
  | 'problem.addressTooLong'
  | 'problem.addressVersion'
  | 'problem.addressPart'
  | 'problem.addressTwice';

/** One fault of an input, as shown at the field and printed by the command line. */
export interface Problem {
  /** "optimizer.momentum", or "" for the whole. */
  readonly path: string;
  /** What was found, as short JSON text. */
  readonly found: string;
  /** Key of the message in the string tables, with its parameters. */
  readonly message: ProblemMessage;
  readonly parameters: Readonly<Record<string, string | number>>;
}

export type ParseResult =
  | { readonly ok: true; readonly experiment: Experiment }
  | { readonly ok: false; readonly problems: readonly Problem[] };
