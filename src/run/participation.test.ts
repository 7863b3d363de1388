import { expect, test } from 'vitest';
import type { StepPart, StepReport } from '#protocol/replica';
import { lossOf, participationOf, partsOf } from './participation.ts';

const report = (loss: number | null, part?: StepPart): StepReport => ({
  step: 0,
  loss,
  ...(part !== undefined && { part }),
  weightsHash: '',
  hashChain: '',
  synchronised: true,
  bytesSent: 0,
  precision: null,
  heldBytes: null,
  gatheredBytes: 0,
  residualNorm: null,
  gradientNorm: null,
  noise: null,
  augmentation: null,
  computeMs: 0,
  communicateMs: 0,
  updateMs: 0,
});
const part = (share: number): StepPart => ({ share, samples: 0, pushes: [] });

test('LG-4 the loss weighs ranks by their share and leaves out who took no part', () => {
  expect(lossOf([report(1), report(2)])).toBe(1.5);
  expect(lossOf([report(1, part(0.75)), report(3, part(0.25))])).toBe(1.5);
  expect(lossOf([report(null, part(0)), report(3, part(0.5)), report(5, part(0.5))])).toBe(4);
  expect(lossOf([report(null, part(0))])).toBeNaN();
  expect(lossOf([report(Number.NaN, part(0.5)), report(1, part(0.5))])).toBeNaN();
});

test('LG-3 either all ranks report a part of a step, or none does', () => {
  expect(partsOf([report(1), report(2)])).toBeNull();
  expect(partsOf([report(1, part(1))])).toEqual([part(1)]);
  expect(() => partsOf([report(1, part(1)), report(2)])).toThrow('1 of 2 ranks');
});

test('SY-20 SY-21 the record names who was kept and dropped, or the shares', () => {
  const backup = { kind: 'backup', backups: 1, slowdowns: [], jitter: 0 } as const;
  expect(participationOf(backup, [part(0.5), part(0), part(0.5)])).toEqual({
    kept: [0, 2],
    dropped: [1],
  });
  const balanced = { kind: 'allReduce', balance: 'speeds', slowdowns: [] } as const;
  expect(participationOf(balanced, [part(0.75), part(0.25)])).toEqual({
    sharePerRank: [0.75, 0.25],
  });
});
