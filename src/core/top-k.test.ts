import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PURPOSE, randomStream } from './random.ts';
import { selectTopK, topKCount } from './top-k.ts';

function select(values: ArrayLike<number>, k: number): number[] {
  const indices = new Uint32Array(k);
  selectTopK(Float32Array.from(values), indices);
  return [...indices];
}

/** The definition: sort by magnitude, NaN first, then by index; give the first k in index order. */
function bySorting(values: Float32Array, k: number): number[] {
  const rank = (value: number): number =>
    Number.isNaN(value) ? Number.POSITIVE_INFINITY : Math.min(Math.abs(value), 3.5e38);
  return [...values.keys()]
    .sort((a, b) => rank(values[b]) - rank(values[a]) || a - b)
    .slice(0, k)
    .sort((a, b) => a - b);
}

test('CP-1 the largest magnitudes, whatever their sign, in index order', () => {
  expect(select([0.5, -3, 2, 0.1, -2.5], 3)).toEqual([1, 2, 4]);
  expect(select([1, 2, 3], 3)).toEqual([0, 1, 2]);
  expect(select([1, 2, 3], 0)).toEqual([]);
});

test('CP-1 among equal magnitudes the lower index goes first', () => {
  expect(select([1, -1, 1, 2, -1], 3)).toEqual([0, 1, 3]);
  expect(select([0, -0, 0], 2)).toEqual([0, 1]);
});

test('CP-1 NaN stands above infinity', () => {
  expect(select([1, Number.NaN, Number.NEGATIVE_INFINITY, 5], 1)).toEqual([1]);
  expect(select([1, Number.NaN, Number.NEGATIVE_INFINITY, 5], 2)).toEqual([1, 2]);
});

test('CP-1 more than there are is refused', () => {
  expect(() => select([1], 2)).toThrow(/2 of 1/);
});

test('CP-1 equals a sort, for any floats', () => {
  const floats = fc.array(
    fc.oneof(fc.float(), fc.constantFrom(0, -0, 1, -1, 1e-45, -1e-45, 3.4e38)),
    { minLength: 1, maxLength: 300 },
  );
  fc.assert(
    fc.property(floats, fc.nat(300), (list, wish) => {
      // One NaN only: those of other bits have an order among them that a sort does not see.
      const values = Float32Array.from(list, (x, i) => (Number.isNaN(x) && i > 0 ? i : x));
      const k = Math.min(wish, values.length);
      expect(select(values, k)).toEqual(bySorting(values, k));
    }),
  );
});

test('CP-1 long vectors, views, and close values take the same path to the same result', () => {
  const stream = randomStream(3, PURPOSE.generation);
  const whole = Float32Array.from({ length: 50_001 }, (_, i) =>
    i % 2 === 0 ? stream.normal() : 1 + stream.below(50) * 2 ** -23,
  );
  const values = whole.subarray(1);
  for (const k of [1, 500, 25_000, 50_000]) {
    const indices = new Uint32Array(k);
    selectTopK(values, indices);
    expect([...indices].join()).toBe(bySorting(values, k).join());
  }
});

test('CP-1 needs a small part of the time of a typed-array sort of a million magnitudes', () => {
  const stream = randomStream(4, PURPOSE.generation);
  const values = Float32Array.from({ length: 1_000_000 }, () => stream.uniform() - 0.5);
  const indices = new Uint32Array(10_000);
  const fastest = (count: number, job: () => void): number => {
    let best = Number.POSITIVE_INFINITY;
    for (let i = 0; i < count; i++) {
      const began = performance.now();
      job();
      best = Math.min(best, performance.now() - began);
    }
    return best;
  };
  const selecting = fastest(15, () => selectTopK(values, indices));
  const sorting = fastest(3, () => values.map(Math.abs).sort());
  expect(sorting / selecting).toBeGreaterThan(10);
});

test('CP-1 k is the ratio of the length rounded down, at least 1', () => {
  expect(topKCount(1000, 0.01)).toBe(10);
  expect(topKCount(99, 0.01)).toBe(1);
  expect(topKCount(299, 0.01)).toBe(2);
  expect(topKCount(5, 1)).toBe(5);
  expect(topKCount(0, 0.5)).toBe(0);
});
