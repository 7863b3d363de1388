import { expect, test } from 'vitest';
import { ncclChoice, ncclLatencyMicroseconds, ncclMicroseconds } from './nccl-cost.ts';

const oneNode = { ranks: 8, nodes: 1, gigabytesPerSecond: 360 };
const fourNodes = { ranks: 32, nodes: 4, gigabytesPerSecond: 180 };

test('CL-30 8 GPUs, 1 node: ring Simple 56.0 us, ring LL 15.0, tree Simple 64.4', () => {
  expect(ncclLatencyMicroseconds(oneNode, 'ring', 'Simple')).toBeCloseTo(56, 9);
  expect(ncclLatencyMicroseconds(oneNode, 'ring', 'LL')).toBeCloseTo(15, 9);
  expect(ncclLatencyMicroseconds(oneNode, 'tree', 'Simple')).toBeCloseTo(64.4, 9);
});

test('CL-30 between nodes a ring crosses the network 2(nodes-1) times, a tree 2 log2(nodes) times', () => {
  // 8.4 + (62 - 6) 3.4 + 6 x 14; 8.4 + 2 (7 x 4 + 2 x 14)
  expect(ncclLatencyMicroseconds(fourNodes, 'ring', 'Simple')).toBeCloseTo(282.8, 9);
  expect(ncclLatencyMicroseconds(fourNodes, 'tree', 'Simple')).toBeCloseTo(120.4, 9);
});

test('CL-30 time = latency + bytes / (1000 bw): ring bw = busbw N / (2(N-1)), LL half of it', () => {
  // 350 MB through 360 x 8/14 GB/s = 1701.4 us
  const simple = ncclMicroseconds(oneNode, 350e6, 'ring', 'Simple') - 56;
  expect(simple).toBeCloseTo(350e6 / (1000 * 360 * (8 / 14)), 9);
  expect(ncclMicroseconds(oneNode, 350e6, 'ring', 'LL') - 15).toBeCloseTo(2 * simple, 6);
  const tree = ncclMicroseconds(oneNode, 350e6, 'tree', 'Simple') - 64.4;
  expect(tree).toBeCloseTo(350e6 / (1000 * 360 * 0.92 * 0.5), 6);
});

test('CL-30 the fastest pair is chosen: LL for a few bytes, ring Simple for many', () => {
  expect(ncclChoice(oneNode, 8)).toMatchObject({ algorithm: 'ring', protocol: 'LL' });
  expect(ncclChoice(oneNode, 1e9)).toMatchObject({ algorithm: 'ring', protocol: 'Simple' });
  expect(ncclChoice(fourNodes, 8)).toMatchObject({ algorithm: 'tree', protocol: 'LL' });
});

test('CL-30 one rank takes no time, and nodes of unequal size are refused', () => {
  expect(ncclMicroseconds({ ...oneNode, ranks: 1 }, 1e9, 'ring', 'Simple')).toBe(0);
  expect(() => ncclChoice({ ...oneNode, nodes: 3 }, 1)).toThrow('8 ranks on 3 nodes');
});
