import { expect, test } from 'vitest';
import { ringAllGather } from './all-gather.ts';
import { binaryTreeAllReduce } from './binary-tree.ts';
import {
  binaryTreeSeconds,
  halvingDoublingSeconds,
  hierarchicalSeconds,
  ringSeconds,
  serialStarSeconds,
  starSeconds,
} from './collective-time.ts';
import { halvingDoublingAllReduce } from './halving-doubling.ts';
import { hierarchicalAllReduce } from './hierarchical.ts';
import { ringReduceScatter } from './reduce-scatter.ts';
import { ringAllReduce } from './ring.ts';
import { contributions, simulate } from './schedule-check.ts';
import { bytesSent, criticalPath, lockstepSeconds } from './schedule-cost.ts';
import { starAllReduce } from './star.ts';

/** 5 us, 50 GB/s. */
const link = { latencySeconds: 5e-6, bytesPerSecond: 50e9 };
const everywhere = () => link;

test('CL-28 a = 5 us, 50 GB/s, N = 8, 8 kB: ring 70.28 us, halving-doubling 30.28 us', () => {
  expect(lockstepSeconds(ringAllReduce(8), 2000, everywhere)).toBeCloseTo(70.28e-6, 12);
  expect(lockstepSeconds(halvingDoublingAllReduce(8), 2000, everywhere)).toBeCloseTo(30.28e-6, 12);
});

test('CL-28 a = 5 us, 50 GB/s, N = 8, 100 MB: ring 3.570 ms, halving-doubling 3.530 ms', () => {
  expect(lockstepSeconds(ringAllReduce(8), 25e6, everywhere)).toBeCloseTo(3.57e-3, 10);
  expect(lockstepSeconds(halvingDoublingAllReduce(8), 25e6, everywhere)).toBeCloseTo(3.53e-3, 10);
});

test('CL-28 star of 100 MB, N = 8, 50 GB/s: 28.07 ms if the root waits for each, else 28.01 ms', () => {
  expect(serialStarSeconds(8, 100e6, link)).toBeCloseTo(28.07e-3, 10);
  expect(lockstepSeconds(starAllReduce(8), 25e6, everywhere)).toBeCloseTo(28.01e-3, 10);
});

test('CL-28 G = 8, M = 4, 100 MB, (2 us, 300 GB/s), (5 us, 50 GB/s): 1.016 ms; flat ring 4.185 ms', () => {
  const inner = { latencySeconds: 2e-6, bytesPerSecond: 300e9 };
  const layout = { nodes: 4, ranksPerNode: 8, inner, outer: link };
  expect(hierarchicalSeconds(layout, 100e6)).toBeCloseTo(1.016e-3, 6);
  const linkOf = (from: number, to: number) =>
    Math.floor(from / 8) === Math.floor(to / 8) ? inner : link;
  const priced = lockstepSeconds(hierarchicalAllReduce(32, 8), 25e6, linkOf);
  expect(priced / hierarchicalSeconds(layout, 100e6)).toBeCloseTo(1, 9);
  expect(lockstepSeconds(ringAllReduce(32), 25e6, everywhere)).toBeCloseTo(4.185e-3, 8);
});

test('CL-28 schedules priced step by step equal the closed forms to 1e-9', () => {
  const length = 2 ** 5 * 3 * 5 * 7 * 11 * 13 * 17;
  for (let worldSize = 1; worldSize <= 17; worldSize++) {
    if (length % worldSize !== 0) continue;
    const prices = [
      [ringAllReduce(worldSize), ringSeconds(worldSize, 4 * length, link)],
      [binaryTreeAllReduce(worldSize), binaryTreeSeconds(worldSize, 4 * length, link)],
      [starAllReduce(worldSize), starSeconds(worldSize, 4 * length, link)],
    ] as const;
    for (const [schedule, seconds] of prices) {
      const priced = lockstepSeconds(schedule, length, everywhere);
      expect(Math.abs(priced - seconds), `${schedule.name} of ${worldSize}`).toBeLessThanOrEqual(
        1e-9 * seconds,
      );
    }
  }
  for (const worldSize of [2, 4, 8, 16]) {
    const priced = lockstepSeconds(halvingDoublingAllReduce(worldSize), length, everywhere);
    const seconds = halvingDoublingSeconds(worldSize, 4 * length, link);
    expect(Math.abs(priced - seconds)).toBeLessThanOrEqual(1e-9 * seconds);
  }
});

test('CL-28 bytes sent: ring 2(N-1)/N S, its halves (N-1)/N S, tree and star 2(N-1) S in all', () => {
  for (let worldSize = 1; worldSize <= 33; worldSize++) {
    const length = 10 * worldSize;
    const share = 4 * 10 * (worldSize - 1);
    const each = (bytes: number) => new Array<number>(worldSize).fill(bytes);
    expect(bytesSent(ringAllReduce(worldSize), length)).toEqual(each(2 * share));
    expect(bytesSent(ringReduceScatter(worldSize), length)).toEqual(each(share));
    expect(bytesSent(ringAllGather(worldSize), length)).toEqual(each(share));
    const total = 2 * (worldSize - 1) * 4 * length;
    for (const schedule of [binaryTreeAllReduce(worldSize), starAllReduce(worldSize)]) {
      expect(bytesSent(schedule, length).reduce((sum, bytes) => sum + bytes, 0)).toBe(total);
    }
  }
  expect(bytesSent(starAllReduce(8), 100)).toEqual([2800, ...new Array<number>(7).fill(400)]);
});

test('CL-28 latencies in a chain: ring 2(N-1), star 2, tree 2 log2 N for powers of two', () => {
  for (let worldSize = 2; worldSize <= 33; worldSize++) {
    expect(criticalPath(ringAllReduce(worldSize), 100)).toBe(2 * (worldSize - 1));
    expect(criticalPath(starAllReduce(worldSize), 100)).toBe(2);
    const tree = binaryTreeAllReduce(worldSize);
    const steps = 2 * Math.ceil(Math.log2(worldSize));
    expect(tree.steps.length).toBe(steps);
    expect(criticalPath(tree, 100)).toBeLessThanOrEqual(steps);
  }
  for (const worldSize of [2, 4, 8, 16, 32]) {
    expect(criticalPath(binaryTreeAllReduce(worldSize), 100)).toBe(2 * Math.log2(worldSize));
  }
});

test('CL-28 empty chunks cost nothing', () => {
  expect(criticalPath(ringAllReduce(4), 0)).toBe(0);
  expect(lockstepSeconds(ringAllReduce(4), 0, everywhere)).toBe(0);
  // Chunk 0 alone: 1 -> 2 -> 3 -> 0, then 0 -> 1 -> 2 -> 3.
  expect(bytesSent(ringAllReduce(4), 1)).toEqual([4, 8, 8, 4]);
});

test('CL-26 after a reduce-scatter rank r holds the sum of chunk r and no other', () => {
  for (const worldSize of [2, 3, 5, 8]) {
    const last = contributions(ringReduceScatter(worldSize)).at(-1) ?? [];
    const complete = last.map((chunks) =>
      chunks.flatMap((ranks, chunk) => (ranks.length === worldSize ? [chunk] : [])),
    );
    expect(complete).toEqual(complete.map((_, rank) => [rank]));
  }
});

test('CL-26 after an all-gather every rank has every chunk of its owner', () => {
  const vectors = [0, 1, 2].map((rank) => new Float32Array(3).fill(10 + rank));
  for (const result of simulate(ringAllGather(3), vectors))
    expect([...result]).toEqual([10, 11, 12]);
});

test('CL-23 the binomial tree of 5 halves the ranks in each step', () => {
  const reduce = binaryTreeAllReduce(5).steps.slice(0, 3);
  expect(reduce.map((messages) => messages.map(({ from, to }) => [from, to]))).toEqual([
    [
      [1, 0],
      [3, 2],
    ],
    [[2, 0]],
    [[4, 0]],
  ]);
});

test('CL-23 the star adds in rank order, the tree pairwise: 1e8, 1, -1e8, 1 give 1 and 0', () => {
  const vectors = [1e8, 1, -1e8, 1].map((value) => Float32Array.of(value));
  for (const [result] of simulate(starAllReduce(4), vectors)) expect(result).toBe(1);
  for (const [result] of simulate(binaryTreeAllReduce(4), vectors)) expect(result).toBe(0);
});
