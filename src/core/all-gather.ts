/** @file All-gather on a ring, as a schedule. */
import type { Schedule } from './collective.ts';
import { ringAllReduce } from './ring.ts';

/**
 * The second half of NCCL's ring all-reduce: rank r begins with chunk r (what it has elsewhere is
 * overwritten) and after N - 1 steps every rank has all chunks. Throws RangeError unless
 * `worldSize` is a positive integer.
 */
export function ringAllGather(worldSize: number): Schedule {
  const ring = ringAllReduce(worldSize);
  return { ...ring, name: 'ring all-gather', steps: ring.steps.slice(worldSize - 1) };
}
