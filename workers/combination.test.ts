/** @file Buckets, fusion, Adasum and the noise scale in whole runs, in one thread. */
import { expect, test } from 'vitest';
import { adasum } from '#core/adasum';
import { buildModel } from '#core/models';
import { joinByName } from '#core/named-weights';
import type { Experiment } from '#experiment/experiment';
import type { RunEvent } from '#run/log';
import { createNoiseMeter } from './replica/noise-meter.ts';
import { type FinishedRun, runInProcess } from './run-in-process.ts';
import { losses, spirals, stepsOf } from './whole-runs.ts';

/** Wide enough for several buckets. */
const wide = (changes: Record<string, unknown> = {}): Experiment =>
  spirals({
    model: { kind: 'mlp', hidden: [64, 64], activation: 'tanh' },
    evalEvery: 1000,
    ...changes,
  });

const runEvent = ({ events }: FinishedRun): RunEvent | undefined =>
  events.find((event) => event.type === 'run');

function expectAgreement({ last, events }: FinishedRun): void {
  expect(last.failure).toBeNull();
  for (const { weightsHash } of stepsOf(events)) expect(new Set(weightsHash).size).toBe(1);
}

/** Bytes that each rank sends around the ring: all chunks but r, then all but r + 1 [CL-3]. */
function ringBytes(buckets: readonly number[], ranks: number): number[] {
  const chunk = (length: number, rank: number): number =>
    Math.floor(length / ranks) + (rank % ranks < length % ranks ? 1 : 0);
  return Array.from({ length: ranks }, (_, rank) =>
    buckets.reduce(
      (sum, length) => sum + 4 * (2 * length - chunk(length, rank) - chunk(length, rank + 1)),
      0,
    ),
  );
}

// fc1 2 x 64 + 64, fc2 64 x 64 + 64, fc3 64 x 2 + 2: 4482 parameters, 17,928 bytes.
const TENSORS = [128, 64, 4096, 64, 128, 2];
const ALL = 4482;

test('DP-3 DP-4 one bucket in iteration 0, then buckets by size, as the bytes of real steps show', async () => {
  // 0.001 MiB is 1049 bytes: fc3's 520 do not fill a bucket, with fc2's bias it has 776, with
  // fc2's weight 17,160; the rest, 768 bytes, is the second.
  const buckets = { firstMiB: 0.001, capMiB: 0.001 };
  const run = await runInProcess(wide({ buckets, replicas: 7 }));
  expectAgreement(run);
  expect(runEvent(run)?.bucketBytes).toEqual([17_160, 768]);
  const [first, ...later] = stepsOf(run.events).map(({ bytesPerRank }) => bytesPerRank);
  expect(first).toEqual(ringBytes([ALL], 7));
  for (const bytes of later) expect(bytes).toEqual(ringBytes([4290, 192], 7));
  expect(ringBytes([ALL], 7)).not.toEqual(ringBytes([4290, 192], 7));
});

test('DP-20 DP-28 Horovod fuses alike in every iteration; a threshold of 0 is a collective a tensor', async () => {
  const ring = await runInProcess(wide());
  // 0.001 MiB holds the three small tensors at the end, not fc2's weight, then fc1.
  const fused = await runInProcess(wide({ buckets: { rule: 'horovod', fusionMiB: 0.001 } }));
  expectAgreement(fused);
  expect(runEvent(fused)?.bucketBytes).toEqual([776, 16_384, 768]);
  const alone = await runInProcess(wide({ buckets: { rule: 'horovod', fusionMiB: 0 } }));
  expect(runEvent(alone)?.bucketBytes).toEqual(TENSORS.toReversed().map((length) => 4 * length));
  for (const { bytesPerRank } of stepsOf(alone.events)) {
    expect(bytesPerRank).toEqual(ringBytes(TENSORS, 4));
  }
  losses(alone).forEach((loss, i) => {
    expect(Math.abs(loss - (losses(ring)[i] ?? Number.NaN))).toBeLessThan(1e-5);
  });
});

const SOFTMAX = buildModel({ kind: 'softmax' }, { kind: 'points', features: 2, classes: 2 });
const ZEROS = {
  'fc1.weight': [
    [0, 0],
    [0, 0],
  ],
  'fc1.bias': [0, 0],
};
const X = [
  [0, 1, 2, 3].map((rank) =>
    [0, 1, 2].map((i) => [Math.sin(5 * rank + i), Math.cos(rank + 3 * i)]),
  ),
];
const Y = [[0, 1, 2, 3].map((rank) => [rank % 2, (rank >> 1) % 2, 1])];

/** The gradient of one step from weights of zero at rate 1: minus the weights after it, exactly. */
async function gradientOf(changes: Record<string, unknown>, ranks: readonly number[]) {
  const pick = <T>(rows: readonly (readonly T[])[]) => rows.map((row) => ranks.map((r) => row[r]));
  const rate = { learningRate: { base: 1, decay: 'none' }, duration: { unit: 'steps', count: 1 } };
  const run = await runInProcess(
    wide({ model: { kind: 'softmax' }, replicas: ranks.length, ...rate, ...changes }),
    { given: { init: ZEROS, x: pick(X), y: pick(Y) } },
  );
  expect(run.last.failure).toBeNull();
  const { weights } = joinByName(SOFTMAX, await run.conductor.weights());
  return { run, gradient: weights.map((weight) => -weight) };
}

const ADASUM = { communication: { combine: 'adasum' } };

test('DP-29 Adasum in a real step is the pure one, and sends 2 (N-1)/N S and the sums of each tensor', async () => {
  const own = await Promise.all([0, 1, 2, 3].map((rank) => gradientOf({}, [rank])));
  const { run, gradient } = await gradientOf(ADASUM, [0, 1, 2, 3]);
  const tensors = SOFTMAX.parameters.map(({ offset, length }) => ({
    start: offset,
    end: offset + length,
  }));
  const pure = adasum(
    own.map((each) => each.gradient),
    tensors,
  );
  expect(gradient).toHaveLength(6);
  gradient.forEach((value, i) => {
    expect(Math.abs(value - (pure[i] ?? Number.NaN))).toBeLessThan(1e-6);
  });
  expectAgreement(run);
  // Six elements are chunks of 2, 2, 1, 1. Halving: ranks 0 and 2 send chunks 2 and 3, then one;
  // gathering sends the same amounts back. The sums: 2 tensors of 24 bytes, once and then twice.
  const bytes = stepsOf(run.events)[0]?.bytesPerRank ?? [];
  const total = bytes.reduce((sum, each) => sum + each, 0);
  expect(total).toBe(4 * (2 * 3 * 6) + 4 * 3 * 2 * 24);
});

test('DP-29 REFERENCE B: tensor by tensor, orthogonal gradients are added, parallel ones averaged', async () => {
  // From zero weights dL/dz is (-1/2, 1/2) on both ranks. Their inputs are (1, 0) and (0, 1), so the
  // gradients of the weights are orthogonal, and those of the biases are equal.
  const step = { learningRate: { base: 1, decay: 'none' }, duration: { unit: 'steps', count: 1 } };
  const run = await runInProcess(
    wide({ model: { kind: 'softmax' }, replicas: 2, ...ADASUM, ...step }),
    { given: { init: ZEROS, x: [[[[1, 0]], [[0, 1]]]], y: [[[0], [0]]] } },
  );
  expect(await run.conductor.weights()).toEqual({
    'fc1.weight': [
      [0.5, 0.5],
      [-0.5, -0.5],
    ],
    'fc1.bias': [0.5, -0.5],
  });
});

test('DP-29 Adasum trains, all ranks equal to the bit, whatever the buckets', async () => {
  const run = await runInProcess(wide({ ...ADASUM, duration: { unit: 'steps', count: 60 } }));
  expectAgreement(run);
  const all = losses(run);
  expect(all.slice(-10).reduce((a, b) => a + b) / 10).toBeLessThan(all[0] ?? 0);
  const fused = { buckets: { rule: 'horovod', fusionMiB: 0 } };
  const other = await runInProcess(
    wide({ ...ADASUM, ...fused, duration: { unit: 'steps', count: 60 } }),
  );
  expect(losses(other)).toEqual(all);
});

test('DP-29 PR-14 an overflow on one rank skips the step on all, under Adasum too', async () => {
  const run = await runInProcess(
    wide({
      ...ADASUM,
      precision: { format: 'fp16' },
      lossScaling: { kind: 'dynamic', scale: 2 ** 22, growthInterval: 1000 },
    }),
  );
  expectAgreement(run);
  expect(stepsOf(run.events)[0]?.precision?.skipped).toBe(1);
  expect(stepsOf(run.events).at(-1)?.precision?.skipped).toBe(0);
});

test.each([
  { replicas: 3 },
  { communication: { combine: 'adasum', collective: 'ring' } },
  { compression: { kind: 'topK' } },
  { sync: { kind: 'localSgd' } },
  { mistakes: { sumNotMean: true } },
])('EX-5 Adasum is refused with %o', (changes) => {
  expect(() => wide({ ...ADASUM, ...changes })).toThrow(/adasum/i);
});

const MEASURED = { measure: { noiseScale: true } };

test('NS-3 REFERENCE F: 10 at batch 64 and 3 at 512 give 2, 512 and a scale of 256', () => {
  const meter = createNoiseMeter();
  expect(meter.average()).toBeNull();
  meter.observe({ own: [8, 12, 10, 10, 10, 10, 9, 11], mean: 3 }, 64, 1);
  expect(meter.average()).toEqual({ signal: 2, noise: 512, steps: 1 });
  // Scaled by 4, both norms are 16 times as large.
  meter.observe({ own: Array.from({ length: 8 }, () => 160), mean: 48 }, 64, 4);
  expect(meter.average()?.signal).toBeCloseTo(2, 12);
  expect(meter.average()?.noise).toBeCloseTo(512, 9);
});

test('NS-3 a real step estimates from the ranks’ own gradients and from their mean', async () => {
  const squared = (g: Float32Array): number => g.reduce((sum, value) => sum + value * value, 0);
  const own = await Promise.all([0, 1].map((rank) => gradientOf({}, [rank])));
  const mean = await gradientOf({}, [0, 1]);
  const { run, gradient } = await gradientOf(MEASURED, [0, 1]);
  expect(gradient).toEqual(mean.gradient);
  const small = own.reduce((sum, each) => sum + squared(each.gradient), 0) / 2;
  const big = squared(mean.gradient);
  const record = stepsOf(run.events)[0]?.noiseScale;
  expect(record?.signal).toBeCloseTo((6 * big - 3 * small) / 3, 5);
  expect(record?.noise).toBeCloseTo((small - big) / (1 / 3 - 1 / 6), 5);
  const fewer = stepsOf(mean.run.events)[0]?.bytesPerRank ?? [];
  expect(stepsOf(run.events)[0]?.gatheredPerRank).toEqual([8, 8]);
  expect(stepsOf(run.events)[0]?.bytesPerRank).toEqual(fewer.map((bytes) => bytes + 8));
});

test('NS-3 measuring changes no loss, is the same again, and leaves plain runs alone', async () => {
  const plain = await runInProcess(wide());
  const run = await runInProcess(wide(MEASURED));
  expect(losses(run)).toEqual(losses(plain));
  expect((await runInProcess(wide(MEASURED))).last.logHash).toBe(run.last.logHash);
  const last = stepsOf(run.events).at(-1)?.noiseScale;
  expect(last?.samples).toBeCloseTo((last?.noise ?? 0) / (last?.signal ?? 1), 9);
  expect(stepsOf(plain.events)[0]).not.toHaveProperty('noiseScale');
  const summed = await runInProcess(wide({ ...MEASURED, mistakes: { sumNotMean: true } }));
  const [right, wrong] = [run, summed].map(({ events }) => stepsOf(events)[0]?.noiseScale);
  expect(wrong?.signal).toBeCloseTo(right?.signal ?? Number.NaN, 6);
  expect(wrong?.noise).toBeCloseTo(right?.noise ?? Number.NaN, 5);
});

test('NS-3 more ranks than the model has room for numbers change nothing', async () => {
  const small = { model: { kind: 'softmax' }, replicas: 8 };
  const plain = await runInProcess(wide(small));
  const run = await runInProcess(wide({ ...small, ...MEASURED }));
  expectAgreement(run);
  expect(losses(run)).toEqual(losses(plain));
  expect(stepsOf(run.events)[0]?.gatheredPerRank).toEqual(Array.from({ length: 8 }, () => 56));
});

test.each([
  { replicas: 1 },
  { compression: { kind: 'topK' } },
  { sync: { kind: 'diloco' } },
  { communication: { combine: 'adasum' } },
  { accumulation: { microBatches: 2, noSync: false } },
])('EX-5 the noise scale is refused with %o', (changes) => {
  expect(() => wide({ ...MEASURED, ...changes })).toThrow(/noiseScale/);
});
