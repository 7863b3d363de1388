/** @file Kernels that the wasm backend lacks, as compositions of those it has. */
import * as tf from '@tensorflow/tfjs-core';

type Pair = [number, number];

interface FilterGradientAttributes {
  readonly strides: number | Pair;
  readonly pad: 'same' | 'valid' | number;
  readonly filterShape: [number, number, number, number];
}

/**
 * d(filter) of a convolution as a convolution itself: channels stand for the batch, the batch for
 * channels, the output's gradient for the filter, the stride for its dilation.
 * x [n, h, w, in], dy [n, oh, ow, out] -> [kh, kw, in, out].
 */
function filterGradient(
  x: tf.Tensor4D,
  dy: tf.Tensor4D,
  { strides, pad, filterShape }: FilterGradientAttributes,
): tf.Tensor {
  const info = tf.backend_util.computeConv2DInfo(x.shape, filterShape, strides, 1, pad);
  const { top, bottom, left, right } = info.padInfo;
  const around: Pair[] = [
    [0, 0],
    [top, bottom],
    [left, right],
    [0, 0],
  ];
  const images: tf.Tensor4D = tf.transpose(tf.pad(x, around), [3, 1, 2, 0]);
  const filters: tf.Tensor4D = tf.transpose(dy, [1, 2, 0, 3]);
  const dilations: Pair = [info.strideHeight, info.strideWidth];
  const all = tf.conv2d(images, filters, 1, 'valid', 'NHWC', dilations);
  const [kernelHeight, kernelWidth, inputs, outputs] = filterShape;
  // With a stride, rows that no window reached are left over at the end.
  const whole = tf.slice(all, 0, [inputs, kernelHeight, kernelWidth, outputs]);
  return tf.transpose(whole, [1, 2, 0, 3]);
}

/** Registers the missing kernels, once a realm. */
export function registerWasmKernels(): void {
  if (tf.getKernel('Conv2DBackpropFilter', 'wasm') !== undefined) return;
  tf.registerKernel({
    kernelName: 'Conv2DBackpropFilter',
    backendName: 'wasm',
    kernelFunc: ({ inputs, attrs }) => {
      const { x, dy } = inputs as unknown as { x: tf.Tensor4D; dy: tf.Tensor4D };
      return filterGradient(x, dy, attrs as unknown as FilterGradientAttributes);
    },
  });
}
