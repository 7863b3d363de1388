import { expect, test } from 'vitest';
import { learningRateAt } from './learning-rate.ts';

test('OP-5 the warm-up is linear and reaches the base at its last step', () => {
  const config = { base: 0.8, warmupSteps: 4, decay: 'none' } as const;
  const rates = [0, 1, 2, 3, 4, 99].map((step) => learningRateAt(config, step, 100));
  expect(rates).toEqual([0.2, 0.4, 0.6000000000000001, 0.8, 0.8, 0.8]);
});

test('OP-6 cosine decay starts at the base, is half way in the middle, and ends at zero', () => {
  const config = { base: 0.1, warmupSteps: 10, decay: 'cosine' } as const;
  expect(learningRateAt(config, 9, 110)).toBe(0.1);
  expect(learningRateAt(config, 10, 110)).toBe(0.1);
  expect(learningRateAt(config, 60, 110)).toBeCloseTo(0.05, 12);
  expect(learningRateAt(config, 110, 110)).toBe(0);
  expect(learningRateAt(config, 500, 110)).toBe(0);
  for (let step = 11; step < 110; step++) {
    expect(learningRateAt(config, step, 110)).toBeLessThan(learningRateAt(config, step - 1, 110));
  }
});

test('OP-6 a run that is all warm-up never divides by zero', () => {
  const config = { base: 1, warmupSteps: 5, decay: 'cosine' } as const;
  expect(learningRateAt(config, 4, 5)).toBe(1);
  expect(learningRateAt(config, 5, 5)).toBe(1);
});
