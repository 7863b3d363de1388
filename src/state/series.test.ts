import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSeries } from './series.ts';

test('UI-3 a series below its capacity keeps every value', () => {
  const series = createSeries(4);
  for (const [i, value] of [3, 1, 2].entries()) series.push(i + 1, (i + 1) * 10, value);
  expect(series.points().map((p) => p.mean)).toEqual([3, 1, 2]);
  expect(series.last()).toMatchObject({ step: 3, samples: 30, mean: 2 });
});

test('UI-3 a full series merges neighbours and keeps least and greatest', () => {
  const series = createSeries(4);
  for (const [i, value] of [1, 9, 2, 4, 5].entries()) series.push(i + 1, i + 1, value);
  expect(series.points()).toEqual([
    { step: 2, samples: 2, mean: 5, min: 1, max: 9, count: 2 },
    { step: 4, samples: 4, mean: 3, min: 2, max: 4, count: 2 },
    { step: 5, samples: 5, mean: 5, min: 5, max: 5, count: 1 },
  ]);
});

test('UI-3 values that are not finite are left out, and clear empties the series', () => {
  const series = createSeries(2);
  series.push(1, 1, Number.NaN);
  series.push(2, 2, Number.POSITIVE_INFINITY);
  expect(series.points()).toEqual([]);
  series.push(3, 3, 1);
  series.clear();
  expect(series.last()).toBeNull();
  expect(() => createSeries(1)).toThrow(RangeError);
});

test('UI-3 memory is bounded, and count, mean, least and greatest are those of all values', () => {
  const values = fc.array(fc.double({ min: -1e3, max: 1e3, noNaN: true }), {
    minLength: 1,
    maxLength: 400,
  });
  fc.assert(
    fc.property(values, fc.integer({ min: 2, max: 17 }), (list, capacity) => {
      const series = createSeries(capacity);
      for (const [i, value] of list.entries()) series.push(i + 1, i + 1, value);
      const points = series.points();
      expect(points.length).toBeLessThanOrEqual(capacity);
      expect(points.reduce((sum, p) => sum + p.count, 0)).toBe(list.length);
      expect(Math.min(...points.map((p) => p.min))).toBe(Math.min(...list));
      expect(Math.max(...points.map((p) => p.max))).toBe(Math.max(...list));
      const total = points.reduce((sum, p) => sum + p.mean * p.count, 0);
      expect(total).toBeCloseTo(
        list.reduce((sum, v) => sum + v, 0),
        6,
      );
      expect(points.at(-1)?.step).toBe(list.length);
    }),
  );
});

test('UI-3 points of steps that are done again are dropped', () => {
  const series = createSeries(8);
  for (const step of [1, 2, 3, 4]) series.push(step, 10 * step, step);
  series.cutAfter(2);
  series.push(3, 30, 7);
  expect(series.points().map(({ step, mean }) => [step, mean])).toEqual([
    [1, 1],
    [2, 2],
    [3, 7],
  ]);
  expect(series.last()?.mean).toBe(7);
});
