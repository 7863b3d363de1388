/**
 * @file A model as data: a list of segments, each with its parameters, shapes and cost.
 * The engine executes it, the cluster clock prices it, the memory view adds it up.
 */

export type Activation = 'relu' | 'tanh' | 'gelu';

/** Batch normalisation behind each convolution: over the own batch, or over those of all ranks. */
export type NormKind = 'none' | 'batch' | 'syncBatch';

/** What the learner chose. Widths and depths are free; limits are in the field table. */
export type ModelSpec =
  | { readonly kind: 'softmax' }
  | { readonly kind: 'mlp'; readonly hidden: readonly number[]; readonly activation: Activation }
  | {
      readonly kind: 'cnn';
      readonly channels: readonly [number, number];
      readonly dense: number;
      /** None where left out. */
      readonly norm?: NormKind;
    }
  | {
      readonly kind: 'transformer';
      readonly width: number;
      readonly heads: number;
      readonly depth: number;
      readonly context: number;
    };

/** The shape of one sample of a task, and of its label. */
export type TaskShape =
  | {
      readonly kind: 'image';
      readonly height: number;
      readonly width: number;
      readonly classes: number;
    }
  | { readonly kind: 'points'; readonly features: number; readonly classes: number }
  | { readonly kind: 'text'; readonly vocabulary: number };

export type Initialiser =
  | { readonly kind: 'uniform'; readonly bound: number }
  | { readonly kind: 'normal'; readonly deviation: number }
  | { readonly kind: 'constant'; readonly value: number };

/** A named part of a flat vector, of the weights or of the buffers: elements [offset, offset + length). */
export interface Parameter {
  readonly name: string;
  readonly shape: readonly number[];
  readonly offset: number;
  readonly length: number;
  readonly init: Initialiser;
}

/** What a segment computes. Dense weights are stored [in, out], conv filters [h, w, in, out]. */
export type SegmentOp =
  | { readonly kind: 'dense'; readonly activation: Activation | 'none' }
  | { readonly kind: 'conv'; readonly kernel: number; readonly activation: 'relu' | 'none' }
  | {
      readonly kind: 'batchNorm';
      /** Whether statistics are those of all ranks' batches together. */
      readonly synchronised: boolean;
      readonly activation: 'relu';
    }
  | { readonly kind: 'maxpool'; readonly size: number }
  | { readonly kind: 'flatten' }
  | { readonly kind: 'embedding' }
  | { readonly kind: 'attention'; readonly heads: number }
  | { readonly kind: 'feedForward' }
  | { readonly kind: 'layerNorm' };

/** Shapes are those of one sample, without the batch axis; costs are of one sample. */
export interface Segment {
  readonly name: string;
  readonly op: SegmentOp;
  readonly parameters: readonly Parameter[];
  /** State that is not trained: running mean and variance of batch normalisation. */
  readonly buffers: readonly Parameter[];
  readonly inputShape: readonly number[];
  readonly outputShape: readonly number[];
  /** Multiply-adds count two. */
  readonly forwardFlops: number;
  readonly backwardFlops: number;
  /** Bytes of fp32 activations that backward needs. */
  readonly activationBytes: number;
}

export interface Model {
  readonly spec: ModelSpec;
  readonly task: TaskShape;
  readonly segments: readonly Segment[];
  /** All parameters in registration order, which is forward order. */
  readonly parameters: readonly Parameter[];
  readonly parameterCount: number;
  /** All buffers, in the order of their segments. */
  readonly buffers: readonly Parameter[];
  /** Length of the flat vector of buffers. */
  readonly bufferCount: number;
}
