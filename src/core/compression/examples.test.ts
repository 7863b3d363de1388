import { expect, test } from 'vitest';
import type { Compressor, CompressorState } from './compressor.ts';
import { type CompressionConfig, createCompressor } from './config.ts';
import { dgcDensity } from './dgc.ts';
import { type Channel, drive } from './exchange.ts';
import { type CompressedStep, simulateStep } from './simulate.ts';

const CONTEXT = { seed: 1, step: 0, epoch: 0, learningRate: 1, offset: 0 };

/** Steps of one rank from a fresh state: the results, one a gradient. */
function alone(config: CompressionConfig, gradients: readonly (readonly number[])[]) {
  const compressor = createCompressor(config);
  let states: readonly CompressorState[] = [compressor.init(gradients[0].length)];
  return gradients.map((gradient, step): CompressedStep => {
    const result = simulateStep(compressor, states, [Float32Array.from(gradient)], {
      ...CONTEXT,
      step,
    });
    states = result.states;
    return result;
  });
}

/** One step of several ranks from fresh states. */
function together(compressor: Compressor, gradients: readonly (readonly number[])[]) {
  const vectors = gradients.map((gradient) => Float32Array.from(gradient));
  const states = vectors.map((vector) => compressor.init(vector.length));
  return simulateStep(compressor, states, vectors, CONTEXT);
}

const rounded = (values: Iterable<number>): number[] =>
  Array.from(values, (value) => Math.round(value * 1e6) / 1e6);
const vector = ({ states }: CompressedStep, name: string): number[] =>
  rounded(states[0].vectors[name]);

const TOP_K = { kind: 'topK', ratio: 0.25, errorFeedback: true, scope: 'bucket' } as const;
const DGC = {
  kind: 'dgc',
  ratio: 0.1,
  momentum: 0.9,
  nesterov: false,
  clipNorm: 0,
  warmUp: 'none',
  scope: 'bucket',
} as const;

test('CP-3 T: EF top-k, k=1: 3@0 is sent, then what was left over with the next gradient', () => {
  const [first, second] = alone(TOP_K, [
    [3, -1, 0.5, 2],
    [0.5, -1.5, 0.4, 1],
  ]);
  expect([...first.average]).toEqual([3, 0, 0, 0]);
  expect(vector(first, 'residual')).toEqual([0, -1, 0.5, 2]);
  expect([...second.average]).toEqual([0, 0, 0, 3]);
  expect(vector(second, 'residual')).toEqual([0.5, -2.5, 0.9, 0]);
});

test('CP-3 top-k without error feedback forgets what it does not send', () => {
  const [first, second] = alone({ ...TOP_K, errorFeedback: false }, [
    [3, -1, 0.5, 2],
    [0.5, -1.5, 0.4, 1],
  ]);
  expect(first.states[0].vectors).toEqual({});
  expect([...second.average]).toEqual([0, -1.5, 0, 0]);
});

test('CP-3 ranks choose different elements; each is summed and divided by N', () => {
  const { average, bytes } = together(createCompressor({ ...TOP_K, ratio: 0.5 }), [
    [4, 0, 0, 2],
    [0, 6, 1, 3],
  ]);
  expect([...average]).toEqual([2, 3, 0, 2.5]);
  expect(bytes).toEqual([16, 16]);
});

test('CP-4 T: DGC with factor masking sends 1.0@0, then 1.45@1', () => {
  const [first, second] = alone(DGC, [
    [1, 0.5, -0.2],
    [0.1, 0.5, -0.2],
  ]);
  expect(rounded(first.average)).toEqual([1, 0, 0]);
  expect(rounded(second.average)).toEqual([0, 1.45, 0]);
  // Sent elements are zeroed in both: u = [.1, .95, -.38] and v = [.1, 1.45, -.58] before that.
  expect(vector(second, 'velocity')).toEqual([0.1, 0, -0.38]);
  expect(vector(second, 'accumulated')).toEqual([0.1, 0, -0.58]);
});

test('CP-4 DGC with Nesterov: u = m (u + g), v += u + g', () => {
  const [step] = alone({ ...DGC, nesterov: true }, [[1, 0.5]]);
  expect(rounded(step.average)).toEqual([1.9, 0]);
  expect(vector(step, 'velocity')).toEqual([0, 0.45]);
  expect(vector(step, 'accumulated')).toEqual([0, 0.95]);
});

test('CP-4 DGC clips each rank at the threshold over sqrt(N), before it accumulates', () => {
  const compressor = createCompressor({ ...DGC, ratio: 1, clipNorm: 10 });
  const { average } = together(compressor, [
    [30, 40],
    [3, 0],
    [0, 0],
    [0, 0],
  ]);
  // Limit 5: [30, 40] becomes [3, 4]; [3, 0] is within.
  expect(rounded(average)).toEqual([1.5, 1]);
});

test("CP-5 T (0.10): DGC's paper and code warm up differently", () => {
  const densities = (warmUp: 'paper' | 'code') =>
    [0, 1, 2, 3, 4, 5].map((epoch) => dgcDensity(warmUp, 0.001, epoch));
  expect(densities('paper')).toEqual([0.25, 0.0625, 0.015625, 0.004, 0.001, 0.001]);
  const code = [0.316228, 0.1, 0.031623, 0.01, 0.003162, 0.001];
  expect(rounded(densities('code'))).toEqual(code);
});

test('CP-6 random-k: all ranks send the same elements, whose values are all-reduced', () => {
  const base = { kind: 'randomK', ratio: 0.5, errorFeedback: false, scope: 'bucket' } as const;
  const gradients = [
    [2, 4, 6, 8],
    [4, 8, 12, 16],
  ];
  const plain = together(createCompressor({ ...base, scaled: false }), gradients);
  const scaled = together(createCompressor({ ...base, scaled: true }), gradients);
  const mean = [3, 6, 9, 12];
  const sent = [0, 1, 2, 3].filter((i) => plain.average[i] !== 0);
  expect(sent.length).toBe(2);
  for (const i of sent) {
    expect(plain.average[i]).toBe(mean[i]);
    expect(scaled.average[i]).toBe(2 * mean[i]);
  }
  expect(plain.bytes).toEqual([8, 8]);
});

test('CP-6 random-k refuses scaling together with error feedback', () => {
  const both = { kind: 'randomK', ratio: 0.5, scaled: true, errorFeedback: true } as const;
  expect(() => createCompressor({ ...both, scope: 'bucket' })).toThrow(/choose scaling/);
});

test('CP-9 T: TernGrad [.5, -1, .25]: s = 1, kept with probability .5, 1, .25', () => {
  const config = { kind: 'ternGrad', clipDeviations: 2.5 } as const;
  const runs = 4000;
  const kept = [0, 0, 0];
  const compressor = createCompressor(config);
  for (let step = 0; step < runs; step++) {
    const { average } = simulateStep(
      compressor,
      [compressor.init(3)],
      [Float32Array.of(0.5, -1, 0.25)],
      { ...CONTEXT, step },
    );
    for (let i = 0; i < 3; i++) {
      if (average[i] === 0) continue;
      kept[i]++;
      if (average[i] !== [1, -1, 1][i]) expect.fail(`${average[i]} at ${i}`);
    }
  }
  expect(kept[1]).toBe(runs);
  for (const [i, p] of [0.5, 1, 0.25].entries()) {
    expect(Math.abs(kept[i] / runs - p)).toBeLessThanOrEqual(4 * Math.sqrt((p * (1 - p)) / runs));
  }
});

test('CP-9 TernGrad clips at 2.5 standard deviations', () => {
  const values = new Array<number>(99).fill(0).concat(100);
  const [step] = alone({ kind: 'ternGrad', clipDeviations: 2.5 }, [values]);
  // Mean 1, deviation sqrt(99): the outlier is cut to 2.5 * 9.95.
  expect(step.average[99]).toBeCloseTo(2.5 * Math.sqrt(99), 4);
});

test('CP-10 signSGD: the majority decides, a tie and zero count as positive', () => {
  const { average, bytes } = together(createCompressor({ kind: 'signSgd' }), [
    [1, -5, 0, -1],
    [9, -1, -3, -1],
    [-1, 7, 0, 0],
    [-1, -1, -1, 3],
  ]);
  expect([...average]).toEqual([1, -1, 1, 1]);
  expect(bytes).toEqual([1, 1, 1, 1]);
});

test('CP-11 T: EF-signSGD [1, -3, 2] -> [2, -2, 2], e = [-1, -1, 0]', () => {
  const [first, second] = alone({ kind: 'efSignSgd' }, [
    [1, -3, 2],
    [0, 0, 0],
  ]);
  expect([...first.average]).toEqual([2, -2, 2]);
  expect(vector(first, 'residual')).toEqual([-1, -1, 0]);
  // p = e = [-1, -1, 0]: mean magnitude 2/3.
  expect(rounded(second.average)).toEqual(rounded([-2 / 3, -2 / 3, 2 / 3]));
});

test('CP-11 EF-signSGD encodes steps: the residual carries the learning rate, the result does not', () => {
  const compressor = createCompressor({ kind: 'efSignSgd' });
  const run = (learningRate: number) =>
    simulateStep(compressor, [compressor.init(3)], [Float32Array.of(1, -3, 2)], {
      ...CONTEXT,
      learningRate,
    });
  expect([...run(0.5).average]).toEqual([2, -2, 2]);
  expect(vector(run(0.5), 'residual')).toEqual([-0.5, -0.5, 0]);
  expect([...run(0).average]).toEqual([0, 0, 0]);
  expect(vector(run(0), 'residual')).toEqual([0, 0, 0]);
});

test('CP-12 T: 1-bit [2, -1, 4, -3] -> means -2 and 3', () => {
  const [step] = alone({ kind: 'oneBit', errorFeedback: true }, [[2, -1, 4, -3]]);
  expect([...step.average]).toEqual([3, -2, 3, -2]);
  expect(vector(step, 'residual')).toEqual([-1, 1, 1, -1]);
});

test('CP-14 T: 4 ranks of fp16 gradients of 60000 average to 60000: divided before the sum', () => {
  const ranks = [[60000], [60000], [60000], [60000]];
  const { average, bytes } = together(createCompressor({ kind: 'cast', format: 'fp16' }), ranks);
  expect([...average]).toEqual([60000]);
  expect(bytes).toEqual([2, 2, 2, 2]);
});

test('CP-14 a cast rounds the gradient, the share and every partial sum', () => {
  const [one] = alone({ kind: 'cast', format: 'bf16' }, [[257, 259]]);
  expect([...one.average]).toEqual([256, 260]);
  // In fp16 2048 + 1 is 2048 again: summed in the format, the two small ranks are lost.
  const ranks = [[6144], [3], [3]];
  const { average } = together(createCompressor({ kind: 'cast', format: 'fp16' }), ranks);
  expect([...average]).toEqual([2048]);
});

test('CP-14 T (0.4): without compression the gradient is multiplied by 1/N before the sum', () => {
  const { average } = together(createCompressor({ kind: 'none' }), [
    [2, 4, 3e38],
    [6, 8, 3e38],
  ]);
  expect([...average]).toEqual([4, 6, Math.fround(3e38)]);
});

test('CP-15 a compressor runs over any channel, and counts what it gives to it', async () => {
  const compressor = createCompressor({ ...TOP_K, ratio: 0.5 });
  const average = new Float32Array(4);
  const own = compressor.update(
    compressor.init(4),
    compressor.init(4),
    Float32Array.of(4, 0, 0, 2),
    average,
    { ...CONTEXT, rank: 0, worldSize: 2 },
  );
  const channel: Channel = {
    allGather: (payload) => Promise.resolve([payload, payload]),
    allReduce: (values) => values,
  };
  expect(await drive(own, channel)).toBe(16);
  expect([...average]).toEqual([4, 0, 0, 2]);
});

test('CP-15 a channel that answers with the wrong thing is told so', async () => {
  const run = (config: CompressionConfig, channel: Channel) => {
    const compressor = createCompressor(config);
    const [state, next] = [compressor.init(1), compressor.init(1)];
    const context = { ...CONTEXT, rank: 0, worldSize: 1 };
    const exchanges = compressor.update(
      state,
      next,
      Float32Array.of(1),
      new Float32Array(1),
      context,
    );
    return drive(exchanges, channel);
  };
  const wrong = { allGather: () => new Float32Array(1), allReduce: () => [] };
  // A transport bug that types would catch; at run time data may still come from anywhere.
  const channel = wrong as unknown as Channel;
  await expect(run(TOP_K, channel)).rejects.toThrow(/list of payloads/);
  await expect(run({ kind: 'none' }, channel)).rejects.toThrow(/sum is needed/);
});

test('CP-15 options out of range are refused with what is allowed', () => {
  expect(() => createCompressor({ ...TOP_K, ratio: 0 })).toThrow(/above 0 and up to 1/);
  expect(() => createCompressor({ ...DGC, ratio: 2 })).toThrow(/above 0 and up to 1/);
  const qsgd = { kind: 'qsgd', levels: 4, bucketSize: 0, coding: 'fixed' } as const;
  expect(() => createCompressor({ ...qsgd, levels: 0.5 })).toThrow(/1 ... 65535/);
  expect(() => createCompressor({ ...qsgd, bucketSize: -1 })).toThrow(/from 0/);
});
