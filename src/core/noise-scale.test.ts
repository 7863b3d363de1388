import { expect, test } from 'vitest';
import {
  averageNoise,
  batchCost,
  estimateFromRanks,
  estimateNoise,
  NO_NOISE,
  noiseScale,
  squaredNorm,
} from './noise-scale.ts';
import { PURPOSE, randomStream } from './random.ts';

test('NS-1 T: Bs = 64, gs = 10, Bb = 512, gb = 3 -> |G|^2 = 2, S = 512, B = 256', () => {
  const estimate = estimateNoise({ size: 64, squaredNorm: 10 }, { size: 512, squaredNorm: 3 });
  expect(estimate.signal).toBe(2);
  expect(estimate.noise).toBeCloseTo(512, 9);
  expect(noiseScale(estimate)).toBeCloseTo(256, 9);
});

test('NS-2 T: at batch = B, twice the steps and twice the examples', () => {
  expect(batchCost(256, 256)).toEqual({ steps: 2, samples: 2 });
  const { steps, samples } = batchCost(64, 256);
  expect((steps - 1) * (samples - 1)).toBe(1);
});

test('NS-1 one rank has no second batch size', () => {
  expect(() => estimateFromRanks([1], 1, 32)).toThrow(/2 replicas on/);
});

test('NS-1 the means are taken before the ratio, and are corrected for their start', () => {
  const first = averageNoise(NO_NOISE, { signal: 2, noise: 8 }, 0.9);
  expect(first).toEqual({ signal: 2, noise: 8, steps: 1 });
  const second = averageNoise(first, { signal: -1, noise: 4 }, 1);
  expect(second).toEqual({ signal: 0.5, noise: 6, steps: 2 });
  expect(noiseScale(second)).toBe(12);
  expect(noiseScale({ signal: -1, noise: 4 })).toBeNull();
});

test('NS-1 ranks of noisy gradients give back the noise scale they were made with', () => {
  // |G|^2 = 4 over 50 elements, tr(Sigma) = 50 * 0.64 a sample: B = 8.
  const [length, ranks, batch] = [50, 4, 2];
  const mean = Math.sqrt(4 / length);
  const deviation = 0.8 / Math.sqrt(batch);
  let average = NO_NOISE;
  for (let step = 0; step < 3000; step++) {
    const total = new Float32Array(length);
    const norms = Array.from({ length: ranks }, (_, rank) => {
      const stream = randomStream(5, PURPOSE.generation, rank, step);
      const gradient = Float32Array.from(total, () => mean + deviation * stream.normal());
      for (let i = 0; i < length; i++) total[i] += gradient[i] / ranks;
      return squaredNorm(gradient);
    });
    average = averageNoise(average, estimateFromRanks(norms, squaredNorm(total), batch), 1);
  }
  expect(average.signal).toBeCloseTo(4, 0);
  expect(noiseScale(average)).toBeGreaterThan(7.5);
  expect(noiseScale(average)).toBeLessThan(8.5);
});
