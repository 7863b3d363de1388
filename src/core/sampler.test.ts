import fc from 'fast-check';
import { expect, test } from 'vitest';
import golden from './golden/sampler.json' with { type: 'json' };
import { mt19937 } from './mt19937.ts';
import { epochOrder, hasBatch, randperm, rankIndices, stepsPerEpoch } from './sampler.ts';

test('DP-5 MT19937 gives its published numbers', () => {
  const generator = mt19937(5489);
  expect(generator.u32()).toBe(3499211612);
  // The 10,000th output is the one the C++ standard fixes for std::mt19937 ([rand.predef]).
  for (let i = 1; i < 9_999; i++) generator.u32();
  expect(generator.u32()).toBe(4123659995);
});

test('DP-5 randperm gives published PyTorch orders', () => {
  expect([...randperm(10, 0)]).toEqual([4, 1, 7, 5, 3, 9, 0, 8, 6, 2]);
  expect([...randperm(10, 1)]).toEqual([5, 6, 1, 2, 0, 8, 9, 3, 7, 4]);
});

test.each(golden.cases)(
  'DP-6 golden: n=$n, world $worldSize, shuffle $shuffle, dropLast $dropLast, epoch $epoch',
  ({ n, worldSize, shuffle, dropLast, seed, epoch, indicesPerRank }) => {
    const order = epochOrder(n, seed, epoch, shuffle);
    indicesPerRank.forEach((expected, rank) => {
      expect([...rankIndices(order, worldSize, rank, dropLast)]).toEqual(expected);
    });
  },
);

test('DP-6 all ranks together see every sample, and as often as padding says', () => {
  const sizes = { n: fc.integer({ min: 1, max: 300 }), worldSize: fc.integer({ min: 1, max: 33 }) };
  fc.assert(
    fc.property(sizes.n, sizes.worldSize, fc.nat(), (n, worldSize, seed) => {
      const order = epochOrder(n, seed, 0, true);
      const seen = new Uint32Array(n);
      for (let rank = 0; rank < worldSize; rank++) {
        for (const index of rankIndices(order, worldSize, rank, false)) seen[index]++;
      }
      const total = Math.ceil(n / worldSize) * worldSize;
      expect(seen.reduce((sum, count) => sum + count, 0)).toBe(total);
      for (const count of seen) {
        expect(count).toBeGreaterThanOrEqual(Math.floor(total / n));
        expect(count).toBeLessThanOrEqual(Math.ceil(total / n));
      }
    }),
  );
});

test('DP-7 steps of an epoch count the last, smaller batch', () => {
  expect(stepsPerEpoch(12_000, 4, 32)).toBe(94);
  expect(stepsPerEpoch(12_000, 1, 12_000)).toBe(1);
  expect(stepsPerEpoch(3, 8, 1)).toBe(1);
});

test('MI-6 the last rank has no batch at the last step of each epoch; a lone rank always has one', () => {
  const plan = { worldSize: 3, stepsPerEpoch: 2 };
  const steps = [0, 1, 2, 3];
  expect(steps.map((step) => hasBatch(step, 2, plan))).toEqual([true, false, true, false]);
  expect(steps.every((step) => hasBatch(step, 1, plan))).toBe(true);
  expect(steps.every((step) => hasBatch(step, 0, { ...plan, worldSize: 1 }))).toBe(true);
});
