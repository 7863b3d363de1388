/** @file A model's loss and gradient on one tape: everything forward makes is kept for backward. */
import * as tf from '@tensorflow/tfjs-core';
import type { Model, Segment } from '#core/model';
import type { Statistics } from './batch-norm.ts';
import { applySegment, byBatch, type Setting } from './layers.ts';
import { crossEntropy } from './ops.ts';
import type { Boundary } from './rounding.ts';

export interface Pass {
  readonly model: Model;
  /** A tensor for each parameter, in order. */
  readonly parameters: readonly tf.Tensor[];
  readonly x: tf.Tensor;
  /** One-hot. */
  readonly labels: tf.Tensor;
  readonly size: number;
  readonly boundary: Boundary;
  /** What the gradient of the loss begins with; 1 where undefined. */
  readonly lossScale: tf.Scalar | undefined;
}

/** What a batch norm normalised by, over `count` values a channel. */
export interface Noted extends Statistics {
  readonly count: number;
}

export interface PassResult {
  readonly loss: tf.Tensor;
  /** One for each parameter, in order. */
  readonly gradients: readonly tf.Tensor[];
  /** One for each norm, in order. No scope disposes of them; the caller does. */
  readonly noted: readonly Noted[];
  /** The library's own figure: most bytes of tensors alive beside those of the pass, at a tape's end. */
  readonly heldBytes: number;
}

export type Apply = (...inputs: tf.Tensor[]) => tf.Tensor;

/** Bytes of all tensors alive, as the library counts. */
export const liveBytes = (): number => tf.memory().numBytes;

/** The output of all segments, for logits or for one tape. */
export function applyModel(
  { model, parameters, x }: Pick<Pass, 'model' | 'parameters' | 'x'>,
  setting: Setting,
): tf.Tensor {
  return model.segments.reduce((input, segment, i) => {
    return applySegment(segment, parametersOf(model, i, parameters), input, setting);
  }, x);
}

/** Forward and backward of all segments on one tape. */
export function wholePass(pass: Pass): PassResult {
  const { size, boundary } = pass;
  const noted: Noted[] = [];
  const normalise = byBatch((segment, statistics) => {
    noted.push(keepStatistics(segment, size, statistics));
  });
  const before = liveBytes();
  let held = 0;
  const loss: Apply = (...parameters) => {
    const logits = applyModel({ ...pass, parameters }, { size, boundary, normalise });
    const value = crossEntropy(logits, pass.labels);
    held = liveBytes() - before;
    return value;
  };
  const { value, grads } = tf.valueAndGrads(loss)([...pass.parameters], pass.lossScale);
  return { loss: value, gradients: grads, noted, heldBytes: held };
}

/** Statistics that outlive the scope they were made in. */
export function keepStatistics(
  { inputShape }: Segment,
  size: number,
  { mean, variance }: Statistics,
): Noted {
  const places = inputShape.slice(0, -1).reduce((a, b) => a * b, 1);
  return { mean: tf.keep(mean), variance: tf.keep(variance), count: size * places };
}

/** The tensors of one segment's parameters. */
export function parametersOf(
  model: Model,
  segment: number,
  all: readonly tf.Tensor[],
): tf.Tensor[] {
  let first = 0;
  for (let i = 0; i < segment; i++) first += model.segments[i]?.parameters.length ?? 0;
  return all.slice(first, first + (model.segments[segment]?.parameters.length ?? 0));
}
