import { expect, test } from 'vitest';
import { deviation, median, robustZ, theilSen, trendZ } from './robust.ts';

test('MO-1 medians: of an odd and an even number, without what is no number, of nothing', () => {
  expect(median([5, 1, 9])).toBe(5);
  expect(median([4, 1, 9, 2, Number.NaN])).toBe(3);
  expect(median([])).toBeNaN();
});

test('MO-1 one wild value of 1, 2, 3, 4, 100 moves neither centre nor deviation', () => {
  // |x - 3| = 2, 1, 0, 1, 97: median 1.
  expect(deviation([1, 2, 3, 4, 100])).toBeCloseTo(1.4826, 12);
  expect(robustZ(100, [1, 2, 3, 4], 0)).toBeCloseTo(97.5 / 1.4826, 12);
  expect(robustZ(3, [1, 1, 1], 0.5)).toBe(4);
});

test('MO-1 the line of 1, 3, 5, 70, 9 has slope 2 whatever the fourth says', () => {
  // Slopes of pairs: 2 six times; 23, 33.5, 65, -61 with the wild one.
  const line = theilSen([0, 1, 2, 3, 4], [1, 3, 5, 70, 9]);
  expect(line.slope).toBe(2);
  expect(line.at(10)).toBe(21);
  expect(line.residual).toBe(0);
});

test('MO-1 Mann-Kendall: ten ascending values are (45 - 1) / sqrt(125), a constant is 0', () => {
  const ascending = Array.from({ length: 10 }, (_, i) => i);
  expect(trendZ(ascending)).toBeCloseTo(44 / Math.sqrt(125), 12);
  expect(trendZ(ascending.toReversed())).toBeCloseTo(-44 / Math.sqrt(125), 12);
  expect(trendZ([1, 1, 1, 1])).toBe(0);
});
