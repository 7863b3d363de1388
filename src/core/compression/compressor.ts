/**
 * @file A compressor stands where DDP's communication hook does: it takes a rank's gradient of one
 * range of the flat vector, says what to exchange, and leaves the averaged gradient. In optax's
 * style, state is passed in and out.
 */
import { PURPOSE, type RandomStream, randomStream } from '#core/random';
import type { Exchanges } from './exchange.ts';

/** What a compressor remembers, by name, for checkpoints and forks; empty if nothing. */
export interface CompressorState {
  readonly vectors: Readonly<Record<string, Float32Array>>;
}

/** Where and when a gradient was computed. */
export interface UpdateContext {
  readonly seed: number;
  readonly rank: number;
  readonly worldSize: number;
  /** From 0, the same on every rank. */
  readonly step: number;
  /** From 0. */
  readonly epoch: number;
  /** Of this step's weight update. */
  readonly learningRate: number;
  /** First element of the range in the flat vector; ranges draw their random numbers apart. */
  readonly offset: number;
}

export interface Compressor {
  /** The collective that suits what it sends. */
  readonly collective: 'allGather' | 'allReduce';
  /** Name of the state vector that holds what was not sent yet, or null. */
  readonly residual: string | null;
  /** The state before the first update of a range of `length` elements. */
  init(length: number): CompressorState;
  /**
   * One step. Reads `state` and `gradient` and leaves both as they are; writes the averaged
   * gradient into `average` and the new state into `next` (made by `init`, of any content). The
   * caller swaps the two states once all ranks are through, so that survivors of an abandoned
   * collective can repeat it, and does not where the average is not finite and the step is skipped:
   * NaN would stay in the residual.
   */
  update(
    state: CompressorState,
    next: CompressorState,
    gradient: Float32Array,
    average: Float32Array,
    context: UpdateContext,
  ): Exchanges;
}

/** This rank's stream for a step and range. */
export function rankStream({ seed, rank, step, offset }: UpdateContext): RandomStream {
  return randomStream(seed, PURPOSE.compression, rank, step, offset);
}

/** A stream that all ranks share; `purpose` is apart from every rank's own. */
export function sharedStream({ seed, step, offset }: UpdateContext): RandomStream {
  return randomStream(seed, PURPOSE.sharedCompression, 0, step, offset);
}

/** The state of a compressor that remembers nothing. */
export const noState = (): CompressorState => ({ vectors: {} });

/** out = a + b, rounded to float32. */
export function add(a: Float32Array, b: Float32Array, out: Float32Array): void {
  for (let i = 0; i < out.length; i++) out[i] = a[i] + b[i];
}

/** Divides in place. */
export function divide(values: Float32Array, divisor: number): void {
  for (let i = 0; i < values.length; i++) values[i] /= divisor;
}
