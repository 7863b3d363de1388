/** @file Checks of an engine's arguments, shared by all engines. */
import type { Model } from '#core/model';
import type { Batch } from './engine.ts';

const product = (shape: readonly number[]): number => shape.reduce((a, b) => a * b, 1);

/** Elements of one sample, logits of one prediction and predictions of one sample. */
export interface ModelSizes {
  readonly input: number;
  readonly classes: number;
  readonly predictions: number;
}

/** Sizes of `model`'s ends. Text predicts every token, other tasks once a sample. */
export function modelSizes(model: Model): ModelSizes {
  const { task, segments } = model;
  const input = product(segments[0]?.inputShape ?? []);
  if (task.kind === 'text') return { input, classes: task.vocabulary, predictions: input };
  return { input, classes: task.classes, predictions: 1 };
}

function requireLength(what: string, found: number, expected: number): void {
  if (found === expected) return;
  throw new RangeError(`${what}: ${found} elements were given, ${expected} are needed`);
}

/** Throws RangeError unless `weights` is a whole weight vector of `model`. */
export function checkWeights(model: Model, weights: Float32Array): void {
  requireLength('weights', weights.length, model.parameterCount);
}

/** Throws RangeError unless `buffers` are those of `model`. */
export function checkBuffers(model: Model, buffers: Float32Array): void {
  requireLength('buffers', buffers.length, model.bufferCount);
}

/** Throws RangeError unless `x` holds `size` samples. */
export function checkInput(sizes: ModelSizes, x: Batch['x'], size: number): void {
  if (!Number.isSafeInteger(size) || size < 1) {
    throw new RangeError(`batch size ${size}: a positive integer is needed`);
  }
  requireLength(`x of ${size} samples`, x.length, size * sizes.input);
}

/** Throws RangeError unless `batch` fits the model, labels included. */
export function checkBatch(sizes: ModelSizes, batch: Batch): void {
  checkInput(sizes, batch.x, batch.size);
  requireLength(`y of ${batch.size} samples`, batch.y.length, batch.size * sizes.predictions);
  for (const label of batch.y) {
    if (label >= 0 && label < sizes.classes) continue;
    throw new RangeError(`label ${label}: 0 ... ${sizes.classes - 1} is allowed`);
  }
}
