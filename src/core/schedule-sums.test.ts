/**
 * @file Every schedule, executed on numbers: for each N of 1 ... 33 a seeded subset of the lengths
 * 0 ... 10,000, and with RINGSIDE_FULL set many of them. Integers keep the sums exact.
 */
import { expect, test } from 'vitest';
import { ringAllGather } from './all-gather.ts';
import { ringBroadcast } from './broadcast.ts';
import { chunkRanges } from './chunks.ts';
import type { Schedule } from './collective.ts';
import { PURPOSE, randomStream } from './random.ts';
import { ringReduceScatter } from './reduce-scatter.ts';
import { simulate } from './schedule-check.ts';
import { ALL_REDUCE_NAMES, allReduceSchedule } from './schedules.ts';

const LONGEST = 10_000;
const MOST_RANKS = 33;
const isFull = process.env.RINGSIDE_FULL !== undefined;
const worlds = Array.from({ length: MOST_RANKS }, (_, i) => i + 1);

/** Lengths worth trying: around the number of chunks, the longest, and some at random. */
function lengthsFor(worldSize: number): number[] {
  const stream = randomStream(2, PURPOSE.generation, worldSize);
  const drawn = Array.from({ length: isFull ? 20 : 1 }, () => stream.below(LONGEST + 1));
  const edges = [0, 1, worldSize - 1, worldSize, worldSize + 1, 2 * worldSize + 1];
  const always = isFull ? [...edges, LONGEST - 1, LONGEST] : [edges[stream.below(edges.length)]];
  return [...always, ...drawn];
}

/** Whole numbers in -1000 ... 1000: sums of 33 are exact in fp32, whatever their order. */
function integers(worldSize: number, length: number): Float32Array[] {
  const stream = randomStream(3, PURPOSE.generation, worldSize, length);
  return Array.from({ length: worldSize }, () =>
    Float32Array.from({ length }, () => stream.below(2001) - 1000),
  );
}

/** Several vectors of one length, added in float64. */
function exactSum(vectors: readonly Float32Array[]): Float32Array {
  const sum = new Float64Array(vectors[0].length);
  for (const vector of vectors) {
    for (let i = 0; i < sum.length; i++) sum[i] += vector[i];
  }
  return Float32Array.from(sum);
}

/** The first element at which two vectors differ, or -1; -0 and 0 are equal sums. */
const firstDifference = (a: Float32Array, b: Float32Array): number =>
  a.findIndex((value, i) => value !== b[i]);

const divisorsOf = (n: number): number[] => worlds.filter((each) => n % each === 0);

function allReduces(worldSize: number): Schedule[] {
  return ALL_REDUCE_NAMES.flatMap((name) => {
    if (name !== 'hierarchical') return [allReduceSchedule(name, worldSize)];
    return divisorsOf(worldSize).map((ranksPerNode) =>
      allReduceSchedule(name, worldSize, { ranksPerNode }),
    );
  });
}

test.each(worlds)('CL-20 N = %i: every all-reduce leaves the exact sum on every rank', (n) => {
  for (const length of lengthsFor(n)) {
    const vectors = integers(n, length);
    const sum = exactSum(vectors);
    for (const schedule of allReduces(n)) {
      simulate(schedule, vectors).forEach((result, rank) => {
        const label = `${schedule.name}, length ${length}, rank ${rank}`;
        expect(firstDifference(result, sum), label).toBe(-1);
      });
    }
  }
});

test.each(worlds)('CL-26 N = %i: after a reduce-scatter rank r holds the sum of chunk r', (n) => {
  for (const length of lengthsFor(n)) {
    const vectors = integers(n, length);
    const sum = exactSum(vectors);
    const chunks = chunkRanges({ start: 0, end: length }, n);
    simulate(ringReduceScatter(n), vectors).forEach((result, rank) => {
      const { start, end } = chunks[rank];
      const difference = firstDifference(result.subarray(start, end), sum.subarray(start, end));
      expect(difference, `length ${length}, rank ${rank}`).toBe(-1);
    });
  }
});

test.each(worlds)('CL-26 N = %i: after an all-gather every rank has chunk r of rank r', (n) => {
  for (const length of lengthsFor(n)) {
    const vectors = integers(n, length);
    const whole = new Float32Array(length);
    chunkRanges({ start: 0, end: length }, n).forEach(({ start, end }, rank) => {
      whole.set(vectors[rank].subarray(start, end), start);
    });
    for (const result of simulate(ringAllGather(n), vectors)) {
      expect(firstDifference(result, whole), `length ${length}`).toBe(-1);
    }
  }
});

test.each(worlds)('CL-6 N = %i: after a broadcast every rank has the vector of rank 0', (n) => {
  for (const length of lengthsFor(n)) {
    const vectors = integers(n, length);
    for (const chunks of [1, 4, 16]) {
      for (const result of simulate(ringBroadcast(n, chunks), vectors)) {
        expect(firstDifference(result, vectors[0]), `length ${length}`).toBe(-1);
      }
    }
  }
});
