import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Schedule } from './collective.ts';
import { ringAllReduce } from './ring.ts';
import { placed } from './schedule-build.ts';
import { isAllReduce, scheduleFaults, simulate } from './schedule-check.ts';
import { ALL_REDUCE_NAMES, type AllReduceName, allReduceSchedule } from './schedules.ts';

const MAX_WORLD = 33;

const divisorsOf = (n: number): number[] =>
  Array.from({ length: n }, (_, i) => i + 1).filter((each) => n % each === 0);

/** Every schedule of `worldSize` ranks: each layout of nodes, several numbers of slices. */
function schedulesFor(worldSize: number): Schedule[] {
  return ALL_REDUCE_NAMES.flatMap((name) => {
    if (name === 'hierarchical') {
      return divisorsOf(worldSize).map((ranksPerNode) =>
        allReduceSchedule(name, worldSize, { ranksPerNode }),
      );
    }
    if (name === 'double-binary-tree') {
      return [1, 8].map((slices) => allReduceSchedule(name, worldSize, { slices }));
    }
    return [allReduceSchedule(name, worldSize)];
  });
}

const worlds = Array.from({ length: MAX_WORLD }, (_, i) => i + 1);

test('CL-20 in every schedule each rank enters each chunk exactly once, for N = 1 ... 33', () => {
  for (const worldSize of worlds) {
    for (const schedule of schedulesFor(worldSize)) {
      const label = `${schedule.name} of ${worldSize}`;
      expect(scheduleFaults(schedule), label).toEqual([]);
      expect(isAllReduce(schedule), label).toBe(true);
    }
  }
});

test('CL-20 each chunk is summed along one tree of ranks, N-1 sums, then copied N-1 times', () => {
  for (const worldSize of worlds) {
    for (const { name, chunks, steps } of schedulesFor(worldSize)) {
      const sums = new Array<number>(chunks).fill(0);
      const copies = new Array<number>(chunks).fill(0);
      const gaveItsSum = new Set<string>();
      let sumsAfterCopies = 0;
      for (const { from, chunk, op } of steps.flat()) {
        if (op === 'copy') copies[chunk]++;
        else {
          if (copies[chunk] > 0) sumsAfterCopies++;
          sums[chunk]++;
          gaveItsSum.add(`${from} ${chunk}`);
        }
      }
      const expected = new Array<number>(chunks).fill(worldSize - 1);
      expect(sums, `${name} of ${worldSize}`).toEqual(expected);
      expect(copies, `${name} of ${worldSize}`).toEqual(expected);
      expect(sumsAfterCopies).toBe(0);
      expect(gaveItsSum.size).toBe(chunks * (worldSize - 1));
    }
  }
});

const anySchedule: fc.Arbitrary<Schedule> = fc
  .record({
    name: fc.constantFrom<AllReduceName>(...ALL_REDUCE_NAMES),
    worldSize: fc.integer({ min: 1, max: MAX_WORLD }),
    layout: fc.nat(),
    slices: fc.integer({ min: 1, max: 16 }),
  })
  .map(({ name, worldSize, layout, slices }) => {
    const divisors = divisorsOf(worldSize);
    const ranksPerNode = divisors[layout % divisors.length];
    return allReduceSchedule(name, worldSize, { ranksPerNode, slices });
  });

/** Repeatable integers in -1000 ... 1000: sums of 33 are exact in fp32. */
function integers(worldSize: number, length: number, start: number): Float32Array[] {
  let state = start | 0;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return ((state >>> 8) % 2001) - 1000;
  };
  return Array.from({ length: worldSize }, () => Float32Array.from({ length }, next));
}

const sameBits = (a: Float32Array, b: Float32Array): boolean =>
  Buffer.compare(Buffer.from(a.buffer), Buffer.from(b.buffer)) === 0;

test('CL-20 for integers every rank ends with the exact sum, N = 1 ... 33, lengths 0 ... 10,000', () => {
  fc.assert(
    fc.property(anySchedule, fc.nat(10_000), fc.integer(), (schedule, length, start) => {
      const vectors = integers(schedule.worldSize, length, start);
      const sum = Float32Array.from({ length }, (_, i) => vectors.reduce((a, v) => a + v[i], 0));
      for (const result of simulate(schedule, vectors)) expect(sameBits(result, sum)).toBe(true);
    }),
    { numRuns: 120 },
  );
});

test('CL-20 for any floats all ranks end equal to the bit', () => {
  fc.assert(
    fc.property(anySchedule, fc.nat(2_000), fc.integer(), (schedule, length, start) => {
      const vectors = integers(schedule.worldSize, length, start).map((v) => v.map((x) => x / 7));
      const [first, ...others] = simulate(schedule, vectors);
      for (const other of others) expect(sameBits(other, first)).toBe(true);
    }),
    { numRuns: 120 },
  );
});

test('CL-20 a world of one has no steps', () => {
  for (const { name, steps } of schedulesFor(1)) expect(steps, name).toEqual([]);
});

test('CL-20 x_r = 10^r [1,2,3,4] gives 1111, 2222, 3333, 4444 by every schedule', () => {
  const vectors = [1, 10, 100, 1000].map((k) => Float32Array.of(k, 2 * k, 3 * k, 4 * k));
  for (const schedule of schedulesFor(4)) {
    for (const result of simulate(schedule, vectors)) {
      expect([...result], schedule.name).toEqual([1111, 2222, 3333, 4444]);
    }
  }
});

test('CL-20 a world size that is no positive integer is refused by every schedule', () => {
  for (const name of ALL_REDUCE_NAMES) {
    for (const worldSize of [0, -1, 1.5, Number.NaN]) {
      expect(() => allReduceSchedule(name, worldSize, { ranksPerNode: 1 })).toThrow(
        `world size ${worldSize}; a positive integer is allowed`,
      );
    }
  }
});

/** The ring of Baidu's collectives.cu: rank r sends chunk r - i in step i, NCCL's r - 1 - i. */
function baiduRing(worldSize: number): Schedule {
  const nccl = ringAllReduce(worldSize);
  const ranks = Array.from({ length: worldSize }, (_, rank) => rank);
  return { ...nccl, steps: placed(nccl.steps, ranks, (chunk) => [(chunk + 1) % worldSize]) };
}

test("CL-20 Baidu's indexing is NCCL's with chunks renumbered: rank 0 holds 1, 2222, 3303, 4004", () => {
  const vectors = [1, 10, 100, 1000].map((k) => Float32Array.of(k, 2 * k, 3 * k, 4 * k));
  const baidu = baiduRing(4);
  const [rank0] = simulate({ ...baidu, steps: baidu.steps.slice(0, 3) }, vectors);
  expect([...rank0]).toEqual([1, 2222, 3303, 4004]);
});

test('CL-20 fp32 values 1e8, 1, -1e8, 1: NCCL 0 1 0 1, Baidu 1 0 1 0, pairwise tree 0, exact 2', () => {
  const vectors = [1e8, 1, -1e8, 1].map((value) => new Float32Array(4).fill(value));
  const results = [
    ringAllReduce(4),
    baiduRing(4),
    allReduceSchedule('binary-tree', 4),
    allReduceSchedule('halving-doubling', 4),
  ].map((schedule) => [...simulate(schedule, vectors)[0]]);
  expect(results).toEqual([
    [0, 1, 0, 1],
    [1, 0, 1, 0],
    [0, 0, 0, 0],
    [0, 0, 0, 0],
  ]);
});
