import { expect, test } from 'vitest';
import { hashFloats } from './hash.ts';
import { initialWeights } from './initial-weights.ts';
import type { Initialiser, Model, Parameter } from './model.ts';

function modelOf(...parts: (readonly [length: number, init: Initialiser])[]): Model {
  let offset = 0;
  const parameters: Parameter[] = parts.map(([length, init], i) => {
    const parameter = { name: `p${i}`, shape: [length], offset, length, init };
    offset += length;
    return parameter;
  });
  return {
    spec: { kind: 'softmax' },
    task: { kind: 'points', features: 2, classes: 2 },
    segments: [],
    parameters,
    parameterCount: offset,
    buffers: [],
    bufferCount: 0,
  };
}

const UNIFORM = { kind: 'uniform', bound: 0.25 } as const;
const NORMAL = { kind: 'normal', deviation: 0.02 } as const;

test('RN-4 each parameter follows its initialiser', () => {
  const weights = initialWeights(
    modelOf([20_000, UNIFORM], [3, { kind: 'constant', value: 1 }], [20_000, NORMAL]),
    0,
  );
  const uniform = weights.subarray(0, 20_000);
  const normal = weights.subarray(20_003);
  const meanSquare = (v: Float32Array): number => v.reduce((sum, x) => sum + x * x, 0) / v.length;
  expect(uniform.every((w) => w >= -0.25 && w < 0.25)).toBe(true);
  expect(meanSquare(uniform)).toBeCloseTo(0.25 ** 2 / 3, 3);
  expect([...weights.subarray(20_000, 20_003)]).toEqual([1, 1, 1]);
  expect(Math.sqrt(meanSquare(normal))).toBeCloseTo(0.02, 3);
});

test('RN-4 the same seed gives the same bits, another seed others', () => {
  const model = modelOf([50, UNIFORM], [50, NORMAL]);
  expect(hashFloats(initialWeights(model, 3))).toBe(hashFloats(initialWeights(model, 3)));
  expect(hashFloats(initialWeights(model, 3))).not.toBe(hashFloats(initialWeights(model, 4)));
});

test('RN-4 uniform weights are pinned to the bit', () => {
  expect(hashFloats(initialWeights(modelOf([1000, UNIFORM]), 42))).toBe('6fa11ed602b13eaa');
});

test('RN-4 a parameter added behind leaves the others as they were', () => {
  const short = initialWeights(modelOf([10, UNIFORM]), 1);
  const long = initialWeights(modelOf([10, UNIFORM], [10, UNIFORM]), 1);
  expect(long.subarray(0, 10)).toEqual(short);
  expect(long.subarray(10)).not.toEqual(short);
});
