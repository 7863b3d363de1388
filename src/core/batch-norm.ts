/**
 * @file What batch normalisation keeps and what ranks tell each other about it: the moments of a
 * batch, those of several batches together, and their running means.
 */
import type { Model } from './model.ts';

/** Added to the variance before its root is taken, as in PyTorch. */
export const BATCH_NORM_EPSILON = 1e-5;
/** Share of a new batch in the running statistics; PyTorch's default. */
const MOMENTUM = 0.1;

/** Of one layer, by channel; `variance` is the biased one, over `count` values a channel. */
export interface Moments {
  readonly mean: Float32Array;
  readonly variance: Float32Array;
  readonly count: number;
}

/** Elements that one rank tells the others of a layer: means, variances and the count, 2C + 1. */
export function packMoments({ mean, variance, count }: Moments): Float32Array {
  const channels = mean.length;
  const packed = new Float32Array(2 * channels + 1);
  packed.set(mean);
  packed.set(variance, channels);
  packed[2 * channels] = count;
  return packed;
}

/** The inverse of `packMoments`. */
export function unpackMoments(packed: Float32Array): Moments {
  const channels = (packed.length - 1) / 2;
  return {
    mean: packed.slice(0, channels),
    variance: packed.slice(channels, 2 * channels),
    count: packed[2 * channels],
  };
}

/**
 * The moments of all batches together, each counting as often as it has values. Sums are taken in
 * float64 in the order of `parts`, so every rank comes to the same bits. Throws RangeError for none.
 */
export function combineMoments(parts: readonly Moments[]): Moments {
  const channels = parts[0]?.mean.length;
  if (channels === undefined) throw new RangeError('combineMoments: no batch was given');
  const count = parts.reduce((sum, part) => sum + part.count, 0);
  const mean = new Float32Array(channels);
  const variance = new Float32Array(channels);
  for (let channel = 0; channel < channels; channel++) {
    let sum = 0;
    for (const part of parts) sum += part.count * part.mean[channel];
    const centre = sum / count;
    let squares = 0;
    for (const part of parts) {
      const off = part.mean[channel] - centre;
      squares += part.count * (part.variance[channel] + off * off);
    }
    mean[channel] = centre;
    variance[channel] = squares / count;
  }
  return { mean, variance, count };
}

/**
 * The buffers of `model` after a batch with these moments, one entry a norm segment: running mean and
 * unbiased variance move by a tenth. Throws RangeError where a channel has a single value, whose
 * variance says nothing [torch batch_norm].
 */
export function updatedBuffers(
  model: Model,
  buffers: Float32Array,
  moments: readonly Moments[],
): Float32Array {
  const updated = buffers.slice();
  normBuffers(model).forEach(([mean, variance], i) => {
    const batch = moments[i];
    if (batch.count < 2) {
      throw new RangeError(`${mean.name}: ${batch.count} value a channel; more are needed`);
    }
    const unbiased = batch.count / (batch.count - 1);
    for (let channel = 0; channel < mean.length; channel++) {
      mix(updated, mean.offset + channel, batch.mean[channel]);
      mix(updated, variance.offset + channel, batch.variance[channel] * unbiased);
    }
  });
  return updated;
}

/** Elements of float32 that ranks need to tell each other their moments, for the widest synchronised layer. */
export function momentsLength({ segments }: Model, worldSize: number): number {
  const shared = segments.filter(({ op }) => op.kind === 'batchNorm' && op.synchronised);
  const widest = Math.max(0, ...shared.map(({ buffers }) => buffers[0].length));
  return widest === 0 ? 0 : worldSize * (2 * widest + 1);
}

/** Running mean and variance of each norm segment. */
function normBuffers(model: Model) {
  const norms = model.segments.filter(({ op }) => op.kind === 'batchNorm');
  return norms.map(({ buffers }) => [buffers[0], buffers[1]] as const);
}

function mix(running: Float32Array, i: number, value: number): void {
  running[i] = (1 - MOMENTUM) * running[i] + MOMENTUM * value;
}
