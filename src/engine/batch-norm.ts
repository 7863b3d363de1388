/**
 * @file Batch normalisation, channel by channel over all but the last axis [Ioffe and Szegedy 2015].
 * With one kernel for (x - mean) / sqrt(variance + epsilon) * scale + offset: on wasm it is faster
 * than the same in broadcast steps.
 */
import * as tf from '@tensorflow/tfjs-core';
import { BATCH_NORM_EPSILON } from '#core/batch-norm';

/** Of a batch [n, h, w, channels], by channel; the variance is the biased one. */
export interface Statistics {
  readonly mean: tf.Tensor;
  readonly variance: tf.Tensor;
}

/** Gradients of weight and bias, by channel; summed over ranks they are what inputs depend on. */
export interface ChannelSums {
  readonly weight: tf.Tensor;
  readonly bias: tf.Tensor;
}

/** Values a channel. */
export const valuesOf = (x: tf.Tensor): number => x.size / (x.shape[x.rank - 1] ?? 1);

const rowsOf = (x: tf.Tensor): tf.Tensor => tf.reshape(x, [-1, x.shape[x.rank - 1] ?? 1]);

/** Mean and biased variance of a batch. */
export function statisticsOf(x: tf.Tensor): Statistics {
  const rows = rowsOf(x);
  const mean = tf.mean(rows, 0);
  return { mean, variance: tf.mean(tf.squaredDifference(rows, mean), 0) };
}

/** x, normalised by these statistics, times `scale`, plus `offset`. */
export function normalise(
  x: tf.Tensor,
  { mean, variance }: Statistics,
  scale: tf.Tensor,
  offset: tf.Tensor,
): tf.Tensor {
  const inputs = { x, mean, variance, scale, offset };
  const attributes = { varianceEpsilon: BATCH_NORM_EPSILON };
  return tf.engine().runKernel('FusedBatchNorm', inputs, attributes) as tf.Tensor;
}

/** From the gradient `dz` of what `normalise` made of the batch `x`. */
export function channelSums(x: tf.Tensor, dz: tf.Tensor, statistics: Statistics): ChannelSums {
  const { mean } = statistics;
  const normal = normalise(x, statistics, tf.onesLike(mean), tf.zerosLike(mean));
  return { weight: tf.sum(rowsOf(tf.mul(dz, normal)), 0), bias: tf.sum(rowsOf(dz), 0) };
}

/**
 * The gradient of the batch `x`, where the statistics are those of `count` values a channel, and
 * `sums` of the gradients of all of them:
 * weight / sqrt(variance + epsilon) * (dz - sums.bias / count - normal * sums.weight / count).
 */
export function inputGradient(
  x: tf.Tensor,
  dz: tf.Tensor,
  statistics: Statistics,
  weight: tf.Tensor,
  sums: ChannelSums,
  count: number,
): tf.Tensor {
  const { mean, variance } = statistics;
  const zeros = tf.zerosLike(mean);
  const scale = tf.mul(weight, tf.rsqrt(tf.add(variance, BATCH_NORM_EPSILON)));
  const centred = { mean: tf.div(sums.bias, count), variance };
  const along = tf.mul(scale, tf.div(sums.weight, count));
  return tf.sub(normalise(dz, centred, weight, zeros), normalise(x, statistics, along, zeros));
}

/**
 * Normalises a batch by its own statistics, which `note` is told and which live in the tape's scope,
 * and applies relu. For backward it keeps the batch and the result, but nothing in between.
 */
export function batchNormRelu(
  x: tf.Tensor,
  weight: tf.Tensor,
  bias: tf.Tensor,
  note: (statistics: Statistics) => void,
): tf.Tensor {
  const operation = tf.customGrad((...inputs) => {
    const [x, weight, bias, save] = inputs as [tf.Tensor, tf.Tensor, tf.Tensor, tf.GradSaveFunc];
    const statistics = statisticsOf(x);
    note(statistics);
    const y = tf.relu(normalise(x, statistics, weight, bias));
    save([x, y, weight, statistics.mean, statistics.variance]);
    const gradFunc = (dy: tf.Tensor, saved: tf.Tensor[]): tf.Tensor[] => {
      const [x, y, weight, mean, variance] = saved as [
        tf.Tensor,
        tf.Tensor,
        tf.Tensor,
        tf.Tensor,
        tf.Tensor,
      ];
      const statistics = { mean, variance };
      const dz = tf.mul(dy, tf.step(y));
      const sums = channelSums(x, dz, statistics);
      const dx = inputGradient(x, dz, statistics, weight, sums, valuesOf(x));
      return [dx, sums.weight, sums.bias];
    };
    return { value: y, gradFunc };
  }) as (x: tf.Tensor, weight: tf.Tensor, bias: tf.Tensor) => tf.Tensor;
  return operation(x, weight, bias);
}
