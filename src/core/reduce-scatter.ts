/** @file Reduce-scatter on a ring, as a schedule. */
import type { Schedule } from './collective.ts';
import { ringAllReduce } from './ring.ts';

/**
 * The first half of NCCL's ring all-reduce: after N - 1 steps rank r holds the sum of chunk r,
 * added up in the order r+1, r+2, ..., r; its other chunks hold partial sums. Throws RangeError
 * unless `worldSize` is a positive integer.
 */
export function ringReduceScatter(worldSize: number): Schedule {
  const ring = ringAllReduce(worldSize);
  return { ...ring, name: 'ring reduce-scatter', steps: ring.steps.slice(0, worldSize - 1) };
}
