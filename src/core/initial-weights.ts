/** @file Initial weights: seeded, and the same on every backend, since no backend draws them. */
import type { Model, Parameter } from './model.ts';
import { PURPOSE, type RandomStream, randomStream } from './random.ts';

function fill(values: Float32Array, { init }: Parameter, stream: RandomStream): void {
  switch (init.kind) {
    case 'constant':
      values.fill(init.value);
      return;
    case 'uniform':
      // Additions and multiplications of doubles only: equal in every JavaScript engine.
      for (let i = 0; i < values.length; i++) values[i] = init.bound * (2 * stream.uniform() - 1);
      return;
    case 'normal':
      // Math.log and Math.cos may differ in the last bit between JavaScript engines (RN-4).
      for (let i = 0; i < values.length; i++) values[i] = init.deviation * stream.normal();
  }
}

/** The buffers, length `model.bufferCount`, before the first step: their initialisers are constants. */
export function initialBuffers(model: Model): Float32Array {
  const buffers = new Float32Array(model.bufferCount);
  for (const { init, offset, length } of model.buffers) {
    if (init.kind === 'constant') buffers.fill(init.value, offset, offset + length);
  }
  return buffers;
}

/**
 * The flat weight vector, length `model.parameterCount`, before the first step. Each parameter has
 * a stream of its own, so that adding a layer leaves the weights of those before it unchanged.
 */
export function initialWeights(model: Model, seed: number): Float32Array {
  const weights = new Float32Array(model.parameterCount);
  model.parameters.forEach((parameter, index) => {
    const { offset, length } = parameter;
    const stream = randomStream(seed, PURPOSE.initialWeights, 0, index);
    fill(weights.subarray(offset, offset + length), parameter, stream);
  });
  return weights;
}
