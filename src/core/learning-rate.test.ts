import { expect, test } from 'vitest';
import { correctedMomentum, learningRateAt, scaleLearningRate } from './learning-rate.ts';

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

test('OP-11 step decay multiplies by the factor at each milestone [Goyal: 30, 60, 80 of 90]', () => {
  const config = {
    base: 0.1,
    warmupSteps: 0,
    decay: 'step',
    milestones: [30, 60, 80],
    factor: 0.1,
  } as const;
  const rates = [0, 29, 30, 60, 80, 89].map((step) => learningRateAt(config, step, 90));
  const expected = [0.1, 0.1, 0.01, 0.001, 0.0001, 0.0001];
  rates.forEach((rate, i) => {
    expect(rate).toBeCloseTo(expected[i], 12);
  });
});

test('OP-12 T: Horovod warm-up, lr .8 and size 8: .1, .45, .8 at epochs 0, 2.5, 5', () => {
  // Two steps an epoch: lr(e) = (lr / size) * (e * (size - 1) / 5 + 1).
  const config = { base: 0.8, warmupSteps: 10, decay: 'none', warmupFrom: 0.8 / 8 } as const;
  const rates = [0, 5, 10].map((step) => learningRateAt(config, step, 100));
  [0.1, 0.45, 0.8].forEach((rate, i) => {
    expect(rates[i]).toBeCloseTo(rate, 12);
  });
});

test('OP-13 scaling: linear 0.1 * k n / 256, or by the square root', () => {
  expect(scaleLearningRate(0.1, 'linear', (8 * 32) / 256)).toBe(0.1);
  expect(scaleLearningRate(0.1, 'linear', 8192 / 256)).toBeCloseTo(3.2, 12);
  expect(scaleLearningRate(0.1, 'squareRoot', 16)).toBe(0.4);
  expect(scaleLearningRate(0.1, 'none', 16)).toBe(0.1);
});

test('OP-13 momentum is corrected for one step by new / old', () => {
  expect(correctedMomentum(0.9, 0.2, 0.1)).toBeCloseTo(1.8, 12);
  expect(correctedMomentum(0.9, 0.2, 0)).toBe(0.9);
});
