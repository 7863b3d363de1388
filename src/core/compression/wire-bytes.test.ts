import { expect, test } from 'vitest';
import {
  breakEvenRatio,
  denseRingBytes,
  gatherRingBytes,
  payloadBytes,
  unionDensity,
} from './wire-bytes.ts';

const TOP_K = { kind: 'topK', ratio: 0.01, errorFeedback: true, scope: 'bucket' } as const;

test('CP-18 T: d = 1e6, N = 8, rho = 1 %: 7.0 MB dense against 0.56 MB sparse', () => {
  expect(denseRingBytes(8, 1e6)).toBe(7.0e6);
  expect(gatherRingBytes(8, payloadBytes(TOP_K, 1e6))).toBe(0.56e6);
});

test('CP-18 T: sparse wins below 1/N for fp32 values and int32 indices', () => {
  expect(breakEvenRatio(8)).toBe(1 / 8);
  const ratio = breakEvenRatio(4);
  const sparse = gatherRingBytes(4, payloadBytes({ ...TOP_K, ratio }, 1e6));
  expect(sparse).toBe(denseRingBytes(4, 1e6));
});

test('CP-18 T: .001 of 64 ranks fills 6.2 % of the union', () => {
  expect(unionDensity(0.001, 64)).toBeCloseTo(0.062, 3);
});

test('CP-18 T: 75 % sparsity on 32 ranks costs 8 times the dense ring', () => {
  const sparse = gatherRingBytes(32, payloadBytes({ ...TOP_K, ratio: 0.25 }, 1e6));
  expect(sparse / denseRingBytes(32, 1e6)).toBe(8);
});
