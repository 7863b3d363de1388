import { expect, test } from 'vitest';
import type { SeriesPoint } from '#state/series';
import { bandPath, linePath, niceCeiling, scales, spread } from './chart-math.ts';

const frame = { left: 10, right: 110, top: 0, bottom: 50 };
const point = (step: number, mean: number, spreadBy = 0, count = 1): SeriesPoint => ({
  step,
  samples: 10 * step,
  mean,
  min: mean - spreadBy,
  max: mean + spreadBy,
  count,
});

test('an axis ends at a round number not below the data', () => {
  expect([0.7, 1, 2.3, 2.6, 43, 0].map(niceCeiling)).toEqual([1, 1, 2.5, 5, 50, 1]);
});

test("lines run from the frame's left bottom to its right top", () => {
  const at = scales(frame, 10, 2);
  expect(linePath([point(0, 0), point(10, 2)], 'step', at)).toBe('M10.0 50.0L110.0 0.0');
  expect(linePath([], 'step', at)).toBe('');
  expect(linePath([point(5, 9)], 'step', at)).toBe('M60.0 0.0');
});

test('the band covers least to greatest of merged points only', () => {
  const at = scales(frame, 10, 2);
  expect(bandPath([point(0, 1), point(10, 1)], 'step', at)).toBe('');
  expect(bandPath([point(0, 1, 0.5, 2), point(10, 1, 0.5, 2)], 'step', at)).toBe(
    'M10.0 12.5L110.0 12.5L110.0 37.5L10.0 37.5Z',
  );
});

test('labels keep apart, keep their order and stay inside', () => {
  expect(spread([20, 21], 12, frame)).toEqual([20, 32]);
  expect(spread([48, 49], 12, frame)).toEqual([38, 50]);
  expect(spread([30, 10], 12, frame)).toEqual([30, 10]);
});
