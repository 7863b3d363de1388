/** @file Copies samples of a split into reused batch arrays, in the form the engine takes. */
import type { Model } from '#core/model';
import {
  type GivenSplit,
  type LabelledSplit,
  type Split,
  sampleCount,
  type TextSplit,
} from './dataset.ts';
import { SCALED_PIXEL } from './pixels.ts';

/** `x` is [size, ...input], tokens for text; `y` is [size], or [size, context] for text. */
export interface Batch {
  readonly size: number;
  readonly x: Float32Array | Int32Array;
  readonly y: Int32Array;
}

export interface Reader {
  readonly count: number;
  /** Samples indices[from] ... indices[from + size - 1]; the next call may use the same arrays. */
  read(indices: Uint32Array, from: number, size: number): Batch;
}

/** Keeps one batch of arrays a size, since an epoch has two sizes at most. */
function reuse<B extends Batch>(make: (size: number) => B): (size: number) => B {
  const made = new Map<number, B>();
  return (size) => {
    let batch = made.get(size);
    if (batch === undefined) {
      batch = make(size);
      made.set(size, batch);
    }
    return batch;
  };
}

/** Reads samples of `split` for `model`. Throws RangeError where the two do not fit together. */
export function createReader(split: Split | GivenSplit, model: Model): Reader {
  const { task, spec } = model;
  if (split.kind === 'text') {
    if (spec.kind !== 'transformer') {
      throw new RangeError(`a text needs a transformer, and the model is of kind "${spec.kind}"`);
    }
    return textReader(split, spec.context);
  }
  if (task.kind === 'text') throw new RangeError('a transformer needs a text to train on');
  const features = task.kind === 'image' ? task.height * task.width : task.features;
  const expected = features * sampleCount(split, 0);
  if (split.x.length !== expected) {
    throw new RangeError(`the samples have ${split.x.length} values in all, ${expected} expected`);
  }
  return rowReader(split, features);
}

function rowReader(split: LabelledSplit | GivenSplit, features: number): Reader {
  const { y: labels } = split;
  const copyRow = split.x instanceof Uint8Array ? pixelRow(split.x) : floatRow(split.x);
  const batchOf = reuse((size) => ({
    size,
    x: new Float32Array(size * features),
    y: new Int32Array(size),
  }));
  return {
    count: sampleCount(split, 0),
    read(indices, from, size) {
      const batch = batchOf(size);
      for (let i = 0; i < size; i++) {
        const sample = indices[from + i] ?? 0;
        copyRow(sample * features, batch.x, i * features, features);
        batch.y[i] = labels[sample] ?? 0;
      }
      return batch;
    },
  };
}

type CopyRow = (source: number, target: Float32Array, at: number, length: number) => void;

const floatRow =
  (values: Float32Array): CopyRow =>
  (source, target, at, length) => {
    for (let j = 0; j < length; j++) target[at + j] = values[source + j] ?? 0;
  };

const pixelRow =
  (pixels: Uint8Array): CopyRow =>
  (source, target, at, length) => {
    for (let j = 0; j < length; j++) target[at + j] = SCALED_PIXEL[pixels[source + j] ?? 0] ?? 0;
  };

function textReader({ tokens }: TextSplit, context: number): Reader {
  const batchOf = reuse((size) => ({
    size,
    x: new Int32Array(size * context),
    y: new Int32Array(size * context),
  }));
  return {
    count: sampleCount({ kind: 'text', tokens }, context),
    read(indices, from, size) {
      const batch = batchOf(size);
      for (let i = 0; i < size; i++) {
        const start = (indices[from + i] ?? 0) * context;
        batch.x.set(tokens.subarray(start, start + context), i * context);
        batch.y.set(tokens.subarray(start + 1, start + 1 + context), i * context);
      }
      return batch;
    },
  };
}
