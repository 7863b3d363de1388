import { expect, test } from 'vitest';
import type { Schedule } from './collective.ts';
import { binaryBlocks, halvingDoublingAllReduce } from './halving-doubling.ts';
import { contributions, simulate } from './schedule-check.ts';
import { bytesSent, criticalPath } from './schedule-cost.ts';

const pairsOf = (schedule: Schedule): string[][] =>
  schedule.steps.map((messages) => [
    ...new Set(messages.filter(({ from, to }) => from < to).map(({ from, to }) => `${from}-${to}`)),
  ]);

test('CL-21 pairs (0,1), (2,3) exchange first, at doubling distance, and the way back mirrors it', () => {
  expect(pairsOf(halvingDoublingAllReduce(8))).toEqual([
    ['0-1', '2-3', '4-5', '6-7'],
    ['0-2', '1-3', '4-6', '5-7'],
    ['0-4', '1-5', '2-6', '3-7'],
    ['0-4', '1-5', '2-6', '3-7'],
    ['0-2', '1-3', '4-6', '5-7'],
    ['0-1', '2-3', '4-5', '6-7'],
  ]);
});

test('CL-21 in step 0 of N = 4 rank 0 sends the upper half and gets the lower one', () => {
  const chunks = halvingDoublingAllReduce(4).steps[0].filter(({ from, to }) => from + to === 1);
  expect(chunks).toEqual([
    { from: 0, to: 1, chunk: 2, op: 'sum' },
    { from: 0, to: 1, chunk: 3, op: 'sum' },
    { from: 1, to: 0, chunk: 0, op: 'sum' },
    { from: 1, to: 0, chunk: 1, op: 'sum' },
  ]);
});

test('CL-21 after the reduce-scatter of N = 8 ranks 0 ... 7 own chunks 0 4 2 6 1 5 3 7', () => {
  const owned = contributions(halvingDoublingAllReduce(8))[3].map((chunks) =>
    chunks.flatMap((ranks, chunk) => (ranks.length === 8 ? [chunk] : [])),
  );
  expect(owned).toEqual([[0], [4], [2], [6], [1], [5], [3], [7]]);
});

test('CL-21 pairwise sums: fp32 values 1e8, 1, -1e8, 1 give 0 in every chunk', () => {
  const vectors = [1e8, 1, -1e8, 1].map((value) => new Float32Array(4).fill(value));
  for (const result of simulate(halvingDoublingAllReduce(4), vectors)) {
    expect([...result]).toEqual([0, 0, 0, 0]);
  }
});

test('CL-22 binary blocks are the binary digits of N, the largest block first', () => {
  expect(binaryBlocks(13)).toEqual([
    { offset: 0, size: 8 },
    { offset: 8, size: 4 },
    { offset: 12, size: 1 },
  ]);
  expect(binaryBlocks(1)).toEqual([{ offset: 0, size: 1 }]);
});

test('CL-22 N = 3: rank 2 gives its halves to ranks 0 and 1 and gets both totals back', () => {
  expect(halvingDoublingAllReduce(3).steps).toEqual([
    [
      { from: 0, to: 1, chunk: 1, op: 'sum' },
      { from: 1, to: 0, chunk: 0, op: 'sum' },
    ],
    [
      { from: 2, to: 0, chunk: 0, op: 'sum' },
      { from: 2, to: 1, chunk: 1, op: 'sum' },
    ],
    [
      { from: 0, to: 2, chunk: 0, op: 'copy' },
      { from: 1, to: 2, chunk: 1, op: 'copy' },
    ],
    [
      { from: 1, to: 0, chunk: 1, op: 'copy' },
      { from: 0, to: 1, chunk: 0, op: 'copy' },
    ],
  ]);
});

test('CL-22 blocks of 8 + 2: rank 0 of the smaller one sends to 0, 4, 2, 6, rank 1 to 1, 5, 3, 7', () => {
  const between = halvingDoublingAllReduce(10).steps[3];
  const partners = (rank: number) =>
    between.filter(({ from }) => from === rank).map(({ to }) => to);
  expect(partners(8)).toEqual([0, 4, 2, 6]);
  expect(partners(9)).toEqual([1, 5, 3, 7]);
});

test('CL-22 2 log2 N steps for powers of two, 2 (floor(log2 N) + 1) for other N', () => {
  for (let worldSize = 1; worldSize <= 33; worldSize++) {
    const digits = Math.floor(Math.log2(worldSize));
    const power = 2 ** digits === worldSize;
    const schedule = halvingDoublingAllReduce(worldSize);
    expect(schedule.steps.length).toBe(2 * (power ? digits : digits + 1));
    if (power) expect(criticalPath(schedule, 64)).toBe(2 * digits);
  }
});

test('CL-22 each rank sends 2(N-1)/N S for powers of two; N = 3 sends 3/2, 3/2 and 1 S', () => {
  for (const worldSize of [1, 2, 4, 8, 16, 32]) {
    const expected = new Array<number>(worldSize).fill((4 * 64 * 2 * (worldSize - 1)) / worldSize);
    expect(bytesSent(halvingDoublingAllReduce(worldSize), 64)).toEqual(expected);
  }
  expect(bytesSent(halvingDoublingAllReduce(3), 100)).toEqual([600, 600, 400]);
});
