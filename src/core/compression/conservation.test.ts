/** @file For any gradients: nothing is lost between the wire and the residual, and codes are faithful. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PURPOSE, randomStream } from '#core/random';
import type { Codec } from './codec.ts';
import type { CompressorState } from './compressor.ts';
import { type CompressionConfig, createCompressor } from './config.ts';
import { qsgdCodec, ternGradCodec } from './quantise.ts';
import { meanSignCodec, oneBitCodec, signSgdCodec } from './signs.ts';
import { simulateStep } from './simulate.ts';
import { topKCodec } from './sparsify.ts';

const SEED = 20_260_101;
const CONTEXT = { seed: 1, step: 0, epoch: 9, learningRate: 1, offset: 0 };
const RANK_0 = { ...CONTEXT, rank: 0, worldSize: 1 };
const MATRICES = [{ offset: 3, rows: 8, columns: 9 }];
const SHORTEST_POWER = 75;

const CONSERVING: readonly (readonly [string, CompressionConfig])[] = [
  ['none', { kind: 'none' }],
  ['topK', { kind: 'topK', ratio: 0.1, errorFeedback: true, scope: 'bucket' }],
  ['randomK', { kind: 'randomK', ratio: 0.2, scaled: false, errorFeedback: true, scope: 'bucket' }],
  [
    'dgc without momentum',
    {
      kind: 'dgc',
      ratio: 0.1,
      momentum: 0,
      nesterov: false,
      clipNorm: 0,
      warmUp: 'none',
      scope: 'bucket',
    },
  ],
  ['efSignSgd', { kind: 'efSignSgd' }],
  ['oneBit', { kind: 'oneBit', errorFeedback: true }],
  [
    'powerSgd',
    {
      kind: 'powerSgd',
      rank: 2,
      startStep: 2,
      minCompressionRate: 1,
      errorFeedback: true,
      warmStart: true,
    },
  ],
];

function normals(length: number, seed: number, rank = 0): Float32Array {
  const stream = randomStream(seed, PURPOSE.generation, rank);
  return Float32Array.from({ length }, () => stream.normal());
}

/** What the ranks keep back of element i, summed; 0 where a compressor keeps nothing. */
function kept(states: readonly CompressorState[], name: string | null, i: number): number {
  if (name === null) return 0;
  return states.reduce((sum, { vectors }) => sum + vectors[name][i], 0);
}

test.each(CONSERVING)('CP-16 %s: over all ranks sent + residual = input', (_, config) => {
  const compressor = createCompressor(config, MATRICES);
  const world = fc.integer({ min: 1, max: 6 });
  fc.assert(
    fc.property(world, fc.nat(300), fc.nat(100_000), (n, size, seed) => {
      const length = config.kind === 'powerSgd' ? Math.max(size, SHORTEST_POWER) : size;
      let states: readonly CompressorState[] = Array.from({ length: n }, () =>
        compressor.init(length),
      );
      for (let step = 2; step < 5; step++) {
        const gradients = Array.from({ length: n }, (__, rank) =>
          normals(length, seed + step, rank),
        );
        const result = simulateStep(compressor, states, gradients, { ...CONTEXT, step });
        for (let i = 0; i < length; i++) {
          const given = gradients.reduce((sum, gradient) => sum + gradient[i], 0);
          const input = given + kept(states, compressor.residual, i);
          const output = n * result.average[i] + kept(result.states, compressor.residual, i);
          // A few roundings a rank of numbers of a few units.
          if (Math.abs(output - input) > 2e-5) expect.fail(`${output} of ${input} at ${i}`);
        }
        states = result.states;
      }
    }),
    { numRuns: 25, seed: SEED },
  );
});

function decoded(codec: Codec, values: Float32Array): Float32Array {
  const out = new Float32Array(values.length);
  codec.decodeInto(codec.encode(values, RANK_0), out, 1);
  return out;
}

/** Runs `check` for vectors of any length. */
function forVectors(check: (values: Float32Array) => void): void {
  fc.assert(
    fc.property(fc.nat(400), fc.nat(100_000), (length, seed) => {
      check(normals(length, seed));
    }),
    { numRuns: 60, seed: SEED },
  );
}

const FAITHFUL: readonly (readonly [string, Codec])[] = [
  ['top-k', topKCodec(0.1)],
  ['signSGD', signSgdCodec],
  ['EF-signSGD', meanSignCodec],
  ['1-bit', oneBitCodec],
  ['TernGrad without clipping', ternGradCodec(0)],
];

test.each(FAITHFUL)('CP-2 %s: what was decoded has the same code again', (_, codec) => {
  forVectors((values) => {
    const once = decoded(codec, values);
    expect(codec.encode(once, RANK_0)).toEqual(codec.encode(values, RANK_0));
    expect(decoded(codec, once)).toEqual(once);
  });
});

test('CP-2 top-k: chosen entries come back to the bit, the others as 0, and none is larger', () => {
  const codec = topKCodec(0.1);
  forVectors((values) => {
    const out = decoded(codec, values);
    let [least, largestLost] = [Number.POSITIVE_INFINITY, 0];
    values.forEach((value, i) => {
      if (out[i] === 0) largestLost = Math.max(largestLost, Math.abs(value));
      else {
        expect(out[i]).toBe(value);
        least = Math.min(least, Math.abs(value));
      }
    });
    expect(largestLost).toBeLessThanOrEqual(least);
  });
});

test('CP-8 QSGD: Elias codes and fixed fields decode to the same bits', () => {
  fc.assert(
    fc.property(
      fc.nat(400),
      fc.integer({ min: 1, max: 65_535 }),
      fc.nat(64),
      fc.nat(100_000),
      (length, levels, bucketSize, seed) => {
        const values = normals(length, seed);
        const [fixed, elias] = (['fixed', 'elias'] as const).map((coding) =>
          decoded(qsgdCodec({ levels, bucketSize, coding }), values),
        );
        expect(elias).toEqual(fixed);
        const size = bucketSize === 0 ? length : bucketSize;
        for (let i = 0; i < length; i++) {
          const start = i - (i % size);
          const norm = Math.hypot(...values.subarray(start, Math.min(length, start + size)));
          // One of the two levels around it.
          expect(Math.abs(fixed[i] - values[i])).toBeLessThanOrEqual((norm / levels) * 1.0001);
        }
      },
    ),
    { numRuns: 40, seed: SEED },
  );
});
