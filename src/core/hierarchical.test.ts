import { expect, test } from 'vitest';
import { hierarchicalAllReduce } from './hierarchical.ts';
import { ringAllReduce } from './ring.ts';
import { contributions } from './schedule-check.ts';
import { bytesSent, criticalPath } from './schedule-cost.ts';
import { allReduceSchedule } from './schedules.ts';

test('CL-27 two nodes of two ranks: within, between, within', () => {
  const history = contributions(hierarchicalAllReduce(4, 2));
  // Local index 0 owns chunks 0 and 1 of its node's sum, local index 1 chunks 2 and 3.
  expect(history[1].map((chunks) => chunks.map((ranks) => ranks.length))).toEqual([
    [2, 2, 1, 1],
    [1, 1, 2, 2],
    [2, 2, 1, 1],
    [1, 1, 2, 2],
  ]);
  expect(history[3][0].slice(0, 2)).toEqual([
    [0, 1, 2, 3],
    [0, 1, 2, 3],
  ]);
  expect(history).toHaveLength(5);
});

test('CL-27 between nodes only ranks of equal local index talk, each 2(M-1)/M of S/G', () => {
  const [ranksPerNode, nodes, length] = [4, 3, 120];
  const { steps } = hierarchicalAllReduce(ranksPerNode * nodes, ranksPerNode);
  const nodeOf = (rank: number) => Math.floor(rank / ranksPerNode);
  const outer = steps.flat().filter(({ from, to }) => nodeOf(from) !== nodeOf(to));
  for (const { from, to } of outer) expect(from % ranksPerNode).toBe(to % ranksPerNode);
  const elements = outer.filter(({ from }) => from === 0).length * (length / 12);
  expect(elements).toBe(((2 * (nodes - 1)) / nodes) * (length / ranksPerNode));
});

test('CL-27 2(G-1) + 2(M-1) steps, and as many bytes as a flat ring', () => {
  const hierarchical = hierarchicalAllReduce(12, 4);
  expect(hierarchical.steps.length).toBe(2 * 3 + 2 * 2);
  expect(criticalPath(hierarchical, 120)).toBe(2 * 3 + 2 * 2);
  expect(bytesSent(hierarchical, 120)).toEqual(bytesSent(ringAllReduce(12), 120));
});

test('CL-27 one rank a node, or one node, is the flat ring', () => {
  expect(hierarchicalAllReduce(6, 1).steps).toEqual(ringAllReduce(6).steps);
  expect(hierarchicalAllReduce(6, 6).steps).toEqual(ringAllReduce(6).steps);
});

test('CL-27 layouts that cannot be are refused with those that can', () => {
  expect(() => hierarchicalAllReduce(12, 5)).toThrow('1, 2, 3, 4, 6, 12 a node is allowed');
  expect(() => hierarchicalAllReduce(4, 0)).toThrow('1, 2, 4 a node is allowed');
  expect(() => hierarchicalAllReduce(4, 1.5)).toThrow(RangeError);
  expect(() => allReduceSchedule('hierarchical', 4)).toThrow('hierarchical needs ranksPerNode');
});
