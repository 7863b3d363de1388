import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chunkRange, chunkRanges } from './chunks.ts';

test('CL-1 the first (length mod chunks) chunks get one element more', () => {
  expect(chunkRanges({ start: 10, end: 20 }, 4)).toEqual([
    { start: 10, end: 13 },
    { start: 13, end: 16 },
    { start: 16, end: 18 },
    { start: 18, end: 20 },
  ]);
});

test('CL-1 chunks may be empty', () => {
  const lengths = chunkRanges({ start: 5, end: 7 }, 4).map(({ start, end }) => end - start);
  expect(lengths).toEqual([1, 1, 0, 0]);
});

test('CL-1 chunks cover the range in order, without gap or overlap', () => {
  fc.assert(
    fc.property(
      fc.nat(1000),
      fc.nat(10_000),
      fc.integer({ min: 1, max: 64 }),
      (start, length, n) => {
        let next = start;
        for (const range of chunkRanges({ start, end: start + length }, n)) {
          expect(range.start).toBe(next);
          next = range.end;
        }
        expect(next).toBe(start + length);
      },
    ),
  );
});

test('a chunk that is not there is refused', () => {
  expect(() => chunkRange({ start: 0, end: 4 }, 2, 2)).toThrow('0 ... 1 is allowed');
});
