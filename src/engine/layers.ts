/**
 * @file What each segment computes. Rows of features are tensors [1, rows, features] throughout
 * (rows are samples, or tokens for text), images [samples, height, width, channels].
 */
import * as tf from '@tensorflow/tfjs-core';
import type { Activation, Segment } from '#core/model';
import { batchNormRelu, normalise, type Statistics } from './batch-norm.ts';
import { conv, dense, gelu, layerNorm } from './ops.ts';
import type { Boundary } from './rounding.ts';

/** Stands for minus infinity in the causal mask; exp of it is 0, and it is finite on every backend. */
const MASKED = -1e9;

type Shape = readonly number[];

/** The shape of a segment's input or output for `size` samples. */
export function batchShape(shape: Shape, size: number): number[] {
  if (shape.length === 3) return [size, ...shape];
  const features = shape[shape.length - 1] ?? 1;
  const rows = shape.length === 2 ? (shape[0] ?? 1) * size : size;
  return [1, rows, features];
}

/** Normalises what `segment`, a batch norm, is given, and applies relu. */
export type Normalise = (
  segment: Segment,
  x: tf.Tensor,
  weight: tf.Tensor,
  bias: tf.Tensor,
) => tf.Tensor;

/** By the statistics of what it is given, as in training; `note` is told them. */
export function byBatch(note: (segment: Segment, statistics: Statistics) => void): Normalise {
  return (segment, x, weight, bias) => {
    return batchNormRelu(x, weight, bias, (statistics) => note(segment, statistics));
  };
}

/** By statistics that are known: the running ones, or those of all ranks' batches. */
export function byStatistics(statisticsOf: (segment: Segment) => Statistics): Normalise {
  return (segment, x, weight, bias) => {
    return tf.relu(normalise(x, statisticsOf(segment), weight, bias));
  };
}

/** In what way a segment is computed. */
export interface Setting {
  /** Samples of the batch. */
  readonly size: number;
  readonly boundary: Boundary;
  readonly normalise: Normalise;
}

/**
 * Applies `segment` to `x`, with its parameters in order. Token ids come one-hot. Products round
 * their weights and results at the boundary, and so do activations and sums; normalisation, softmax
 * and masks compute in fp32, as under torch.autocast. `x` is rounded already.
 */
export function applySegment(
  segment: Segment,
  parameters: readonly tf.Tensor[],
  x: tf.Tensor,
  setting: Setting,
): tf.Tensor {
  const { size, boundary } = setting;
  const { op } = segment;
  switch (op.kind) {
    case 'dense': {
      const [weight, bias] = parameters as [tf.Tensor, tf.Tensor];
      return activatedDense(x, weight, bias, op.activation, boundary);
    }
    case 'conv': {
      const [filter, bias] = parameters as [tf.Tensor, tf.Tensor | undefined];
      const { activation } = op;
      const rounded = bias === undefined ? undefined : boundary.weight(bias);
      return boundary.result(conv(x, boundary.weight(filter), rounded, activation));
    }
    case 'batchNorm': {
      const [weight, bias] = parameters as [tf.Tensor, tf.Tensor];
      return boundary.result(setting.normalise(segment, x, weight, bias));
    }
    case 'maxpool':
      // Only ever behind a relu: the wasm gradient gives 0 where a window's maximum is negative.
      return tf.maxPool(x as tf.Tensor4D, op.size, op.size, 'valid');
    case 'flatten':
      return tf.reshape(x, batchShape(segment.outputShape, size));
    case 'embedding':
      return embedding(segment, parameters, x, size, boundary);
    case 'attention':
      return attention(segment, op.heads, parameters, x, size, boundary);
    case 'feedForward':
      return feedForward(parameters, x, boundary);
    case 'layerNorm': {
      const [weight, bias] = parameters as [tf.Tensor, tf.Tensor];
      return boundary.result(layerNorm(x, weight, bias));
    }
  }
}

function activatedDense(
  x: tf.Tensor,
  weight: tf.Tensor,
  bias: tf.Tensor,
  activation: Activation | 'none',
  boundary: Boundary,
): tf.Tensor {
  const y = roundedDense(x, weight, bias, activation === 'relu' ? 'relu' : 'linear', boundary);
  if (activation === 'tanh') return boundary.result(tf.tanh(y));
  return activation === 'gelu' ? boundary.result(gelu(y)) : y;
}

/** relu and rounding commute, so the fused kernel serves. */
function roundedDense(
  x: tf.Tensor,
  weight: tf.Tensor,
  bias: tf.Tensor,
  activation: 'relu' | 'linear',
  boundary: Boundary,
): tf.Tensor {
  return boundary.result(dense(x, boundary.weight(weight), boundary.weight(bias), activation));
}

/** One-hot tokens [1, size * context, vocabulary]: a product instead of gather, whose gradient would scatter. */
function embedding(
  segment: Segment,
  parameters: readonly tf.Tensor[],
  oneHot: tf.Tensor,
  size: number,
  boundary: Boundary,
): tf.Tensor {
  const [tokens, positions] = parameters as [tf.Tensor, tf.Tensor];
  const [context, width] = segment.outputShape as [number, number];
  const looked = tf.matMul(oneHot, boundary.weight(tokens));
  const placed = tf.add(tf.reshape(looked, [size, context, width]), boundary.weight(positions));
  return tf.reshape(boundary.result(placed), batchShape(segment.outputShape, size));
}

/** Pre-norm causal self-attention with its residual (Vaswani et al. 2017, section 3.2). */
function attention(
  segment: Segment,
  heads: number,
  parameters: readonly tf.Tensor[],
  x: tf.Tensor,
  size: number,
  boundary: Boundary,
): tf.Tensor {
  const { weight, result } = boundary;
  const [normWeight, normBias, wq, wk, wv, wo, bo] = parameters as [
    tf.Tensor,
    tf.Tensor,
    tf.Tensor,
    tf.Tensor,
    tf.Tensor,
    tf.Tensor,
    tf.Tensor,
  ];
  const [context, width] = segment.inputShape as [number, number];
  const depth = width / heads;
  const normal = result(layerNorm(x, normWeight, normBias));
  /** [1, size * context, width] -> [size, heads, context, depth], or the axes in another order. */
  const split = (rows: tf.Tensor, order: number[]): tf.Tensor => {
    return tf.transpose(tf.reshape(rows, [size, context, heads, depth]), order);
  };
  const project = (w: tf.Tensor): tf.Tensor => result(tf.matMul(normal, weight(w)));
  const q = split(tf.mul(project(wq), 1 / Math.sqrt(depth)), [0, 2, 1, 3]);
  const kTransposed = split(project(wk), [0, 2, 3, 1]);
  const v = split(project(wv), [0, 2, 1, 3]);
  const scores = tf.add(result(tf.matMul(result(q), kTransposed)), causalMask(context));
  const mixed = result(tf.matMul(result(tf.softmax(scores)), v));
  const rows = tf.reshape(tf.transpose(mixed, [0, 2, 1, 3]), x.shape);
  return result(tf.add(x, roundedDense(rows, wo, bo, 'linear', boundary)));
}

function causalMask(context: number): tf.Tensor {
  const mask = new Float32Array(context * context);
  for (let query = 0; query < context; query++) {
    mask.fill(MASKED, query * context + query + 1, (query + 1) * context);
  }
  return tf.tensor(mask, [1, 1, context, context]);
}

function feedForward(
  parameters: readonly tf.Tensor[],
  x: tf.Tensor,
  boundary: Boundary,
): tf.Tensor {
  const { result } = boundary;
  const [normWeight, normBias, w1, b1, w2, b2] = parameters as [
    tf.Tensor,
    tf.Tensor,
    tf.Tensor,
    tf.Tensor,
    tf.Tensor,
    tf.Tensor,
  ];
  const normal = result(layerNorm(x, normWeight, normBias));
  const inner = result(gelu(roundedDense(normal, w1, b1, 'linear', boundary)));
  return result(tf.add(x, roundedDense(inner, w2, b2, 'linear', boundary)));
}
