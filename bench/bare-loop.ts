/**
 * @file Training as it is written with TensorFlow.js alone: variables, variableGrads, the momentum
 * optimizer, the loss read back.
 */
import * as tf from '@tensorflow/tfjs-core';
import '@tensorflow/tfjs-core/dist/register_all_gradients';
import { initialWeights } from '#core/initial-weights';
import type { Model, Segment } from '#core/model';
import type { Batch } from '#engine/engine';
import { registerGradients } from '#engine/gradients';
import { applySegment, batchShape, byBatch } from '#engine/layers';
import { crossEntropy } from '#engine/ops';
import { NO_BOUNDARY } from '#engine/rounding';
import { openWasm } from '#engine/wasm';
import { WASM_URL } from '#engine/wasm-url';

/** Makes one step on a batch; returns its loss. */
export type BareStep = (batch: Batch) => number;

/**
 * 'library': as anybody writes it; only the kernel that wasm lacks is ours. 'engine': with our
 * engine's operations and gradients, so that what is left is what a replica does around them.
 */
export type Operations = 'library' | 'engine';

const LEARNING_RATE = 0.01;
const MOMENTUM = 0.9;
const OWN_BATCH = byBatch(() => undefined);

/** A step of `model` (an MLP or a CNN over images) on wasm, in a realm without other engines. */
export async function bareLoop(model: Model, operations: Operations): Promise<BareStep> {
  const { instance } = await openWasm({ wasmUrl: WASM_URL });
  tf.registerBackend('wasm', () => instance);
  await tf.setBackend('wasm');
  if (operations === 'engine') registerGradients();
  const write = operations === 'engine' ? engineWay(model) : libraryWay(model);
  const initial = initialWeights(model, 0);
  const variables = model.parameters.map(({ offset, length, shape }) => {
    const values = initial.slice(offset, offset + length);
    return tf.variable(tf.tensor(values, write.parameterShape(shape)));
  });
  const optimizer = tf.train.momentum(LEARNING_RATE, MOMENTUM);
  const classes = model.task.kind === 'image' ? model.task.classes : 0;
  return ({ x, y, size }) =>
    tf.tidy(() => {
      const input = tf.tensor(x, write.inputShape(size));
      const hot = tf.cast(tf.oneHot(tf.tensor1d(y, 'int32'), classes), 'float32');
      const labels = tf.reshape(hot, write.labelShape(size, classes));
      const { value, grads } = tf.variableGrads(() => write.loss(variables, input, labels, size));
      optimizer.applyGradients(Object.entries(grads).map(([name, tensor]) => ({ name, tensor })));
      return value.dataSync()[0] ?? Number.NaN;
    });
}

/** One way to write a model down. */
interface Way {
  parameterShape(shape: readonly number[]): number[];
  inputShape(size: number): number[];
  labelShape(size: number, classes: number): number[];
  loss(parameters: tf.Tensor[], input: tf.Tensor, labels: tf.Tensor, size: number): tf.Scalar;
}

function engineWay(model: Model): Way {
  return {
    parameterShape: (shape) => (shape.length === 2 ? [1, ...shape] : [...shape]),
    inputShape: (size) => batchShape(model.segments[0]?.inputShape ?? [], size),
    labelShape: (size, classes) => [1, size, classes],
    loss: (parameters, input, labels, size) =>
      crossEntropy(
        through(model, parameters, input, (segment, own, x) =>
          applySegment(segment, own, x, { size, boundary: NO_BOUNDARY, normalise: OWN_BATCH }),
        ),
        labels,
      ),
  };
}

function libraryWay(model: Model): Way {
  return {
    parameterShape: (shape) => [...shape],
    inputShape: (size) => [size, ...(model.segments[0]?.inputShape ?? [])],
    labelShape: (size, classes) => [size, classes],
    loss: (parameters, input, labels) =>
      tf.losses.softmaxCrossEntropy(labels, through(model, parameters, input, librarySegment)),
  };
}

type Apply = (segment: Segment, parameters: tf.Tensor[], x: tf.Tensor) => tf.Tensor;

function through(model: Model, parameters: tf.Tensor[], input: tf.Tensor, apply: Apply): tf.Tensor {
  let used = 0;
  return model.segments.reduce((x, segment) => {
    const first = used;
    used += segment.parameters.length;
    return apply(segment, parameters.slice(first, used), x);
  }, input);
}

function librarySegment({ op }: Segment, parameters: tf.Tensor[], x: tf.Tensor): tf.Tensor {
  switch (op.kind) {
    case 'dense': {
      const [weight, bias] = parameters as [tf.Tensor2D, tf.Tensor1D];
      const z = tf.add(tf.matMul(x as tf.Tensor2D, weight), bias);
      return op.activation === 'relu' ? tf.relu(z) : z;
    }
    case 'conv': {
      const [filter, bias] = parameters as [tf.Tensor4D, tf.Tensor1D];
      return tf.relu(tf.add(tf.conv2d(x as tf.Tensor4D, filter, 1, 'same'), bias));
    }
    case 'maxpool':
      return tf.maxPool(x as tf.Tensor4D, op.size, op.size, 'valid');
    case 'flatten':
      return tf.reshape(x, [x.shape[0] ?? 0, -1]);
    default:
      throw new Error(`the bare loop has no segment of kind "${op.kind}"`);
  }
}
