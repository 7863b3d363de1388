import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Schedule } from './collective.ts';
import { ringAllReduce } from './ring.ts';
import {
  contributions,
  elementsSent,
  isAllReduce,
  scheduleFaults,
  simulate,
} from './schedule-check.ts';

/** The first half of a ring all-reduce. */
function reduceScatter(worldSize: number): Schedule {
  const ring = ringAllReduce(worldSize);
  return { ...ring, steps: ring.steps.slice(0, worldSize - 1) };
}

const powersOfTen = [1, 10, 100, 1000].map((k) => Float32Array.of(k, 2 * k, 3 * k, 4 * k));

test('CL-2 x_r = 10^r [1,2,3,4] gives 1111, 2222, 3333, 4444 on all ranks', () => {
  for (const result of simulate(ringAllReduce(4), powersOfTen)) {
    expect([...result]).toEqual([1111, 2222, 3333, 4444]);
  }
});

test('CL-3 after reduce-scatter rank r owns chunk r (rank 0 holds 1111)', () => {
  const results = simulate(reduceScatter(4), powersOfTen);
  expect(results.map((result, rank) => result[rank])).toEqual([1111, 2222, 3333, 4444]);
});

test('CL-3 chunk c is summed in rank order c+1, c+2, ..., c: fp32 gives 0, 1, 0, 1', () => {
  const vectors = [1e8, 1, -1e8, 1].map((value) => new Float32Array(4).fill(value));
  for (const result of simulate(ringAllReduce(4), vectors)) {
    expect([...result]).toEqual([0, 1, 0, 1]);
  }
});

test('CL-3 step 0 of N = 4 sends chunk r-1 from rank r to r+1', () => {
  expect(ringAllReduce(4).steps[0]).toEqual([
    { from: 0, to: 1, chunk: 3, op: 'sum' },
    { from: 1, to: 2, chunk: 0, op: 'sum' },
    { from: 2, to: 3, chunk: 1, op: 'sum' },
    { from: 3, to: 0, chunk: 2, op: 'sum' },
  ]);
});

test('CL-4 a world of one has no steps', () => {
  expect(ringAllReduce(1).steps).toEqual([]);
  expect([...simulate(ringAllReduce(1), [Float32Array.of(1, 2)])[0]]).toEqual([1, 2]);
});

test('CL-2 every chunk is reduced once, on the way to its owner, and then copied', () => {
  for (let worldSize = 1; worldSize <= 33; worldSize++) {
    const ring = ringAllReduce(worldSize);
    expect(scheduleFaults(ring)).toEqual([]);
    expect(isAllReduce(ring)).toBe(true);
    const reductions = new Array<number>(worldSize).fill(0);
    for (const { op, chunk } of ring.steps.flat()) if (op === 'sum') reductions[chunk]++;
    expect(reductions).toEqual(new Array<number>(worldSize).fill(worldSize - 1));
  }
});

test('CL-3 what a chunk contains grows by one rank a step', () => {
  const history = contributions(ringAllReduce(4));
  expect([history[0][1][0], history[1][2][0], history[2][3][0], history[3][0][0]]).toEqual([
    [1],
    [1, 2],
    [1, 2, 3],
    [0, 1, 2, 3],
  ]);
});

const world = fc.integer({ min: 1, max: 33 });
const seed = fc.integer();

/** Repeatable integers in -1000 ... 1000: sums of 33 are exact in fp32. */
function integers(worldSize: number, length: number, start: number): Float32Array[] {
  let state = start | 0;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return ((state >>> 8) % 2001) - 1000;
  };
  return Array.from({ length: worldSize }, () => Float32Array.from({ length }, next));
}

test('CL-2 for integers every rank ends with the exact sum', () => {
  fc.assert(
    fc.property(world, fc.nat(10_000), seed, (worldSize, length, start) => {
      const vectors = integers(worldSize, length, start);
      const sum = Float32Array.from({ length }, (_, i) => vectors.reduce((a, v) => a + v[i], 0));
      for (const result of simulate(ringAllReduce(worldSize), vectors)) {
        expect(Buffer.compare(Buffer.from(result.buffer), Buffer.from(sum.buffer))).toBe(0);
      }
    }),
    { numRuns: 30 },
  );
});

test('CL-2 for any floats all ranks end equal to the bit', () => {
  fc.assert(
    fc.property(world, fc.nat(2_000), seed, (worldSize, length, start) => {
      const vectors = integers(worldSize, length, start).map((v) => v.map((x) => x / 7));
      const [first, ...others] = simulate(ringAllReduce(worldSize), vectors);
      for (const other of others) {
        expect(Buffer.compare(Buffer.from(other.buffer), Buffer.from(first.buffer))).toBe(0);
      }
    }),
    { numRuns: 30 },
  );
});

test('CL-5 each rank sends 2(N-1)/N of the vector where N divides its length', () => {
  fc.assert(
    fc.property(world, fc.nat(300), (worldSize, perChunk) => {
      const sent = elementsSent(ringAllReduce(worldSize), perChunk * worldSize);
      expect(sent).toEqual(new Array(worldSize).fill(2 * (worldSize - 1) * perChunk));
    }),
  );
});

test('a world size that is no positive integer is refused', () => {
  expect(() => ringAllReduce(0)).toThrow('world size 0');
  expect(() => ringAllReduce(1.5)).toThrow(RangeError);
});
