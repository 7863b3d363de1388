/**
 * @file Gradients of TensorFlow.js kernels, written as compositions that every backend has and
 * runs fast. They replace those of the library (one tape, whatever records it).
 */
import * as tf from '@tensorflow/tfjs-core';
import '@tensorflow/tfjs-core/dist/register_all_gradients';

/** Swaps the last two axes. */
function transposeMatrix(x: tf.Tensor): tf.Tensor {
  const order = x.shape.map((_, axis) => axis);
  const rank = order.length;
  return tf.transpose(x, [...order.slice(0, -2), rank - 1, rank - 2]);
}

/** The slope of a fused activation, read off its output. */
function throughActivation(
  dy: tf.Tensor,
  y: tf.Tensor | undefined,
  attributes: unknown,
): tf.Tensor {
  const { activation } = attributes as { activation?: string };
  return activation === 'relu' && y !== undefined ? tf.mul(dy, tf.step(y)) : dy;
}

const sumOverAllButLast = (dy: tf.Tensor): tf.Tensor => {
  return tf.sum(dy.rank > 2 ? tf.reshape(dy, [-1, dy.shape[dy.rank - 1] ?? 1]) : dy, 0);
};

/** d(filter) of a convolution with stride 1 and 'same' padding. */
function filterGradient(x: tf.Tensor, dy: tf.Tensor, filterShape: number[]): tf.Tensor {
  const attributes = { strides: 1, pad: 'same', dataFormat: 'NHWC', filterShape };
  return tf.engine().runKernel('Conv2DBackpropFilter', { x, dy }, attributes) as tf.Tensor;
}

/** d(x) of the same convolution: dy against the filter turned by 180 degrees, in and out swapped. */
function inputGradient(dy: tf.Tensor4D, filter: tf.Tensor4D): tf.Tensor {
  const turned = tf.transpose(tf.reverse(filter, [0, 1]), [0, 1, 3, 2]);
  return tf.conv2d(dy, turned as tf.Tensor4D, 1, 'same');
}

let registered = false;

/** Registers the gradients, once a realm. */
export function registerGradients(): void {
  if (registered) return;
  registered = true;
  // Explicit transposes: the kernels' transpose flags leave XNNPACK's path on wasm.
  tf.registerGradient({
    kernelName: 'BatchMatMul',
    inputsToSave: ['a', 'b'],
    gradFunc: (dy, saved) => {
      const [a, b] = saved as [tf.Tensor, tf.Tensor];
      return {
        a: () => tf.matMul(dy as tf.Tensor, transposeMatrix(b)),
        b: () => tf.matMul(transposeMatrix(a), dy as tf.Tensor),
      };
    },
  });
  tf.registerGradient({
    kernelName: '_FusedMatMul',
    inputsToSave: ['a', 'b'],
    outputsToSave: [true],
    gradFunc: (dy, saved, attributes) => {
      const [a, b, y] = saved as [tf.Tensor, tf.Tensor, tf.Tensor];
      const dz = throughActivation(dy as tf.Tensor, y, attributes);
      return {
        a: () => tf.matMul(dz, transposeMatrix(b)),
        b: () => tf.matMul(transposeMatrix(a), dz),
        bias: () => sumOverAllButLast(dz),
      };
    },
  });
  tf.registerGradient({
    kernelName: 'FusedConv2D',
    inputsToSave: ['x', 'filter'],
    outputsToSave: [true],
    gradFunc: (dy, saved, attributes) => {
      const [x, filter, y] = saved as [tf.Tensor4D, tf.Tensor4D, tf.Tensor4D];
      const dz = throughActivation(dy as tf.Tensor, y, attributes) as tf.Tensor4D;
      return {
        x: () => inputGradient(dz, filter),
        filter: () => filterGradient(x, dz, filter.shape),
        bias: () => sumOverAllButLast(dz),
      };
    },
  });
}
