/** @file The engine: a function on flat arrays. TensorFlow.js lives behind it and nowhere else. */
import type { FloatCensus } from '#core/float-formats';
import type { Model } from '#core/model';
import type { NumberFormat } from '#core/plan';

export const BACKENDS = ['fused', 'webgpu', 'webgl', 'wasm', 'cpu'] as const;
export type BackendName = (typeof BACKENDS)[number];

/** One micro-batch. `x` is [size, ...input], tokens for text; `y` is [size] or [size, context]. */
export interface Batch {
  readonly size: number;
  readonly x: Float32Array | Int32Array;
  readonly y: Int32Array;
}

/** How a gradient is computed. Narrow formats are emulated; sums are in fp32 throughout. */
export interface Precision {
  readonly format: NumberFormat;
  /** The loss's gradient is multiplied by it before backward; the loss itself is not. */
  readonly lossScale: number;
}

export const FULL_PRECISION: Precision = { format: 'fp32', lossScale: 1 };

export type Awaitable<T> = T | Promise<T>;

/**
 * How ranks that normalise over all their batches together tell each other what that takes. Every
 * rank calls the same in the same order.
 */
export interface NormExchange {
  /** Every rank's values, in rank order; all of one length. */
  gather(values: Float32Array): Awaitable<readonly Float32Array[]>;
  /** The sum over ranks, the same to the bit on all of them. */
  sum(values: Float32Array): Awaitable<Float32Array>;
}

/** `loss` is the mean over the batch (over all tokens for text), in nats. */
export interface GradientResult {
  readonly loss: number;
  /** Length `model.bufferCount`: the non-trained state after this batch. */
  readonly buffers: Float32Array;
  /** How the gradient fared when it was rounded to its narrow format; null in fp32. */
  readonly census: FloatCensus | null;
  /** Most bytes of tensors alive beside weights and batch, as the library counts; null in fused. */
  readonly heldBytes: number | null;
}

/** Sums over a batch, so that parts of a test set can be added up. */
export interface EvaluationResult {
  readonly lossSum: number;
  readonly correct: number;
  /** Predictions counted: samples, or tokens for text. */
  readonly count: number;
}

/**
 * All arrays are flat; weights and gradients have length `model.parameterCount`. Synchronous
 * backends return values, not promises, so that a tight loop need not yield.
 */
export interface Engine {
  readonly backend: BackendName;
  /** The device as the backend names it ("SwiftShader", "wasm simd", ...). */
  readonly device: string;
  readonly model: Model;
  /**
   * Writes the gradient of the mean loss, times the loss scale, into `gradient`. `precision` is
   * FULL_PRECISION where left out; evaluation and single segments are always in fp32. Batch norms
   * normalise by the batch; synchronised ones by those of all ranks, where an `exchange` is given.
   */
  gradient(
    weights: Float32Array,
    buffers: Float32Array,
    batch: Batch,
    gradient: Float32Array,
    precision?: Precision,
    exchange?: NormExchange,
  ): Awaitable<GradientResult>;
  /** Batch norms normalise by the running statistics of `buffers`. */
  evaluate(weights: Float32Array, buffers: Float32Array, batch: Batch): Awaitable<EvaluationResult>;
  /** Logits [size, classes], or [size, context, vocabulary] for text. */
  logits(
    weights: Float32Array,
    buffers: Float32Array,
    x: Batch['x'],
    size: number,
  ): Awaitable<Float32Array>;
  /** Output of one segment for `size` samples; batch norms normalise by this input. */
  forward(
    segment: number,
    weights: Float32Array,
    input: Batch['x'],
    size: number,
  ): Awaitable<Float32Array>;
  /**
   * Backward of one segment, its forward recomputed from `input`: returns the gradient of the
   * input (empty for token ids) and adds nothing; parameter gradients are written into their
   * places in `gradient`.
   */
  backward(
    segment: number,
    weights: Float32Array,
    input: Batch['x'],
    outputGradient: Float32Array,
    size: number,
    gradient: Float32Array,
  ): Awaitable<Float32Array>;
  dispose(): void;
}

/** Thrown by engine calls when the device is gone; the caller makes a new engine and repeats. */
export class DeviceLostError extends Error {
  override readonly name = 'DeviceLostError';
}

/** Thrown when a backend cannot be had, with the reason in plain words. */
export class BackendUnavailableError extends Error {
  override readonly name = 'BackendUnavailableError';
}
