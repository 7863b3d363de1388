/**
 * @file Emulated precision: which format rounds what, and rounding as an operation of the tape. Forward
 * and backward round where one operator hands its result to the next; sums inside stay in fp32, as
 * on tensor cores.
 */
import * as tf from '@tensorflow/tfjs-core';
import {
  censusOf,
  FLOAT_FORMATS,
  type FloatCensus,
  type FloatFormat,
  roundFloats,
} from '#core/float-formats';
import type { NumberFormat } from '#core/plan';
import type { Batch } from './engine.ts';
import { ROUND_KERNEL, rounded } from './round-kernels.ts';

/** Null where nothing is rounded. */
export interface Rounding {
  /** Of weights and activations. */
  readonly forward: FloatFormat;
  /** Of the gradients of both. */
  readonly backward: FloatFormat;
}

/**
 * What a format of the experiment rounds to. fp8 takes e4m3 forward and e5m2 for gradients, which
 * need range more than digits [Micikevicius et al. 2022, section 3]; e5m2 alone takes it for both.
 */
export function roundingOf(format: NumberFormat): Rounding | null {
  if (format === 'fp32') return null;
  const backward = format === 'e4m3' ? FLOAT_FORMATS.e5m2 : FLOAT_FORMATS[format];
  return { forward: FLOAT_FORMATS[format], backward };
}

/** Operators' boundaries on the tape. */
export interface Boundary {
  /** Rounds a weight; its gradient is left for `roundGradient`, which counts what is lost. */
  weight(w: tf.Tensor): tf.Tensor;
  /** Rounds what an operator made, and in backward the gradient that arrives for it. */
  result(y: tf.Tensor): tf.Tensor;
}

const identity = (x: tf.Tensor): tf.Tensor => x;

/** Rounds nothing. */
export const NO_BOUNDARY: Boundary = { weight: identity, result: identity };

/** One tensor rounded to a format, by the backend's kernel. No gradient passes. */
export function roundTensor(x: tf.Tensor, { name }: FloatFormat): tf.Tensor {
  return tf.engine().runKernel(ROUND_KERNEL, { x }, { format: name }) as tf.Tensor;
}

/** The boundary of a rounding. */
export function boundaryOf(rounding: Rounding | null): Boundary {
  if (rounding === null) return NO_BOUNDARY;
  const { forward, backward } = rounding;
  const weight = tf.customGrad((w) => {
    return { value: roundTensor(w as tf.Tensor, forward), gradFunc: (dw: tf.Tensor) => dw };
  }) as (w: tf.Tensor) => tf.Tensor;
  const result = tf.customGrad((y) => {
    const gradFunc = (dy: tf.Tensor): tf.Tensor => roundTensor(dy, backward);
    return { value: roundTensor(y as tf.Tensor, forward), gradFunc };
  }) as (y: tf.Tensor) => tf.Tensor;
  return { weight, result };
}

/** Rounds the gradient of the weights in place, after counting what that does to it. */
export function roundGradient(
  rounding: Rounding | null,
  gradient: Float32Array,
): FloatCensus | null {
  if (rounding === null) return null;
  const census = censusOf(rounding.backward, gradient);
  roundFloats(rounding.backward, gradient);
  return census;
}

/** A batch's inputs, rounded; tokens and inputs in fp32 as they are. */
export function roundedInput(rounding: Rounding | null, x: Batch['x']): Batch['x'] {
  if (rounding === null || x instanceof Int32Array) return x;
  return rounded(x, rounding.forward);
}
