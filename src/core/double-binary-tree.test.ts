import { expect, test } from 'vitest';
import { doubleBinaryTreeAllReduce, doubleTreeParents } from './double-binary-tree.ts';
import { bytesSent, criticalPath } from './schedule-cost.ts';

test('CL-24 parents of N = 8 are those of NCCL, the second tree the mirror of the first', () => {
  expect(doubleTreeParents(8)).toEqual([
    [null, 2, 4, 2, 0, 6, 4, 6],
    [1, 3, 1, 7, 5, 3, 5, null],
  ]);
});

test('CL-24 parents of N = 5 are those of NCCL, the second tree shifted by one rank', () => {
  expect(doubleTreeParents(5)).toEqual([
    [null, 2, 4, 2, 0],
    [1, null, 3, 0, 3],
  ]);
});

test('CL-24 a parent that is not there is replaced by the next one up: 12 of 14 has 10 and 13', () => {
  const [first] = doubleTreeParents(14);
  expect([first[8], first[12], first[10], first[13]]).toEqual([0, 8, 12, 12]);
});

test('CL-24 trees have one root, at most two children a rank and depth ceil(log2 N)', () => {
  for (let worldSize = 1; worldSize <= 33; worldSize++) {
    for (const parents of doubleTreeParents(worldSize)) {
      expect(parents.filter((parent) => parent === null)).toHaveLength(1);
      const children = new Array<number>(worldSize).fill(0);
      for (const parent of parents) if (parent !== null) children[parent]++;
      expect(Math.max(...children)).toBeLessThanOrEqual(2);
    }
    const { steps } = doubleBinaryTreeAllReduce(worldSize, 1);
    expect(steps.length).toBe(2 * Math.ceil(Math.log2(worldSize)));
    expect(criticalPath(doubleBinaryTreeAllReduce(worldSize, 1), 64)).toBe(steps.length);
  }
});

test('CL-24 for even N a rank has children in one tree only', () => {
  for (let worldSize = 2; worldSize <= 32; worldSize += 2) {
    const [first, second] = doubleTreeParents(worldSize).map((parents) => new Set(parents));
    for (let rank = 0; rank < worldSize; rank++) {
      expect(first.has(rank) && second.has(rank)).toBe(false);
    }
  }
});

test('CL-25 each tree carries half of the data: N = 2 sends S in all from each rank', () => {
  const { steps } = doubleBinaryTreeAllReduce(2, 1);
  expect(steps).toEqual([
    [
      { from: 1, to: 0, chunk: 0, op: 'sum' },
      { from: 0, to: 1, chunk: 1, op: 'sum' },
    ],
    [
      { from: 0, to: 1, chunk: 0, op: 'copy' },
      { from: 1, to: 0, chunk: 1, op: 'copy' },
    ],
  ]);
  expect(bytesSent(doubleBinaryTreeAllReduce(2), 160)).toEqual([640, 640]);
});

test('CL-25 at most 2 S leave a rank, and the 2(N-1) S in all that any tree needs', () => {
  for (let worldSize = 2; worldSize <= 33; worldSize++) {
    const sent = bytesSent(doubleBinaryTreeAllReduce(worldSize), 160);
    expect(sent.reduce((sum, bytes) => sum + bytes, 0)).toBe(2 * (worldSize - 1) * 640);
    expect(Math.max(...sent)).toBeLessThanOrEqual(2 * 640);
  }
});

test('CL-25 slices follow each other: 2 depth + slices - 1 steps', () => {
  expect(doubleBinaryTreeAllReduce(8, 1).steps.length).toBe(6);
  expect(doubleBinaryTreeAllReduce(8, 8).steps.length).toBe(13);
});

test('CL-25 children are added in rank order, whatever their number of descendants', () => {
  const toRank4 = doubleBinaryTreeAllReduce(8, 1)
    .steps.flat()
    .filter(({ to, chunk, op }) => to === 4 && chunk === 0 && op === 'sum');
  expect(toRank4.map(({ from }) => from)).toEqual([2, 6]);
});

test('CL-25 a number of slices below one is refused', () => {
  expect(() => doubleBinaryTreeAllReduce(4, 0)).toThrow('0 slices; a positive integer is allowed');
});
