import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ReplicaReport, StepReport } from '#protocol/replica';
import { createMerger, type Merged } from './merge.ts';

const stepReport = (step: number, loss = 1): StepReport => ({
  step,
  loss,
  weightsHash: 'h',
  hashChain: 'c',
  synchronised: true,
  bytesSent: 8,
  gatheredBytes: 0,
  residualNorm: null,
  noise: null,
  augmentation: null,
  gradientNorm: null,
  precision: null,
  heldBytes: null,
  computeMs: 1,
  communicateMs: 1,
  updateMs: 1,
});
const step = (n: number): ReplicaReport => ({ type: 'step', report: stepReport(n) });
const share = { lossSum: 1, correct: 1, count: 2 };
const evaluation = (n: number): ReplicaReport => ({
  type: 'eval',
  report: { step: n, test: share, train: share },
});
const fallback = (n: number): ReplicaReport => ({
  type: 'fallback',
  step: n,
  from: 'webgpu',
  to: 'wasm',
  reason: 'lost',
});

test('LG-3 a step is complete only when every rank has reported it', () => {
  const merger = createMerger(2);
  expect(merger.add(0, [step(0), step(1)])).toEqual([]);
  expect(merger.add(1, [step(0)]).map((entry) => entry.type)).toEqual(['step']);
});

test('LG-3 the merged order does not depend on how messages interleave', () => {
  const perRank: ReplicaReport[][] = [
    [step(0), step(1), evaluation(2), step(2)],
    [step(0), fallback(1), step(1), evaluation(2), step(2)],
    [step(0), step(1), evaluation(2), fallback(2), step(2)],
  ];
  const reference = mergeAll(perRank, [0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2]);
  expect(reference.map((entry) => entry.type)).toEqual([
    'step',
    'fallback',
    'step',
    'eval',
    'fallback',
    'step',
  ]);
  fc.assert(
    fc.property(
      fc.shuffledSubarray([0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2], { minLength: 14 }),
      (order) => {
        expect(mergeAll(perRank, order)).toEqual(reference);
      },
    ),
  );
});

test('LG-7 a loss that is not finite names the ranks where it began', () => {
  const merger = createMerger(3);
  merger.add(0, [{ type: 'nonFinite', step: 4, own: null }]);
  merger.add(1, [{ type: 'nonFinite', step: 4, own: 'loss' }]);
  expect(merger.add(2, [{ type: 'nonFinite', step: 4, own: null }])).toEqual([
    { type: 'nonFinite', step: 4, ranks: [1] },
  ]);
});

test('LG-3 ranks that are out of step are an error, not a wrong record', () => {
  const merger = createMerger(2);
  merger.add(0, [step(3)]);
  expect(() => merger.add(1, [step(4)])).toThrow('steps 3, 4');
});

function mergeAll(perRank: readonly ReplicaReport[][], order: readonly number[]): Merged[] {
  const merger = createMerger(perRank.length);
  const next = perRank.map(() => 0);
  return order.flatMap((rank) => {
    const index = next[rank] ?? 0;
    next[rank] = index + 1;
    const report = perRank[rank]?.[index];
    return report === undefined ? [] : merger.add(rank, [report]);
  });
}
