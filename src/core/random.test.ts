import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PURPOSE, philox, randomStream } from './random.ts';

/** philox4x32-10 lines of Random123's kat_vectors: counter, key, result. */
const KNOWN_ANSWERS = [
  [
    [0, 0, 0, 0],
    [0, 0],
    [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8],
  ],
  [
    [0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff],
    [0xffffffff, 0xffffffff],
    [0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd],
  ],
  [
    [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344],
    [0xa4093822, 0x299f31d0],
    [0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1],
  ],
] as const;

test.each(KNOWN_ANSWERS)('RN-1 philox4x32-10 of %j under %j', (counter, key, expected) => {
  const out = new Uint32Array(4);
  philox(Uint32Array.from(counter), key, out);
  expect([...out]).toEqual([...expected]);
});

test('RN-1 a stream is blocks of philox with the counter (n, 0, rank, step)', () => {
  const stream = randomStream(7, PURPOSE.generation, 3, 11);
  const out = new Uint32Array(4);
  for (let block = 0; block < 3; block++) {
    philox(Uint32Array.of(block, 0, 3, 11), [7, PURPOSE.generation], out);
    for (const word of out) expect(stream.u32()).toBe(word);
  }
});

test('RN-2 streams of different keys differ, of the same key agree', () => {
  const first = (...key: Parameters<typeof randomStream>): number => randomStream(...key).u32();
  const keys: Parameters<typeof randomStream>[] = [
    [0, PURPOSE.initialWeights, 0, 0],
    [1, PURPOSE.initialWeights, 0, 0],
    [0, PURPOSE.pointsTrain, 0, 0],
    [0, PURPOSE.initialWeights, 1, 0],
    [0, PURPOSE.initialWeights, 0, 1],
  ];
  expect(new Set(keys.map((key) => first(...key))).size).toBe(keys.length);
  for (const key of keys) expect(first(...key)).toBe(first(...key));
});

test('RN-3 uniform draws are in [0, 1), exact in fp32, with mean 1/2', () => {
  const stream = randomStream(1, PURPOSE.generation);
  let sum = 0;
  for (let i = 0; i < 100_000; i++) {
    const u = stream.uniform();
    if (!(u >= 0 && u < 1) || Math.fround(u) !== u) throw new Error(`uniform gave ${u}`);
    sum += u;
  }
  // Standard error of the mean: sqrt(1/12)/sqrt(1e5) = 9.1e-4.
  expect(Math.abs(sum / 100_000 - 0.5)).toBeLessThan(4e-3);
});

test('RN-3 normal draws have mean 0 and variance 1, and are finite', () => {
  const stream = randomStream(2, PURPOSE.generation);
  let sum = 0;
  let squares = 0;
  for (let i = 0; i < 100_000; i++) {
    const z = stream.normal();
    sum += z;
    squares += z * z;
  }
  expect(Math.abs(sum / 100_000)).toBeLessThan(0.015);
  expect(Math.abs(squares / 100_000 - 1)).toBeLessThan(0.02);
});

test('RN-3 below(n) stays below n and reaches every value evenly', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 0xffffffff }), fc.nat(), (n, seed) => {
      const draw = randomStream(seed, PURPOSE.generation).below(n);
      expect(Number.isInteger(draw) && draw >= 0 && draw < n).toBe(true);
    }),
  );
  const counts = new Uint32Array(6);
  const stream = randomStream(3, PURPOSE.generation);
  for (let i = 0; i < 60_000; i++) counts[stream.below(6)]++;
  for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(500);
});

test('below() refuses what it cannot draw', () => {
  const stream = randomStream(0, PURPOSE.generation);
  for (const n of [0, -1, Number.NaN, 0x100000001]) {
    expect(() => stream.below(n)).toThrow(RangeError);
  }
});
