/**
 * @file An independent reference for tests: the loss of any model in plain float64 loops, one sample
 * at a time but for batch norms, and its gradient by central differences. Slow, and written apart from the engines.
 */
import type { Activation, Model, Segment } from '#core/model';
import type { Batch } from './engine.ts';

const NORM_EPSILON = 1e-5;

/** Values of one sample, with the shape of the segment that made them. */
type Values = Float64Array<ArrayBuffer>;
type Weights = ArrayLike<number>;

const at = (values: ArrayLike<number>, i: number): number => values[i] as number;

/** Mean and biased variance of each channel. */
interface Moments {
  readonly mean: ArrayLike<number>;
  readonly variance: ArrayLike<number>;
}
type MomentsOf = (segment: Segment, samples: readonly Values[]) => Moments;

function samplesOf({ x, size }: Batch): Values[] {
  const inputs = x.length / size;
  return Array.from({ length: size }, (_, n): Values => {
    return Float64Array.from(x.subarray(n * inputs, (n + 1) * inputs));
  });
}

/** Mean cross-entropy of `batch` in nats; norms normalise by the batch. */
export function referenceLoss(model: Model, weights: Weights, batch: Batch): number {
  const predictions = batch.y.length / batch.size;
  let sum = 0;
  applyModel(model, weights, samplesOf(batch), momentsOf).forEach((logits, n) => {
    const classes = logits.length / predictions;
    for (let t = 0; t < predictions; t++) {
      const row = logits.subarray(t * classes, (t + 1) * classes);
      const largest = Math.max(...row);
      const total = row.reduce((acc, z) => acc + Math.exp(z - largest), 0);
      sum += largest + Math.log(total) - at(row, at(batch.y, n * predictions + t));
    }
  });
  return sum / batch.y.length;
}

/** Logits of all samples, one after another; norms normalise by the running statistics. */
export function referenceLogits(
  model: Model,
  weights: Weights,
  buffers: Float32Array,
  batch: Batch,
): number[] {
  const running: MomentsOf = (segment) => {
    const [mean, variance] = segment.buffers.map(({ offset, length }) => {
      return buffers.subarray(offset, offset + length);
    });
    return { mean: mean ?? [], variance: variance ?? [] };
  };
  return applyModel(model, weights, samplesOf(batch), running).flatMap((logits) => [...logits]);
}

/** Running statistics after `batch`: 0.9 of the old and 0.1 of mean and unbiased variance. */
export function referenceBuffers(
  model: Model,
  weights: Weights,
  buffers: Float32Array,
  batch: Batch,
): number[] {
  const after: number[] = [];
  applyModel(model, weights, samplesOf(batch), (segment, samples) => {
    const moments = momentsOf(segment, samples);
    const { mean, variance } = moments;
    const count = (samples.length * (samples[0]?.length ?? 0)) / mean.length;
    after.push(...Array.from(mean));
    after.push(...Array.from(variance, (value) => (value * count) / (count - 1)));
    return moments;
  });
  return after.map((value, i) => 0.9 * at(buffers, i) + 0.1 * value);
}

function applyModel(
  model: Model,
  weights: Weights,
  samples: readonly Values[],
  momentsOf: MomentsOf,
): readonly Values[] {
  return model.segments.reduce((values, segment) => {
    if (segment.op.kind !== 'batchNorm') {
      return values.map((sample) => applySegment(segment, weights, sample));
    }
    return batchNormalise(segment, weights, values, momentsOf(segment, values));
  }, samples);
}

/** Channel by channel, and a relu. */
function batchNormalise(
  segment: Segment,
  weights: Weights,
  samples: readonly Values[],
  { mean, variance }: Moments,
): Values[] {
  const weight = find(segment, 'weight')?.offset ?? 0;
  const bias = find(segment, 'bias')?.offset ?? 0;
  return samples.map((sample) => {
    return sample.map((value, i) => {
      const channel = i % mean.length;
      const normal = (value - at(mean, channel)) / Math.sqrt(at(variance, channel) + NORM_EPSILON);
      return Math.max(0, normal * at(weights, weight + channel) + at(weights, bias + channel));
    });
  });
}

/** Over all samples and places. */
function momentsOf(segment: Segment, samples: readonly Values[]): Moments {
  const channels = find(segment, 'weight')?.length ?? 1;
  const of = Array.from({ length: channels }, (_, channel) => {
    return samples.flatMap((sample) => [...sample.filter((_, i) => i % channels === channel)]);
  });
  const mean = of.map((values) => values.reduce((a, b) => a + b, 0) / values.length);
  const variance = of.map((values, channel) => {
    return values.reduce((a, b) => a + (b - at(mean, channel)) ** 2, 0) / values.length;
  });
  return { mean, variance };
}

/** (L(w + h) - L(w - h)) / 2h for every weight. */
export function referenceGradient(
  model: Model,
  weights: Float32Array,
  batch: Batch,
  step = 1e-5,
): Float64Array {
  const moved = Float64Array.from(weights);
  return Float64Array.from(weights, (weight, i) => {
    moved[i] = weight + step;
    const above = referenceLoss(model, moved, batch);
    moved[i] = weight - step;
    const below = referenceLoss(model, moved, batch);
    moved[i] = weight;
    return (above - below) / (2 * step);
  });
}

function applySegment(segment: Segment, weights: Weights, x: Values): Values {
  const { op, inputShape } = segment;
  switch (op.kind) {
    case 'dense':
      return product(segment, weights, 'weight', 'bias', x).map((z) => activate(op.activation, z));
    case 'conv':
      return convolve(segment, weights, x).map((z) => activate(op.activation, z));
    case 'batchNorm':
      throw new Error('a batch norm takes all samples together');
    case 'maxpool':
      return pool(inputShape, op.size, x);
    case 'flatten':
      return x;
    case 'embedding':
      return embed(segment, weights, x);
    case 'attention':
      return attend(segment, op.heads, weights, x);
    case 'feedForward': {
      const normal = normalise(segment, weights, 'norm.', x);
      const inner = product(segment, weights, 'fc1.weight', 'fc1.bias', normal);
      const hidden = inner.map((z) => activate('gelu', z));
      return product(segment, weights, 'fc2.weight', 'fc2.bias', hidden).map(
        (y, i) => at(x, i) + y,
      );
    }
    case 'layerNorm':
      return normalise(segment, weights, '', x);
  }
}

function activate(activation: Activation | 'none', z: number): number {
  switch (activation) {
    case 'none':
      return z;
    case 'relu':
      return Math.max(z, 0);
    case 'tanh':
      return Math.tanh(z);
    case 'gelu':
      return 0.5 * z * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (z + 0.044715 * z ** 3)));
  }
}

function find(segment: Segment, part: string) {
  return segment.parameters.find(({ name }) => name === `${segment.name}.${part}`);
}

/** x W + b for every row of x, as many columns at a time as W has rows. */
function product(
  segment: Segment,
  weights: Weights,
  weight: string,
  bias: string | null,
  x: Values,
): Values {
  const w = find(segment, weight);
  const b = bias === null ? undefined : find(segment, bias);
  const [inputs, outputs] = (w?.shape ?? []) as [number, number];
  const y = new Float64Array((x.length / inputs) * outputs);
  for (let row = 0; row < x.length / inputs; row++) {
    for (let j = 0; j < outputs; j++) {
      let sum = b === undefined ? 0 : at(weights, b.offset + j);
      for (let i = 0; i < inputs; i++) {
        sum += at(x, row * inputs + i) * at(weights, (w?.offset ?? 0) + i * outputs + j);
      }
      y[row * outputs + j] = sum;
    }
  }
  return y;
}

function convolve(segment: Segment, weights: Weights, x: Values): Values {
  const [height, width, channels] = segment.inputShape as [number, number, number];
  const w = find(segment, 'weight');
  const b = find(segment, 'bias');
  const [kernel, , , filters] = (w?.shape ?? []) as [number, number, number, number];
  const margin = (kernel - 1) / 2;
  const y = new Float64Array(height * width * filters);
  const pixel = (row: number, column: number, channel: number): number => {
    const inside = row >= 0 && row < height && column >= 0 && column < width;
    return inside ? at(x, (row * width + column) * channels + channel) : 0;
  };
  for (let i = 0; i < y.length; i++) {
    const filter = i % filters;
    const column = Math.floor(i / filters) % width;
    const row = Math.floor(i / filters / width);
    let sum = b === undefined ? 0 : at(weights, b.offset + filter);
    for (let k = 0; k < kernel * kernel * channels; k++) {
      const channel = k % channels;
      const dx = (Math.floor(k / channels) % kernel) - margin;
      const dy = Math.floor(k / channels / kernel) - margin;
      const weight = at(weights, (w?.offset ?? 0) + k * filters + filter);
      sum += pixel(row + dy, column + dx, channel) * weight;
    }
    y[i] = sum;
  }
  return y;
}

function pool(shape: readonly number[], size: number, x: Values): Values {
  const [height, width, channels] = shape as [number, number, number];
  const rows = Math.floor(height / size);
  const columns = Math.floor(width / size);
  return Float64Array.from({ length: rows * columns * channels }, (_, i) => {
    const channel = i % channels;
    const column = (Math.floor(i / channels) % columns) * size;
    const row = Math.floor(i / channels / columns) * size;
    const window = Array.from({ length: size * size }, (_, k) => {
      const place = (row + Math.floor(k / size)) * width + column + (k % size);
      return at(x, place * channels + channel);
    });
    return Math.max(...window);
  });
}

function embed(segment: Segment, weights: Weights, tokens: Values): Values {
  const [context, width] = segment.outputShape as [number, number];
  const table = find(segment, 'tokens')?.offset ?? 0;
  const positions = find(segment, 'positions')?.offset ?? 0;
  return Float64Array.from({ length: context * width }, (_, i) => {
    const token = at(tokens, Math.floor(i / width));
    return at(weights, table + token * width + (i % width)) + at(weights, positions + i);
  });
}

function normalise(segment: Segment, weights: Weights, prefix: string, x: Values): Values {
  const weight = find(segment, `${prefix}weight`);
  const bias = find(segment, `${prefix}bias`);
  const width = weight?.length ?? 1;
  const y = new Float64Array(x.length);
  for (let start = 0; start < x.length; start += width) {
    const row = x.subarray(start, start + width);
    const mean = row.reduce((a, b) => a + b, 0) / width;
    const variance = row.reduce((a, b) => a + (b - mean) ** 2, 0) / width;
    for (let i = 0; i < width; i++) {
      const normal = (at(row, i) - mean) / Math.sqrt(variance + NORM_EPSILON);
      y[start + i] =
        normal * at(weights, (weight?.offset ?? 0) + i) + at(weights, (bias?.offset ?? 0) + i);
    }
  }
  return y;
}

function attend(segment: Segment, heads: number, weights: Weights, x: Values): Values {
  const [context, width] = segment.inputShape as [number, number];
  const depth = width / heads;
  const normal = normalise(segment, weights, 'norm.', x);
  const q = product(segment, weights, 'q.weight', null, normal);
  const k = product(segment, weights, 'k.weight', null, normal);
  const v = product(segment, weights, 'v.weight', null, normal);
  const mixed = new Float64Array(context * width);
  for (let head = 0; head < heads; head++) {
    for (let query = 0; query < context; query++) {
      const scores = Array.from({ length: query + 1 }, (_, key) => {
        let sum = 0;
        for (let i = head * depth; i < (head + 1) * depth; i++) {
          sum += at(q, query * width + i) * at(k, key * width + i);
        }
        return Math.exp(sum / Math.sqrt(depth));
      });
      const total = scores.reduce((a, b) => a + b, 0);
      for (let i = head * depth; i < (head + 1) * depth; i++) {
        const weighted = scores.map((score, key) => (score / total) * at(v, key * width + i));
        mixed[query * width + i] = weighted.reduce((a, b) => a + b, 0);
      }
    }
  }
  const projected = product(segment, weights, 'projection.weight', 'projection.bias', mixed);
  return projected.map((y, i) => at(x, i) + y);
}
