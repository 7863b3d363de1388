import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  combineMoments,
  type Moments,
  momentsLength,
  packMoments,
  unpackMoments,
  updatedBuffers,
} from './batch-norm.ts';
import { initialBuffers } from './initial-weights.ts';
import { buildModel } from './models.ts';

const IMAGE = { kind: 'image', height: 8, width: 8, classes: 3 } as const;
const cnn = buildModel({ kind: 'cnn', channels: [1, 2], dense: 3, norm: 'syncBatch' }, IMAGE);

/** Biased moments of values of one channel, in float64. */
function momentsOf(values: readonly number[]): Moments {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
  return {
    mean: Float32Array.of(mean),
    variance: Float32Array.of(variance),
    count: values.length,
  };
}

test('DP-30 T: [1, 2, 3] and [7] have mean 3.25 and variance 5.1875, not the mean of means 4.5', () => {
  const together = combineMoments([momentsOf([1, 2, 3]), momentsOf([7])]);
  expect(together.mean[0]).toBe(3.25);
  expect(together.variance[0]).toBeCloseTo(5.1875, 6);
  expect(together.count).toBe(4);
});

test('DP-30 T: the running variance takes the unbiased 6.9167, and a tenth of it', () => {
  const together = combineMoments([momentsOf([1, 2, 3]), momentsOf([7])]);
  const still = { mean: new Float32Array(2), variance: new Float32Array(2), count: 4 };
  const buffers = updatedBuffers(cnn, initialBuffers(cnn), [together, still]);
  expect(buffers[0]).toBeCloseTo(0.325, 6);
  expect(buffers[1]).toBeCloseTo(0.9 + 0.69167, 5);
  expect([...buffers.subarray(2)]).toEqual([0, 0, 0.9, 0.9].map(Math.fround));
});

test('DP-30 however values are dealt out, the moments are those of all of them', () => {
  const value = fc.double({ min: -100, max: 100, noNaN: true });
  const batch = fc.array(value, { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(fc.array(batch, { minLength: 1, maxLength: 5 }), (batches) => {
      const whole = momentsOf(batches.flat());
      const together = combineMoments(batches.map(momentsOf));
      expect(together.count).toBe(whole.count);
      expect(together.mean[0]).toBeCloseTo(whole.mean[0], 4);
      expect(Math.abs(together.variance[0] - whole.variance[0])).toBeLessThan(0.01);
    }),
  );
});

test('what ranks tell each other is 2C + 1 numbers, and comes back as it was', () => {
  const moments = { mean: Float32Array.of(1, 2), variance: Float32Array.of(3, 4), count: 5 };
  expect([...packMoments(moments)]).toEqual([1, 2, 3, 4, 5]);
  expect(unpackMoments(packMoments(moments))).toEqual(moments);
  expect(momentsLength(cnn, 4)).toBe(4 * 5);
  const spec = { kind: 'cnn', channels: [1, 2], dense: 3, norm: 'batch' } as const;
  expect(momentsLength(buildModel(spec, IMAGE), 4)).toBe(0);
  expect(momentsLength(buildModel({ kind: 'softmax' }, IMAGE), 4)).toBe(0);
});

test('a channel with a single value is refused by name', () => {
  const moments = [momentsOf([1]), momentsOf([1])];
  const update = () => updatedBuffers(cnn, initialBuffers(cnn), moments);
  expect(update).toThrow('norm1.running_mean: 1 value a channel; more are needed');
  expect(() => combineMoments([])).toThrow(RangeError);
});
