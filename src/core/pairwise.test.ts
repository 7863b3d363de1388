import { expect, test } from 'vitest';
import { pairwiseExchange } from './pairwise.ts';
import { scheduleFaults, simulate } from './schedule-check.ts';

test('CL-31 ranks 2^i apart swap their vectors', () => {
  const schedule = pairwiseExchange(4, 2);
  expect(scheduleFaults(schedule)).toEqual([]);
  const inputs = [0, 1, 2, 3].map((rank) => Float32Array.of(rank, 10 * rank));
  const outputs = simulate(schedule, inputs, { start: 0, end: 2 });
  expect(outputs.map((output) => [...output])).toEqual([
    [2, 20],
    [3, 30],
    [0, 0],
    [1, 10],
  ]);
});

test('CL-31 a distance that leaves a rank without a partner is refused', () => {
  expect(() => pairwiseExchange(6, 2)).toThrow('6 ranks over a distance of 2');
  expect(() => pairwiseExchange(6, 3)).toThrow(RangeError);
  expect(pairwiseExchange(6, 1).steps).toHaveLength(1);
});
