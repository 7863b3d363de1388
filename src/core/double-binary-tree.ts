/** @file All-reduce along NCCL's double binary tree (nccl src/graph/trees.cc), as a schedule. */
import type { Message, Schedule } from './collective.ts';
import { requireWorldSize, together } from './schedule-build.ts';

/** Parent of each rank; the root has none. */
type Parents = readonly (number | null)[];

/** Enough for links to be busy most of the time at 16 ranks, few enough for latency not to count. */
const DEFAULT_SLICES = 8;

/**
 * Two trees carry half of the vector each, even chunks the first and odd ones the second; a rank
 * within one tree is a leaf of the other. Each half goes in `slices` pieces that follow each other
 * up to the root and down again: rank r at depth d of a tree of depth D sends piece k up in step
 * D - d + k and gets its total in step D + d - 1 + k, so there are 2 D + slices - 1 steps. Children
 * are added to their parent's own value in rank order. NCCL builds these trees over nodes; here
 * over ranks. Throws RangeError unless both are positive integers.
 */
export function doubleBinaryTreeAllReduce(
  worldSize: number,
  slices: number = DEFAULT_SLICES,
): Schedule {
  requireWorldSize('doubleBinaryTreeAllReduce', worldSize);
  if (!(Number.isInteger(slices) && slices >= 1)) {
    throw new RangeError(
      `doubleBinaryTreeAllReduce: ${slices} slices; a positive integer is allowed`,
    );
  }
  const trees = doubleTreeParents(worldSize).map((parents, tree) =>
    pipelined(parents, slices, (slice) => 2 * slice + tree),
  );
  return {
    name: 'double binary tree all-reduce',
    worldSize,
    chunks: 2 * slices,
    steps: together(...trees),
  };
}

/**
 * The parents in both trees. The first is rooted at rank 0; the second is its mirror image
 * (r -> N-1-r) for even N, and shifted by one rank for odd N.
 */
export function doubleTreeParents(worldSize: number): [Parents, Parents] {
  const first = Array.from({ length: worldSize }, (_, rank) => parentOf(rank, worldSize));
  const mirror = (rank: number) => worldSize - 1 - rank;
  const shift = (rank: number) => (rank + 1) % worldSize;
  const moved = worldSize % 2 === 0 ? mirror : shift;
  const second: (number | null)[] = new Array(worldSize).fill(null);
  first.forEach((parent, rank) => {
    if (parent !== null) second[moved(rank)] = moved(parent);
  });
  return [first, second];
}

/** Leaves are odd; a rank's lowest set bit is its height, its parent has the next higher one. */
function parentOf(rank: number, worldSize: number): number | null {
  if (rank === 0) return null;
  const bit = rank & -rank;
  const parent = (rank ^ bit) | (2 * bit);
  return parent < worldSize ? parent : rank ^ bit;
}

function pipelined(
  parents: Parents,
  slices: number,
  chunkOf: (slice: number) => number,
): Message[][] {
  const depths = parents.map((_, rank) => depthOf(rank, parents));
  const treeDepth = Math.max(...depths);
  if (treeDepth === 0) return [];
  const steps: Message[][] = Array.from({ length: 2 * treeDepth + slices - 1 }, () => []);
  parents.forEach((parent, rank) => {
    if (parent === null) return;
    for (let slice = 0; slice < slices; slice++) {
      const chunk = chunkOf(slice);
      const up = treeDepth - depths[rank] + slice;
      const down = treeDepth + depths[rank] - 1 + slice;
      steps[up].push({ from: rank, to: parent, chunk, op: 'sum' });
      steps[down].push({ from: parent, to: rank, chunk, op: 'copy' });
    }
  });
  return steps;
}

function depthOf(rank: number, parents: Parents): number {
  const parent = parents[rank];
  return parent === null ? 0 : 1 + depthOf(parent, parents);
}
