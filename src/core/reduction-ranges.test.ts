import { expect, test } from 'vitest';
import type { Parameter } from './model.ts';
import { reductionRanges } from './reduction-ranges.ts';

/** Lengths 4, 2, 4, 2: 16, 8, 16 and 8 bytes at 0, 4, 6, 10. */
const PARAMETERS: readonly Parameter[] = [4, 2, 4, 2].map((length, i) => ({
  name: `p${i}`,
  shape: [length],
  offset: [0, 4, 6, 10][i] ?? 0,
  length,
  init: { kind: 'constant', value: 0 },
}));

test('DP-3 DP-4 DDP: one bucket in iteration 0, then buckets by size', () => {
  const rule = { rule: 'ddp', firstBytes: 8, capBytes: 20 } as const;
  expect(reductionRanges(PARAMETERS, rule)).toEqual({
    first: [{ start: 0, end: 12 }],
    later: [
      { start: 10, end: 12 },
      { start: 4, end: 10 },
      { start: 0, end: 4 },
    ],
  });
});

test('DP-20 DP-28 Horovod: fused up to the threshold in every iteration; 0 is one a tensor', () => {
  const fused = [
    { start: 6, end: 12 },
    { start: 0, end: 6 },
  ];
  expect(reductionRanges(PARAMETERS, { rule: 'horovod', thresholdBytes: 24 })).toEqual({
    first: fused,
    later: fused,
  });
  const alone = reductionRanges(PARAMETERS, { rule: 'horovod', thresholdBytes: 0 }).later;
  expect(alone.map(({ start }) => start)).toEqual([10, 6, 4, 0]);
});
