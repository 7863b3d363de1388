/** @file All-reduce through rank 0 as a parameter server, as a schedule. */
import type { Message, Schedule } from './collective.ts';
import { mirrored, requireWorldSize } from './schedule-build.ts';

/**
 * Everybody sends the whole vector to rank 0, which adds it up in rank order 0, 1, ..., N-1 and
 * sends the sum to everybody. All messages of a step go through rank 0's link. Throws RangeError
 * unless `worldSize` is a positive integer.
 */
export function starAllReduce(worldSize: number): Schedule {
  requireWorldSize('starAllReduce', worldSize);
  const gather = Array.from(
    { length: worldSize - 1 },
    (_, i): Message => ({ from: i + 1, to: 0, chunk: 0, op: 'sum' }),
  );
  const reduce = worldSize > 1 ? [gather] : [];
  return {
    name: 'star all-reduce',
    worldSize,
    chunks: 1,
    steps: [...reduce, ...mirrored(reduce)],
  };
}
