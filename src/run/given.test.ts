import { expect, test } from 'vitest';
import { GivenDataError, parseGivenBatches } from './given.ts';

const x = [[[[1, 2]], [[3, 4]]]];
const y = [[[0], [1]]];

test('RU-6 given batches are flattened in the order step, rank, sample, feature', () => {
  const given = parseGivenBatches({ init: null, x, y });
  expect(given).toMatchObject({ steps: 1, worldSize: 2, batchPerRank: 1 });
  expect(given.task).toEqual({ kind: 'points', features: 2, classes: 2 });
  expect([...given.split.x]).toEqual([1, 2, 3, 4]);
  expect([...given.split.y]).toEqual([0, 1]);
});

test.each([
  [{ x: [], y }, 'x: an array with at least one entry'],
  [{ x: [[[[1, 2]], [[3]]]], y }, 'x[0][1][0]: 1 entries found, 2 entries are needed'],
  [{ x: [[[[1, 'a']], [[3, 4]]]], y }, 'x[0][0][0][1]: "a" found'],
  [{ x: [[[[1, 1e39]], [[3, 4]]]], y }, 'x[0][0][0][1]: 1e+39 found'],
  [{ x, y: [[[0]]] }, 'their first three axes must be equal'],
  [{ x, y: [[[0], [-1]]] }, 'class numbers are 0 or more'],
])(
  'RU-6 given batches with a fault are refused, and the message says where (%#)',
  (bad, message) => {
    const parse = () => parseGivenBatches({ init: null, ...bad });
    expect(parse).toThrow(GivenDataError);
    expect(parse).toThrow(message);
  },
);
