/** @file All-reduce along a binomial tree, unpipelined, as a schedule. */
import type { Message, Schedule } from './collective.ts';
import { mirrored, requireWorldSize } from './schedule-build.ts';

/**
 * Reduce to rank 0, then broadcast from it, the whole vector at a time (MPICH's binomial trees;
 * Thakur et al., IJHPCA 2005): at distance d = 1, 2, 4, ... each rank that is an odd multiple of d
 * sends its sum to the rank d below. 2 ceil(log2 N) steps. Throws RangeError unless `worldSize` is
 * a positive integer.
 */
export function binaryTreeAllReduce(worldSize: number): Schedule {
  requireWorldSize('binaryTreeAllReduce', worldSize);
  const reduce: Message[][] = [];
  for (let distance = 1; distance < worldSize; distance *= 2) {
    const step: Message[] = [];
    for (let from = distance; from < worldSize; from += 2 * distance) {
      step.push({ from, to: from - distance, chunk: 0, op: 'sum' });
    }
    reduce.push(step);
  }
  return {
    name: 'binary tree all-reduce',
    worldSize,
    chunks: 1,
    steps: [...reduce, ...mirrored(reduce)],
  };
}
