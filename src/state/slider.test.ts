import { expect, test } from 'vitest';
import type { NumberField } from '#experiment/field';
import { FIELDS } from '#experiment/fields';
import { sliderOf } from './slider.ts';

const numbers: readonly NumberField[] = FIELDS.filter(
  (field): field is (typeof FIELDS)[number] & NumberField =>
    field.kind === 'integer' || field.kind === 'number',
);

const base = { path: 'x', group: 'run', unit: null, default: 1 } as const;

test('steps snap to the nearest listed value', () => {
  const slider = sliderOf({
    ...base,
    kind: 'integer',
    minimum: 1,
    maximum: 64,
    scale: { steps: [1, 8, 64] },
  });
  expect(slider.last).toBe(2);
  expect(slider.positionOf(10)).toBe(1);
  expect([0, 1, 2, 9].map(slider.valueAt)).toEqual([1, 8, 64, 64]);
});

test('a logarithmic slider is even in ratios and gives two digits', () => {
  const slider = sliderOf({ ...base, kind: 'number', minimum: 1e-6, maximum: 10, scale: 'log' });
  expect(slider.positionOf(1e-6)).toBe(0);
  expect(slider.positionOf(10)).toBe(120);
  expect(slider.valueAt(60)).toBe(0.0032);
  expect(slider.positionOf(-1)).toBe(0);
});

test('a linear slider over 1 ... 16 has one position a replica', () => {
  const slider = sliderOf({ ...base, kind: 'integer', minimum: 1, maximum: 16, scale: 'linear' });
  expect(slider.last).toBe(15);
  expect(slider.positionOf(4)).toBe(3);
  expect(slider.valueAt(3)).toBe(4);
});

test.each(numbers)('$path: every position is a value within the limits, ends included', (field) => {
  const slider = sliderOf(field);
  for (let position = 0; position <= slider.last; position++) {
    const value = slider.valueAt(position);
    expect(value).toBeGreaterThanOrEqual(field.minimum);
    expect(value).toBeLessThanOrEqual(field.maximum);
    if (field.kind === 'integer') expect(Number.isInteger(value)).toBe(true);
  }
});
