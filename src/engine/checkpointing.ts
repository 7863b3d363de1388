/**
 * @file A model's loss and gradient on the tape: the whole model at once, or a segment at a time, each
 * recomputed in backward from its input alone (activation checkpointing [Chen et al. 2016]). Both
 * run the same kernels on the same values, so they agree to the bit where kernels repeat.
 */
import * as tf from '@tensorflow/tfjs-core';
import type { Model, Segment } from '#core/model';
import { applySegment } from './layers.ts';
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

export interface PassResult {
  readonly loss: tf.Tensor;
  /** One for each parameter, in order. */
  readonly gradients: readonly tf.Tensor[];
  /** The library's own figure: most bytes of tensors alive beside those of the pass, at a tape's end. */
  readonly heldBytes: number;
}

type Apply = (...inputs: tf.Tensor[]) => tf.Tensor;

const liveBytes = (): number => tf.memory().numBytes;

/** The output of all segments, for logits or for one tape. */
export function applyModel(pass: Omit<Pass, 'labels' | 'lossScale'>): tf.Tensor {
  const { model, parameters, size, boundary } = pass;
  return model.segments.reduce((x, segment, i) => {
    return applySegment(segment, parametersOf(model, i, parameters), x, size, boundary);
  }, pass.x);
}

/** Everything that forward makes is kept until backward has used it. */
export function wholePass(pass: Pass): PassResult {
  const before = liveBytes();
  let held = 0;
  const loss: Apply = (...parameters) => {
    const value = crossEntropy(applyModel({ ...pass, parameters }), pass.labels);
    held = liveBytes() - before;
    return value;
  };
  const { value, grads } = tf.valueAndGrads(loss)([...pass.parameters], pass.lossScale);
  return { loss: value, gradients: grads, heldBytes: held };
}

/** Only the segments' inputs are kept; backward makes the rest again, one segment at a time. */
export function checkpointedPass(pass: Pass): PassResult {
  const { model, labels, size, boundary } = pass;
  const before = liveBytes();
  let held = 0;
  const note = (): void => {
    held = Math.max(held, liveBytes() - before);
  };
  const own = (segment: number): tf.Tensor[] => parametersOf(model, segment, pass.parameters);
  const inputs: tf.Tensor[] = [pass.x];
  model.segments.forEach((segment, i) => {
    const x = inputs[i] as tf.Tensor;
    inputs.push(tf.tidy(() => applySegment(segment, own(i), x, size, boundary)));
  });
  const logits = inputs.pop() as tf.Tensor;
  const top = tf.valueAndGrad((z: tf.Tensor) => crossEntropy(z, labels))(logits, pass.lossScale);
  let dy = top.grad;
  logits.dispose();
  const gradients: tf.Tensor[][] = [];
  for (let i = model.segments.length - 1; i >= 0; i--) {
    const x = inputs[i] as tf.Tensor;
    const [dx, parts] = backwardOf(model.segments[i] as Segment, own(i), x, dy, i > 0, pass, note);
    gradients.unshift(parts);
    dy.dispose();
    if (i > 0) x.dispose();
    if (dx !== null) dy = dx;
  }
  return { loss: top.value, gradients: gradients.flat(), heldBytes: held };
}

/** Gradients of a segment's input, where wanted, and of its parameters. */
function backwardOf(
  segment: Segment,
  parameters: readonly tf.Tensor[],
  x: tf.Tensor,
  dy: tf.Tensor,
  wantsInput: boolean,
  { size, boundary }: Pass,
  note: () => void,
): [tf.Tensor | null, tf.Tensor[]] {
  const forward = (input: tf.Tensor, rest: readonly tf.Tensor[]): tf.Tensor => {
    const y = applySegment(segment, rest, input, size, boundary);
    note();
    return y;
  };
  if (!wantsInput) {
    const apply: Apply = (...rest) => forward(x, rest);
    return [null, tf.tidy(() => tf.grads(apply)([...parameters], dy))];
  }
  const apply: Apply = (input, ...rest) => forward(input as tf.Tensor, rest);
  const [dx, ...parts] = tf.tidy(() => tf.grads(apply)([x, ...parameters], dy));
  return [dx as tf.Tensor, parts];
}

function parametersOf(model: Model, segment: number, all: readonly tf.Tensor[]): tf.Tensor[] {
  let first = 0;
  for (let i = 0; i < segment; i++) first += model.segments[i]?.parameters.length ?? 0;
  return all.slice(first, first + (model.segments[segment]?.parameters.length ?? 0));
}
