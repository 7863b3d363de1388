import { expect, test } from 'vitest';
import { PURPOSE, randomStream } from '#core/random';
import type { CompressorState } from './compressor.ts';
import { createCompressor, matricesOf } from './config.ts';
import { multiplyOuter, orthogonalise } from './matrix.ts';
import { worthCompressing } from './power-sgd.ts';
import { simulateStep } from './simulate.ts';
import { payloadBytes } from './wire-bytes.ts';

const CONTEXT = { seed: 1, epoch: 0, learningRate: 1, offset: 0 };
const POWER = {
  kind: 'powerSgd',
  rank: 1,
  startStep: 2,
  minCompressionRate: 0.5,
  errorFeedback: true,
  warmStart: true,
} as const;

function normals(length: number, key: number): Float32Array {
  const stream = randomStream(9, PURPOSE.generation, key);
  return Float32Array.from({ length }, () => stream.normal());
}

test('CP-13 T: M = [[1, 2], [3, 4]], Q = (1, 0): approximately [[1, 1.4], [3, 4.2]]', () => {
  const compressor = createCompressor(POWER, [{ offset: 0, rows: 2, columns: 2 }]);
  const state = { vectors: { residual: new Float32Array(4), q: Float32Array.of(1, 0) } };
  const { average, states, rounds } = simulateStep(
    compressor,
    [state],
    [Float32Array.of(1, 2, 3, 4)],
    { ...CONTEXT, step: 2 },
  );
  [1, 1.4, 3, 4.2].forEach((value, i) => {
    expect(average[i]).toBeCloseTo(value, 6);
  });
  [0, 0.6, 0, -0.2].forEach((value, i) => {
    expect(states[0].vectors.residual[i]).toBeCloseTo(value, 6);
  });
  expect(rounds).toBe(2);
});

test('CP-13 T: 512 x 512 at rank 4 sends 64 times less', () => {
  const config = { ...POWER, rank: 4 };
  const matrices = [{ offset: 0, rows: 512, columns: 512 }];
  expect((4 * 512 * 512) / payloadBytes(config, 512 * 512, matrices)).toBe(64);
});

test('CP-13 compressed only if (n + m) r min_rate < n m', () => {
  expect(worthCompressing(512, 512, 4, 2)).toBe(true);
  expect(worthCompressing(2, 2, 1, 1)).toBe(false);
  // 4 * 4 = 16 = (4 + 4) * 1 * 2: not less.
  expect(worthCompressing(4, 4, 1, 2)).toBe(false);
  expect(worthCompressing(4, 5, 1, 2)).toBe(true);
});

test('CP-13 plain all-reduce before the start; a start below 2 is refused', () => {
  const matrices = [{ offset: 0, rows: 10, columns: 10 }];
  const compressor = createCompressor({ ...POWER, startStep: 3 }, matrices);
  const gradients = [normals(100, 1), normals(100, 2)];
  const states = gradients.map(() => compressor.init(100));
  const before = simulateStep(compressor, states, gradients, { ...CONTEXT, step: 2 });
  expect(before.bytes).toEqual([400, 400]);
  before.average.forEach((value, i) => {
    expect(value).toBe(Math.fround(gradients[0][i] / 2 + gradients[1][i] / 2));
  });
  const after = simulateStep(compressor, before.states, gradients, { ...CONTEXT, step: 3 });
  expect(after.bytes).toEqual([80, 80]);
  expect(() => createCompressor({ ...POWER, startStep: 1 }, matrices)).toThrow(/2 or more/);
  expect(() => createCompressor({ ...POWER, rank: 0 }, matrices)).toThrow(/rank 0/);
});

test('CP-13 a matrix of rank r comes back whole; vectors travel whole beside it', () => {
  const [p, q, tail] = [normals(20, 3), normals(16, 4), normals(5, 5)];
  const matrix = { values: new Float32Array(80), rows: 10, columns: 8 };
  multiplyOuter({ values: p, rows: 10, columns: 2 }, { values: q, rows: 8, columns: 2 }, matrix);
  const gradient = Float32Array.from([...matrix.values, ...tail]);
  const config = { ...POWER, rank: 2, minCompressionRate: 1 };
  const compressor = createCompressor(config, [{ offset: 0, rows: 10, columns: 8 }]);
  const result = simulateStep(compressor, [compressor.init(85)], [gradient], {
    ...CONTEXT,
    step: 2,
  });
  gradient.forEach((value, i) => {
    expect(result.average[i]).toBeCloseTo(value, 4);
  });
  expect([...result.average.slice(80)]).toEqual([...tail]);
  expect([...result.states[0].vectors.residual.slice(80)]).toEqual([0, 0, 0, 0, 0]);
});

test('CP-13 with a constant gradient a warm start comes closer step by step, a cold one does not', () => {
  const gradient = normals(144, 6);
  const error = (warmStart: boolean): number => {
    const config = { ...POWER, errorFeedback: false, warmStart };
    const compressor = createCompressor(config, [{ offset: 0, rows: 12, columns: 12 }]);
    let states: readonly CompressorState[] = [compressor.init(144)];
    let average = gradient;
    for (let step = 2; step < 40; step++) {
      const result = simulateStep(compressor, states, [gradient], { ...CONTEXT, step });
      states = result.states;
      average = result.average;
    }
    return average.reduce((sum, value, i) => sum + (value - gradient[i]) ** 2, 0);
  };
  expect(error(true)).toBeLessThan(0.9 * error(false));
});

test('CP-13 a state of zeros, as after a reset in mid-run, starts from a random Q', () => {
  const compressor = createCompressor(POWER, [{ offset: 0, rows: 10, columns: 10 }]);
  const gradient = normals(100, 7);
  const late = simulateStep(compressor, [compressor.init(100)], [gradient], {
    ...CONTEXT,
    step: 500,
  });
  expect(late.average.some((value) => value !== 0)).toBe(true);
});

test('CP-13 orthogonalise makes columns orthonormal and leaves a zero column zero', () => {
  const values = normals(30, 8);
  for (let i = 2; i < 30; i += 3) values[i] = 0;
  orthogonalise({ values, rows: 10, columns: 3 });
  const product = (a: number, b: number): number => {
    let sum = 0;
    for (let i = 0; i < 10; i++) sum += values[3 * i + a] * values[3 * i + b];
    return sum;
  };
  expect(product(0, 0)).toBeCloseTo(1, 5);
  expect(product(1, 1)).toBeCloseTo(1, 5);
  expect(product(0, 1)).toBeCloseTo(0, 5);
  expect(product(2, 2)).toBe(0);
});

test('CP-13 matrices of a range: two and more axes, the last one as columns', () => {
  const init = { kind: 'constant', value: 0 } as const;
  const parameters = [
    { name: 'conv', shape: [3, 3, 1, 4], offset: 0, length: 36, init },
    { name: 'bias', shape: [4], offset: 36, length: 4, init },
    { name: 'dense', shape: [5, 2], offset: 40, length: 10, init },
  ];
  expect(matricesOf(parameters, { start: 0, end: 50 })).toEqual([
    { offset: 0, rows: 9, columns: 4 },
    { offset: 40, rows: 5, columns: 2 },
  ]);
  expect(matricesOf(parameters, { start: 36, end: 50 })).toEqual([
    { offset: 4, rows: 5, columns: 2 },
  ]);
});
