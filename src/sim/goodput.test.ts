import { expect, test } from 'vitest';
import { checkpointBytes, goodput } from './goodput.ts';

const LLAMA3 = { mtbfHoursPerGpu: 3.093 * 16_384, gpus: 16_384 };

test('CC-16 T: C = 60 s, M = 3.093 h: Young 1156 s, waste 10.4 %; R = 600 s leaves 84.2 %', () => {
  const kept = goodput({ ...LLAMA3, checkpointSeconds: 60, restartSeconds: 600 });
  expect(kept.intervalSeconds).toBeCloseTo(1156, 0);
  expect(kept.dalySeconds).toBeCloseTo(1096, 0);
  expect(100 * kept.waste).toBeCloseTo(10.4, 1);
  expect(100 * kept.goodput).toBeCloseTo(84.2, 1);
});

test('CC-16 Young is the best interval', () => {
  const wasteAt = (interval?: number) =>
    goodput({ ...LLAMA3, checkpointSeconds: 60, restartSeconds: 0 }, interval).waste;
  for (const interval of [600, 1100, 1200, 2400])
    expect(wasteAt(interval)).toBeGreaterThan(wasteAt());
});

test('CC-16 a checkpoint in mixed precision has 14 bytes a parameter', () => {
  expect(checkpointBytes(176e9)).toBe(2.464e12);
});

test('CC-16 impossible machines are refused', () => {
  const bad = { mtbfHoursPerGpu: 0, gpus: 8, checkpointSeconds: 60, restartSeconds: 0 };
  expect(() => goodput(bad)).toThrow(RangeError);
});
