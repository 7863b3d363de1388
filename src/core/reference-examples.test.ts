/** @file Worked examples of the reference sheet that span several modules of core. */
import { expect, test } from 'vitest';
import { bucketRanges } from './buckets.ts';
import { createCompressor } from './compression/config.ts';
import { addOnWire } from './compression/exchange.ts';
import { simulateStep } from './compression/simulate.ts';
import { FLOAT_FORMATS, roundFloat } from './float-formats.ts';
import { balancedBatches } from './sync-rules.ts';

const CONTEXT = { seed: 1, step: 0, epoch: 0, learningRate: 1, offset: 0 };

/** What DDP makes of one number a rank: each times 1/N, then summed. */
function ddpMean(gradients: readonly number[]): number {
  const compressor = createCompressor({ kind: 'none' });
  const states = gradients.map(() => compressor.init(1));
  const vectors = gradients.map((gradient) => Float32Array.of(gradient));
  return simulateStep(compressor, states, vectors, CONTEXT).average[0];
}

test('DP-2 T: N = 2, [2, 4] and [6, 8] -> [4, 6]', () => {
  expect([ddpMean([2, 6]), ddpMean([4, 8])]).toEqual([4, 6]);
});

test('DP-2 T: batches of 1 and 3 with mean gradients 3 and 1: DDP 2.0, the true mean 1.5', () => {
  expect(ddpMean([3, 1])).toBe(2);
  // Weighted by N times its share of the samples (SY-8) a rank counts as its samples do.
  const samples = balancedBatches(4, [1, 3]);
  expect(samples).toEqual([1, 3]);
  const weighted = [3, 1].map((gradient, rank) => gradient * ((2 * samples[rank]) / 4));
  expect(ddpMean(weighted)).toBe(1.5);
});

test('DP-4 T (0.3): the cap closes a bucket when it is reached, so 24 + 10 MiB make one of 34', () => {
  let offset = 0;
  const parameters = [10, 24, 2].map((mib, i) => {
    const length = (mib * 2 ** 20) / 4;
    const init = { kind: 'constant', value: 0 } as const;
    const parameter = { name: `p${i}`, shape: [length], offset, length, init };
    offset += length;
    return parameter;
  });
  const ranges = bucketRanges(parameters, { firstBytes: 2 ** 20, capBytes: 25 * 2 ** 20 });
  expect(ranges.map(({ start, end }) => (4 * (end - start)) / 2 ** 20)).toEqual([2, 34]);
});

test('CP-14 T: summed before it is divided, 4 fp16 gradients of 60000 are infinite', () => {
  const total = Float32Array.of(60_000);
  for (let rank = 1; rank < 4; rank++) addOnWire(total, Float32Array.of(60_000), 'fp16');
  expect(total[0] / 4).toBe(Number.POSITIVE_INFINITY);
});

test('CL-20 T: 1e8 + 1 - 1e8 + 1 is 2 exactly, which no order of fp32 sums gives', () => {
  const values = [1e8, 1, -1e8, 1];
  expect(values.reduce((sum, value) => sum + value)).toBe(2);
  const orders = values.map((_, i) => [...values.slice(i), ...values.slice(0, i)]);
  const sums = orders.map((order) => order.reduce((sum, value) => Math.fround(sum + value)));
  // From the ranks 0, 1, 2, 3 on, around the ring.
  expect(sums).toEqual([1, 0, 1, 0]);
});

test('PR-1 T: eps is 2^-10 in fp16 and 2^-7 in bf16; e4m3 and e5m2 have 3 and 2 bits of fraction', () => {
  const bits = { fp16: 10, bf16: 7, e4m3: 3, e5m2: 2 } as const;
  for (const [name, fraction] of Object.entries(bits)) {
    const format = FLOAT_FORMATS[name as keyof typeof bits];
    expect(roundFloat(format, 1 + 2 ** -fraction)).toBe(1 + 2 ** -fraction);
    expect(roundFloat(format, 1 + 2 ** -(fraction + 1))).toBe(1);
  }
});
