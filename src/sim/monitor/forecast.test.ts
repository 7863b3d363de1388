import { expect, test } from 'vitest';
import { forecast } from './forecast.ts';

const series = (length: number, value: (i: number) => number) =>
  Array.from({ length }, (_, i) => value(i));
const above = (value: number, rests = false) => ({ value, above: true, horizon: 100, rests });

test('MO-5 a line of 2 a step from 0 at 63 steps reaches 200 at step 100: 37 steps from now', () => {
  const found = forecast(
    series(64, (i) => 2 * i),
    above(200),
  );
  expect(found?.inSteps).toBeCloseTo(37, 0);
  expect(found?.sureness).toBeGreaterThan(0.99);
});

test('MO-5 downwards likewise, and nothing beyond the horizon', () => {
  const falling = series(64, (i) => 100 - i);
  const limit = { value: 20, above: false, horizon: 40, rests: false };
  expect(forecast(falling, limit)?.inSteps).toBeCloseTo(17, 0);
  expect(forecast(falling, { ...limit, horizon: 10 })).toBeNull();
});

test('MO-5 heat that goes to 90 with 40 steps: 85 at step 40 ln(60 / 5) = 99.4; never 95', () => {
  const heat = series(64, (i) => 90 - 60 * Math.exp(-i / 40));
  const found = forecast(heat, above(85, true));
  expect(Math.abs((found?.inSteps ?? 0) - (99.4 - 63))).toBeLessThan(4);
  expect(found?.sureness).toBeGreaterThan(0.9);
  expect(forecast(heat, above(95, true))).toBeNull();
  // The straight line of its last steps would get there.
  expect(forecast(heat.slice(-32), above(95))).not.toBeNull();
});

test('MO-5 no trend, a trend away, a limit already crossed, too few values: no forecast', () => {
  expect(
    forecast(
      series(64, (i) => (i * 7) % 5),
      above(10),
    ),
  ).toBeNull();
  expect(
    forecast(
      series(64, (i) => -i),
      above(10),
    ),
  ).toBeNull();
  expect(
    forecast(
      series(64, (i) => i),
      above(50),
    ),
  ).toBeNull();
  expect(forecast([1, 2, 3], above(10))).toBeNull();
  expect(
    forecast(
      series(64, () => Number.NaN),
      above(10),
    ),
  ).toBeNull();
});
