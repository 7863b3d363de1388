import { expect, test } from 'vitest';
import type { Schedule } from './collective.ts';
import { contributions, isAllReduce, scheduleFaults, simulate } from './schedule-check.ts';

/** Two ranks exchange their only chunk and both add it. */
const exchange: Schedule = {
  name: 'exchange',
  worldSize: 2,
  chunks: 1,
  steps: [
    [
      { from: 0, to: 1, chunk: 0, op: 'sum' },
      { from: 1, to: 0, chunk: 0, op: 'sum' },
    ],
  ],
};

test('CL-7 messages of one step carry the values from before the step', () => {
  const results = simulate(exchange, [Float32Array.of(1), Float32Array.of(10)]);
  expect(results.map((result) => [...result])).toEqual([[11], [11]]);
  expect(isAllReduce(exchange)).toBe(true);
});

test('CL-7 a rank summed in twice is counted twice', () => {
  const twice: Schedule = { ...exchange, steps: [...exchange.steps, ...exchange.steps] };
  expect(contributions(twice)[2][0][0]).toEqual([0, 0, 1, 1]);
  expect(isAllReduce(twice)).toBe(false);
});

test('a range leaves the elements outside it', () => {
  const vectors = [Float32Array.of(1, 2, 3), Float32Array.of(10, 20, 30)];
  const results = simulate(exchange, vectors, { start: 1, end: 2 });
  expect(results.map((result) => [...result])).toEqual([
    [1, 22, 3],
    [10, 22, 30],
  ]);
  expect([...vectors[0]]).toEqual([1, 2, 3]);
});

test('CL-8 impossible messages are named with what is allowed', () => {
  const bad: Schedule = {
    ...exchange,
    steps: [
      [
        { from: 0, to: 2, chunk: 0, op: 'sum' },
        { from: -1, to: 1, chunk: 0, op: 'sum' },
        { from: 1, to: 1, chunk: 0, op: 'copy' },
        { from: 0, to: 1, chunk: 1, op: 'copy' },
      ],
    ],
  };
  expect(scheduleFaults(bad)).toEqual([
    'step 0, message 0: to rank 2; 0 ... 1 is allowed',
    'step 0, message 1: from rank -1; 0 ... 1 is allowed',
    'step 0, message 2: rank 1 sends to itself; ranks must differ',
    'step 0, message 3: chunk 1; 0 ... 0 is allowed',
  ]);
});
