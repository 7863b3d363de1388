import { expect, test } from 'vitest';
import { algorithmBandwidth, busBandwidth, busBandwidthFactor } from './busbw.ts';

test('CL-29 1 GB in 7.5 ms on 8 ranks: algbw 133.3 GB/s, busbw 233.3 GB/s', () => {
  expect(algorithmBandwidth(1e9, 7.5e-3) / 1e9).toBeCloseTo(133.3, 1);
  expect(busBandwidth('all-reduce', 8, 1e9, 7.5e-3) / 1e9).toBeCloseTo(233.3, 1);
});

test('CL-29 factors: 2(n-1)/n, (n-1)/n and 1', () => {
  expect(busBandwidthFactor('all-reduce', 4)).toBe(1.5);
  for (const kind of ['all-gather', 'reduce-scatter', 'all-to-all'] as const) {
    expect(busBandwidthFactor(kind, 4)).toBe(0.75);
  }
  for (const kind of ['broadcast', 'reduce'] as const) expect(busBandwidthFactor(kind, 4)).toBe(1);
});
