import { expect, test } from 'vitest';
import { parseGivenBatches } from '#run/given';
import { completeWithGiven } from './given-experiment.ts';

/** 3 steps, 2 ranks, 1 sample of 2 features. */
const batches = parseGivenBatches({
  init: null,
  x: [0, 1, 2].map((step) => [[[step, 1]], [[step, 2]]]),
  y: [0, 1, 2].map(() => [[0], [1]]),
});

test('takes replicas, batch and steps from the shape of the data, and ignores the data choice', () => {
  const { input, faults } = completeWithGiven({ seed: 7, data: { name: 'mnist' } }, batches);
  expect(faults).toEqual([]);
  expect(input).toMatchObject({
    seed: 7,
    replicas: 2,
    batchPerRank: 1,
    duration: { unit: 'steps', count: 3 },
    logEvery: 1,
    data: { name: 'spirals' },
  });
});

test('accepts values that agree, and an epoch as the steps of the data', () => {
  const stated = { replicas: 2, batchPerRank: 1, duration: { unit: 'epochs', count: 1 } };
  expect(completeWithGiven(stated, batches).faults).toEqual([]);
  expect(completeWithGiven({ duration: { unit: 'steps', count: 3 } }, batches).faults).toEqual([]);
});

test('names every value that differs from the data, with both', () => {
  const stated = { replicas: 4, batchPerRank: 8, duration: { unit: 'steps', count: 5 } };
  const { faults } = completeWithGiven(stated, batches);
  expect(faults.map(({ path, found }) => `${path}=${found}`)).toEqual([
    'replicas=4',
    'batchPerRank=8',
    'duration.count=5',
  ]);
  expect(faults[0]?.message).toBe('The data file has 2 ranks. Leave the field out, or give 2.');
  expect(
    completeWithGiven({ duration: { count: 2, unit: 'epochs' } }, batches).faults,
  ).toHaveLength(1);
  expect(completeWithGiven({ duration: 'long' }, batches).faults).toHaveLength(1);
});

test('leaves what is no object to the parser', () => {
  expect(completeWithGiven([1], batches)).toEqual({ input: [1], faults: [] });
});
