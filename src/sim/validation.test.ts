import { expect, test } from 'vitest';
import { clusterDocument } from './cluster-document.ts';
import { figureError, median, validate } from './validation.ts';
import { validationDocument } from './validation-document.ts';

const validation = validate();
const { leftOut, fitted } = validation;

test('CC-17 the median error on what was left out of the fit is within 10 %', () => {
  expect(leftOut.all).toBeLessThan(0.1);
  expect(leftOut.collectives).toBeLessThan(0.1);
  expect(leftOut.scalingSteps).toBeLessThan(0.1);
  expect(leftOut.singles).toBeLessThan(0.1);
});

test('CC-17 the overhead of scaling is met at least twice as well as by the better null model', () => {
  for (const medians of [leftOut, fitted]) {
    const better = Math.min(medians.overheadOfPerfect, medians.overheadOfLinear);
    expect(medians.overhead).toBeLessThanOrEqual(better / 2);
  }
});

test('CC-17 every row above 20 % names a cause', () => {
  for (const each of validation.singles) {
    if ((figureError(each) ?? 1) > 0.2) expect(each.cause, each.what).toBeDefined();
  }
  for (const { series, points } of validation.scaling) {
    const isLarge = points.some(
      ({ predicted, measured }) => Math.abs(predicted - measured) > 0.2 * Math.abs(measured),
    );
    if (isLarge) expect(series.cause, series.id).toBeDefined();
  }
});

test('CC-17 docs/validation.md and docs/clusters.md are what the models give', async () => {
  await expect(validationDocument()).toMatchFileSnapshot('../../docs/validation.md');
  await expect(clusterDocument()).toMatchFileSnapshot('../../docs/clusters.md');
});

test('CC-17 a median is the middle value, or the mean of the two', () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(median([4, 1, 2, 3])).toBe(2.5);
});
