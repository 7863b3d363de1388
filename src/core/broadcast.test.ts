import { expect, test } from 'vitest';
import { ringBroadcast } from './broadcast.ts';
import { scheduleFaults, simulate } from './schedule-check.ts';

test("CL-6 every rank ends with rank 0's vector", () => {
  for (const worldSize of [1, 2, 3, 5, 8, 16]) {
    const schedule = ringBroadcast(worldSize);
    expect(scheduleFaults(schedule)).toEqual([]);
    const vectors = Array.from({ length: worldSize }, (_, rank) => Float32Array.of(rank, -rank, 7));
    for (const result of simulate(schedule, vectors)) expect([...result]).toEqual([0, -0, 7]);
  }
});

test('CL-6 any rank can be the root; the chain goes on from it', () => {
  const schedule = ringBroadcast(5, 3, 3);
  expect(scheduleFaults(schedule)).toEqual([]);
  expect(schedule.steps[0]).toEqual([{ from: 3, to: 4, chunk: 0, op: 'copy' }]);
  const vectors = Array.from({ length: 5 }, (_, rank) => Float32Array.of(rank, -rank, 7));
  for (const result of simulate(schedule, vectors)) expect([...result]).toEqual([3, -3, 7]);
  expect(() => ringBroadcast(5, 3, 5)).toThrow('root 5; 0 ... 4 is allowed');
});

test('CL-6 rank r sends chunk c in step r + c, so K chunks take K + N - 2 steps', () => {
  const schedule = ringBroadcast(3, 2);
  expect(schedule.steps).toEqual([
    [{ from: 0, to: 1, chunk: 0, op: 'copy' }],
    [
      { from: 0, to: 1, chunk: 1, op: 'copy' },
      { from: 1, to: 2, chunk: 0, op: 'copy' },
    ],
    [{ from: 1, to: 2, chunk: 1, op: 'copy' }],
  ]);
});

test('a world size or chunk count below one is refused', () => {
  expect(() => ringBroadcast(0)).toThrow('world size 0');
  expect(() => ringBroadcast(2, 0)).toThrow('0 chunks');
});
