/** @file All-reduce algorithms by name. */
import { binaryTreeAllReduce } from './binary-tree.ts';
import type { Schedule } from './collective.ts';
import { doubleBinaryTreeAllReduce } from './double-binary-tree.ts';
import { halvingDoublingAllReduce } from './halving-doubling.ts';
import { hierarchicalAllReduce } from './hierarchical.ts';
import { ringAllReduce } from './ring.ts';
import { starAllReduce } from './star.ts';

export const ALL_REDUCE_NAMES = [
  'ring',
  'halving-doubling',
  'binary-tree',
  'double-binary-tree',
  'star',
  'hierarchical',
] as const;

export type AllReduceName = (typeof ALL_REDUCE_NAMES)[number];

export interface AllReduceOptions {
  /** Of 'hierarchical', which needs it: ranks a node. */
  readonly ranksPerNode?: number;
  /** Of 'double-binary-tree': pieces that follow each other through each tree. */
  readonly slices?: number;
}

/** The schedule of an all-reduce. Throws RangeError for a world or options that it cannot have. */
export function allReduceSchedule(
  name: AllReduceName,
  worldSize: number,
  { ranksPerNode, slices }: AllReduceOptions = {},
): Schedule {
  switch (name) {
    case 'ring':
      return ringAllReduce(worldSize);
    case 'halving-doubling':
      return halvingDoublingAllReduce(worldSize);
    case 'binary-tree':
      return binaryTreeAllReduce(worldSize);
    case 'double-binary-tree':
      return doubleBinaryTreeAllReduce(worldSize, slices);
    case 'star':
      return starAllReduce(worldSize);
    case 'hierarchical':
      if (ranksPerNode === undefined) {
        throw new RangeError('allReduceSchedule: hierarchical needs ranksPerNode');
      }
      return hierarchicalAllReduce(worldSize, ranksPerNode);
  }
}
