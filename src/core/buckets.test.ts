import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bucketRanges, firstIterationRanges } from './buckets.ts';
import type { Range } from './collective.ts';
import type { Parameter } from './model.ts';

const MIB = 2 ** 20;
const PYTORCH = { firstBytes: MIB, capBytes: 25 * MIB };

function parametersOf(lengths: readonly number[]): Parameter[] {
  let offset = 0;
  return lengths.map((length, i) => {
    const parameter: Parameter = {
      name: `p${i}`,
      shape: [length],
      offset,
      length,
      init: { kind: 'constant', value: 0 },
    };
    offset += length;
    return parameter;
  });
}

/** Which parameters each bucket holds, in backward order. */
const members = (parameters: readonly Parameter[], ranges: readonly Range[]): number[][] =>
  ranges.map(({ start, end }) =>
    parameters.flatMap((p, i) => (p.offset >= start && p.offset < end ? [i] : [])).reverse(),
  );

test('DP-4 sizes of 4, 0.5, 10, 30, 0.25, 2 MiB make [5], [4,3], [2,1,0]', () => {
  const parameters = parametersOf([4, 0.5, 10, 30, 0.25, 2].map((mib) => (mib * MIB) / 4));
  expect(members(parameters, bucketRanges(parameters, PYTORCH))).toEqual([[5], [4, 3], [2, 1, 0]]);
});

test('DP-4 three Linear(512, 512) make [5,4], [3,2,1,0]', () => {
  const parameters = parametersOf([512 * 512, 512, 512 * 512, 512, 512 * 512, 512]);
  expect(members(parameters, bucketRanges(parameters, PYTORCH))).toEqual([
    [5, 4],
    [3, 2, 1, 0],
  ]);
});

test('DP-3 iteration 0 reduces one bucket', () => {
  expect(firstIterationRanges(parametersOf([3, 4, 5]))).toEqual([{ start: 0, end: 12 }]);
  expect(firstIterationRanges([])).toEqual([]);
});

test('DP-4 buckets tile the vector from its end, each at least its limit but for the last', () => {
  const lengths = fc.array(fc.integer({ min: 1, max: 400 }), { maxLength: 30 });
  const bytes = fc.integer({ min: 1, max: 3000 });
  fc.assert(
    fc.property(lengths, bytes, bytes, (sizes, firstBytes, capBytes) => {
      const parameters = parametersOf(sizes);
      const ranges = bucketRanges(parameters, { firstBytes, capBytes });
      let end = sizes.reduce((sum, length) => sum + length, 0);
      ranges.forEach((range, i) => {
        expect(range.end).toBe(end);
        expect(range.start).toBeLessThan(range.end);
        const limit = i === 0 ? firstBytes : capBytes;
        if (i < ranges.length - 1)
          expect(4 * (range.end - range.start)).toBeGreaterThanOrEqual(limit);
        end = range.start;
      });
      expect(end).toBe(0);
    }),
  );
});
