import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PURPOSE, randomStream } from '#core/random';
import type { CompressorState, UpdateContext } from './compressor.ts';
import { type CompressionConfig, createCompressor } from './config.ts';
import { qsgdCodec, ternGradCodec } from './quantise.ts';
import { simulateStep } from './simulate.ts';
import { randomIndices } from './sparsify.ts';
import { payloadBytes } from './wire-bytes.ts';

const CONTEXT = { seed: 1, step: 0, epoch: 9, learningRate: 1, offset: 0 };
const RANK_0: UpdateContext = { ...CONTEXT, rank: 0, worldSize: 1 };

const SCOPE = { scope: 'bucket' } as const;
const RANDOM_K = { kind: 'randomK', ratio: 0.2, ...SCOPE } as const;
const QSGD = { kind: 'qsgd', levels: 4, bucketSize: 0, coding: 'fixed' } as const;
const POWER = { kind: 'powerSgd', rank: 2, startStep: 2, minCompressionRate: 1 } as const;
const MATRICES = [{ offset: 3, rows: 8, columns: 9 }];

const CONFIGS: readonly CompressionConfig[] = [
  { kind: 'none' },
  { kind: 'cast', format: 'fp16' },
  { kind: 'cast', format: 'bf16' },
  { kind: 'topK', ratio: 0.1, errorFeedback: true, ...SCOPE },
  { kind: 'topK', ratio: 0.1, errorFeedback: false, ...SCOPE },
  { ...RANDOM_K, scaled: true, errorFeedback: false },
  { ...RANDOM_K, scaled: false, errorFeedback: true },
  {
    kind: 'dgc',
    ratio: 0.1,
    momentum: 0.9,
    nesterov: true,
    clipNorm: 1,
    warmUp: 'paper',
    ...SCOPE,
  },
  QSGD,
  { ...QSGD, levels: 127, bucketSize: 16 },
  { ...QSGD, coding: 'elias' },
  { kind: 'ternGrad', clipDeviations: 2.5 },
  { kind: 'signSgd' },
  { kind: 'efSignSgd' },
  { kind: 'oneBit', errorFeedback: true },
  { ...POWER, errorFeedback: true, warmStart: true },
  { ...POWER, errorFeedback: false, warmStart: false },
];
const NAMED = CONFIGS.map((config, i) => [`${config.kind} (${i})`, config] as const);

function gradientsOf(worldSize: number, length: number, seed: number): Float32Array[] {
  return Array.from({ length: worldSize }, (_, rank) => {
    const stream = randomStream(seed, PURPOSE.generation, rank);
    return Float32Array.from({ length }, () => stream.normal());
  });
}

const bitsOf = (states: readonly CompressorState[]): Float32Array[] =>
  states.flatMap(({ vectors }) => Object.values(vectors).map((vector) => vector.slice()));

/** Faster than toEqual on many vectors. */
const sameBits = (a: readonly Float32Array[], b: readonly Float32Array[]): boolean =>
  a.length === b.length &&
  a.every((vector, i) => vector.every((value, j) => Object.is(value, b[i][j])));

test.each(NAMED)(
  'CP-15 %s: any N and length; ranks agree, inputs stay, bytes are right',
  (_, config) => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), fc.nat(200), fc.nat(1000), (n, length, seed) => {
        const size = length < 75 && config.kind === 'powerSgd' ? 75 : length;
        const compressor = createCompressor(config, MATRICES);
        let states: readonly CompressorState[] = Array.from({ length: n }, () =>
          compressor.init(size),
        );
        for (let step = 2; step < 4; step++) {
          const gradients = gradientsOf(n, size, seed + step);
          const [before, stateBits] = [gradients.map((g) => g.slice()), bitsOf(states)];
          const result = simulateStep(compressor, states, gradients, { ...CONTEXT, step });
          expect(sameBits(gradients, before)).toBe(true);
          expect(sameBits(bitsOf(states), stateBits)).toBe(true);
          const formula = payloadBytes(config, size, MATRICES);
          const elias = config.kind === 'qsgd' && config.coding === 'elias';
          if (!elias) expect(result.bytes).toEqual(new Array(n).fill(formula));
          states = result.states;
        }
      }),
      { numRuns: 15 },
    );
  },
);

test.each(NAMED)(
  'CP-15 %s: an abandoned update leaves no trace; repeated it gives the same',
  (_, config) => {
    const compressor = createCompressor(config, MATRICES);
    const gradients = gradientsOf(3, 90, 5);
    let states: readonly CompressorState[] = gradients.map(() => compressor.init(90));
    states = simulateStep(compressor, states, gradients, { ...CONTEXT, step: 2 }).states;
    const straight = simulateStep(compressor, states, gradients, { ...CONTEXT, step: 3 });
    const bits = bitsOf(states);
    const context = { ...CONTEXT, step: 3, rank: 1, worldSize: 3 };
    const [next, average] = [compressor.init(90), new Float32Array(90)];
    compressor.update(states[1], next, gradients[1], average, context).next();
    expect(bitsOf(states)).toEqual(bits);
    const again = simulateStep(compressor, states, gradients, { ...CONTEXT, step: 3 });
    expect(again.average).toEqual(straight.average);
    expect(bitsOf(again.states)).toEqual(bitsOf(straight.states));
  },
);

const CONSERVING = NAMED.filter(
  ([, c]) => c.kind !== 'dgc' && createCompressor(c, MATRICES).residual === 'residual',
);

test.each(CONSERVING)('CP-16 %s: sent + residual = gradient + old residual', (_, config) => {
  // With one rank the average is what was sent.
  const compressor = createCompressor(config, MATRICES);
  let states: readonly CompressorState[] = [compressor.init(90)];
  for (let step = 2; step < 7; step++) {
    const [gradient] = gradientsOf(1, 90, step);
    const old = states[0].vectors.residual;
    const result = simulateStep(compressor, states, [gradient], { ...CONTEXT, step });
    const { residual } = result.states[0].vectors;
    const exact = config.kind === 'topK' || config.kind === 'randomK';
    for (let i = 0; i < 90; i++) {
      const input = Math.fround(gradient[i] + old[i]);
      const output = result.average[i] + residual[i];
      if (exact) expect(output).toBe(input);
      else expect(Math.abs(output - input)).toBeLessThan(2e-6);
    }
    states = result.states;
  }
});

test('CP-16 DGC without momentum conserves: sent + accumulated = all gradients so far', () => {
  const compressor = createCompressor({
    kind: 'dgc',
    ratio: 0.1,
    momentum: 0,
    nesterov: false,
    clipNorm: 0,
    warmUp: 'none',
    ...SCOPE,
  });
  let states: readonly CompressorState[] = [compressor.init(40)];
  const [total, sent] = [new Float64Array(40), new Float64Array(40)];
  for (let step = 0; step < 20; step++) {
    const [gradient] = gradientsOf(1, 40, step);
    const result = simulateStep(compressor, states, [gradient], { ...CONTEXT, step });
    for (let i = 0; i < 40; i++) {
      total[i] += gradient[i];
      sent[i] += result.average[i];
    }
    states = result.states;
  }
  const { accumulated } = states[0].vectors;
  for (let i = 0; i < 40; i++) expect(sent[i] + accumulated[i]).toBeCloseTo(total[i], 4);
});

const UNBIASED: readonly (readonly [string, CompressionConfig])[] = [
  ['QSGD', QSGD],
  ['QSGD, buckets, Elias', { ...QSGD, levels: 3, bucketSize: 8, coding: 'elias' }],
  ['TernGrad without clipping', { kind: 'ternGrad', clipDeviations: 0 }],
  ['random-k scaled by d/k', { ...RANDOM_K, scaled: true, errorFeedback: false }],
];

test.each(UNBIASED)('CP-17 %s is unbiased within 4 standard errors', (_, config) => {
  const runs = 3000;
  const [gradient] = gradientsOf(1, 20, 77);
  const compressor = createCompressor(config);
  const states = [compressor.init(20)];
  const [sums, squares] = [new Float64Array(20), new Float64Array(20)];
  for (let step = 0; step < runs; step++) {
    const { average } = simulateStep(compressor, states, [gradient], { ...CONTEXT, step });
    average.forEach((value, i) => {
      sums[i] += value;
      squares[i] += value * value;
    });
  }
  for (let i = 0; i < 20; i++) {
    const mean = sums[i] / runs;
    const error = Math.sqrt(Math.max(0, squares[i] / runs - mean * mean) / runs);
    expect(Math.abs(mean - gradient[i])).toBeLessThanOrEqual(4 * error + 1e-6);
  }
});

test('CP-17 random-k without scaling is biased towards zero by k/d', () => {
  const compressor = createCompressor({ ...RANDOM_K, scaled: false, errorFeedback: false });
  const gradient = new Float32Array(20).fill(1);
  let sum = 0;
  for (let step = 0; step < 50; step++) {
    const { average } = simulateStep(compressor, [compressor.init(20)], [gradient], {
      ...CONTEXT,
      step,
    });
    for (const value of average) sum += value;
  }
  expect(sum / (50 * 20)).toBeCloseTo(0.2, 10);
});

test('CP-6 random indices: right count, ascending, all equally often, the same on every rank', () => {
  const counts = new Float64Array(10);
  for (let step = 0; step < 2000; step++) {
    const indices = randomIndices(10, 3, { ...RANK_0, step });
    expect(indices).toEqual(randomIndices(10, 3, { ...RANK_0, step, rank: 5, worldSize: 8 }));
    expect(indices.length).toBe(3);
    expect([...indices]).toEqual([...new Set(indices)].sort((a, b) => a - b));
    for (const index of indices) counts[index]++;
  }
  const error = Math.sqrt(2000 * 0.3 * 0.7);
  for (const count of counts) expect(Math.abs(count - 600)).toBeLessThan(4 * error);
});

test('CP-8 T: QSGD v = [1, -2, 2], s = 2: norm 3, floors [0, 1, 1], up 2/3, 1/3, 1/3; variance 1.5', () => {
  const codec = qsgdCodec({ levels: 2, bucketSize: 0, coding: 'fixed' });
  const values = Float32Array.of(1, -2, 2);
  const runs = 6000;
  const ups = [0, 0, 0];
  let variance = 0;
  for (let step = 0; step < runs; step++) {
    const decoded = new Float32Array(3);
    codec.decodeInto(codec.encode(values, { ...RANK_0, step }), decoded, 1);
    const levels = [...decoded].map((value) => (Math.abs(value) * 2) / 3);
    [0, 1, 1].forEach((floor, i) => {
      if (levels[i] !== floor && levels[i] !== floor + 1) expect.fail(`level ${levels[i]}`);
      ups[i] += levels[i] - floor;
      variance += (decoded[i] - values[i]) ** 2 / runs;
    });
  }
  [2 / 3, 1 / 3, 1 / 3].forEach((p, i) => {
    expect(Math.abs(ups[i] / runs - p)).toBeLessThan(4 * Math.sqrt((p * (1 - p)) / runs));
  });
  expect(variance).toBeCloseTo(1.5, 1);
  // The paper's bound: min(n / s^2, sqrt(n) / s) |v|^2 = 0.75 * 9.
  expect(variance).toBeLessThan(6.75);
});

test('CP-8 T: QSGD at s = sqrt(n) takes about 2.8 n + 32 bits in Elias codes', () => {
  const length = 10_000;
  const [values] = gradientsOf(1, length, 3);
  const codec = qsgdCodec({ levels: 100, bucketSize: 0, coding: 'elias' });
  const bits = 8 * codec.encode(values, RANK_0).byteLength;
  expect((bits - 32) / length).toBeGreaterThan(2.5);
  expect((bits - 32) / length).toBeLessThan(3.1);
});

test('CP-8 T: a zero vector stays zero in QSGD and TernGrad', () => {
  const codecs = [
    qsgdCodec({ levels: 4, bucketSize: 2, coding: 'elias' }),
    qsgdCodec({ levels: 4, bucketSize: 0, coding: 'fixed' }),
    ternGradCodec(2.5),
  ];
  for (const codec of codecs) {
    const decoded = new Float32Array(5);
    codec.decodeInto(codec.encode(new Float32Array(5), RANK_0), decoded, 1);
    expect([...decoded]).toEqual([0, 0, 0, 0, 0]);
  }
});

test('CP-8 values that lie on levels come back exactly', () => {
  const values = Float32Array.of(0, 3, -4, 0);
  for (const coding of ['fixed', 'elias'] as const) {
    const codec = qsgdCodec({ levels: 5, bucketSize: 0, coding });
    const decoded = new Float32Array(4);
    codec.decodeInto(codec.encode(values, RANK_0), decoded, 1);
    expect([...decoded]).toEqual([0, 3, -4, 0]);
  }
});

test('CP-7 ranges of one gradient and steps draw different random numbers', () => {
  const codec = ternGradCodec(0);
  const values = Float32Array.from({ length: 64 }, (_, i) => (i === 0 ? 1 : 0.5));
  const payload = (change: Partial<UpdateContext>) =>
    codec.encode(values, { ...RANK_0, ...change }).join();
  const all = [payload({}), payload({ offset: 64 }), payload({ step: 1 }), payload({ rank: 1 })];
  expect(new Set(all).size).toBe(4);
  expect(payload({})).toBe(all[0]);
});

const LOUD = NAMED.filter(([, { kind }]) => kind !== 'signSgd' && kind !== 'randomK');

test.each(LOUD)('CP-19 %s: NaN or infinity on one rank is seen by all', (_, config) => {
  for (const bad of [Number.NaN, Number.POSITIVE_INFINITY]) {
    const compressor = createCompressor(config, MATRICES);
    const gradients = gradientsOf(3, 90, 6);
    gradients[1][40] = bad;
    const states = gradients.map(() => compressor.init(90));
    const { average } = simulateStep(compressor, states, gradients, { ...CONTEXT, step: 2 });
    expect(average.every(Number.isFinite)).toBe(false);
  }
});
