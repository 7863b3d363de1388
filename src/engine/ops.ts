/** @file Operations with gradients of their own, where the library's would be slow or unstable. */
import * as tf from '@tensorflow/tfjs-core';

const LAYER_NORM_EPSILON = 1e-5;
const GELU_SCALE = 2 * Math.sqrt(2 / Math.PI);
const GELU_CUBIC = 0.044715;

/** x [1, n, in] times w [1, in, out] plus bias [out], with relu in the same kernel where asked. */
export function dense(
  x: tf.Tensor,
  w: tf.Tensor,
  bias: tf.Tensor | undefined,
  activation: 'relu' | 'linear',
): tf.Tensor {
  if (bias === undefined) return tf.matMul(x, w);
  const inputs = { a: x, b: w, bias };
  const attributes = { transposeA: false, transposeB: false, activation };
  return tf.engine().runKernel('_FusedMatMul', inputs, attributes) as tf.Tensor;
}

/** x [n, h, w, in] with filter [k, k, in, out], stride 1, same size, with relu where asked. */
export function conv(
  x: tf.Tensor,
  filter: tf.Tensor,
  bias: tf.Tensor | undefined,
  activation: 'relu' | 'none',
): tf.Tensor {
  const attributes = {
    strides: [1, 1],
    pad: 'same',
    dataFormat: 'NHWC',
    dilations: [1, 1],
    activation: activation === 'relu' ? 'relu' : 'linear',
  };
  const inputs = bias === undefined ? { x, filter } : { x, filter, bias };
  return tf.engine().runKernel('FusedConv2D', inputs, attributes) as tf.Tensor;
}

/**
 * gelu in its tanh form, through the identity 1 + tanh(u) = 2 sigmoid(2u):
 * x sigmoid(2 sqrt(2/pi) (x + 0.044715 x^3)); sigmoid is a vectorised kernel on wasm, tanh is not.
 */
export const gelu = tf.customGrad((input, save) => {
  const x = input as tf.Tensor;
  const inner = tf.mul(x, tf.add(tf.mul(tf.square(x), GELU_SCALE * GELU_CUBIC), GELU_SCALE));
  const gate = tf.sigmoid(inner);
  (save as tf.GradSaveFunc)([x, gate]);
  const gradFunc = (dy: tf.Tensor, saved: tf.Tensor[]): tf.Tensor => {
    const [x, gate] = saved as [tf.Tensor, tf.Tensor];
    const y = tf.mul(x, gate);
    const slope = tf.add(tf.mul(tf.square(x), 3 * GELU_SCALE * GELU_CUBIC), GELU_SCALE);
    return tf.mul(dy, tf.add(gate, tf.mul(tf.sub(y, tf.mul(y, gate)), slope)));
  };
  return { value: tf.mul(x, gate), gradFunc };
}) as (x: tf.Tensor) => tf.Tensor;

/** Layer normalisation over the last axis (Ba et al. 2016), epsilon 1e-5 as in PyTorch. */
export const layerNorm = tf.customGrad((...inputs) => {
  const [x, weight, bias, save] = inputs as [tf.Tensor, tf.Tensor, tf.Tensor, tf.GradSaveFunc];
  const centred = tf.sub(x, tf.mean(x, -1, true));
  const variance = tf.mean(tf.square(centred), -1, true);
  const scale = tf.rsqrt(tf.add(variance, LAYER_NORM_EPSILON));
  const normal = tf.mul(centred, scale);
  save([normal, scale, weight]);
  const gradFunc = (dy: tf.Tensor, saved: tf.Tensor[]): tf.Tensor[] => {
    const [normal, scale, weight] = saved as [tf.Tensor, tf.Tensor, tf.Tensor];
    const dNormal = tf.mul(dy, weight);
    const along = tf.mul(normal, tf.mean(tf.mul(dNormal, normal), -1, true));
    const across = tf.sub(dNormal, tf.add(tf.mean(dNormal, -1, true), along));
    const rows = [-1, weight.size];
    return [
      tf.mul(across, scale),
      tf.sum(tf.reshape(tf.mul(dy, normal), rows), 0),
      tf.sum(tf.reshape(dy, rows), 0),
    ];
  };
  return { value: tf.add(tf.mul(normal, weight), bias), gradFunc };
}) as (x: tf.Tensor, weight: tf.Tensor, bias: tf.Tensor) => tf.Tensor;

/**
 * Mean cross-entropy in nats of logits [1, n, classes] against one-hot labels of the same shape,
 * through log-sum-exp of the shifted logits. Its gradient is (softmax - labels) / n.
 */
export function crossEntropy(logits: tf.Tensor, labels: tf.Tensor): tf.Scalar {
  const count = logits.shape[1] ?? 1;
  const operation = tf.customGrad((input, save) => {
    const values = input as tf.Tensor;
    const shifted = tf.sub(values, tf.max(values, -1, true));
    const logSum = tf.log(tf.sum(tf.exp(shifted), -1, true));
    (save as tf.GradSaveFunc)([tf.sub(shifted, logSum)]);
    const gradFunc = (dy: tf.Tensor, saved: tf.Tensor[]): tf.Tensor => {
      const [logProbabilities] = saved as [tf.Tensor];
      // At most 0 anyway, but not in the padding of WebGL's packed textures, where exp would reach
      // infinity and matMul make NaN of it.
      const probabilities = tf.exp(tf.minimum(logProbabilities, 0));
      return tf.mul(tf.sub(probabilities, labels), tf.div(dy, count));
    };
    const picked = tf.sum(tf.mul(shifted, labels), -1, true);
    return { value: tf.mean(tf.sub(logSum, picked)), gradFunc };
  }) as (logits: tf.Tensor) => tf.Tensor;
  return operation(logits) as tf.Scalar;
}
