import fc from 'fast-check';
import { expect, test } from 'vitest';
import { resumePlan } from '#core/course';
import type { Model, ModelSpec, TaskShape } from '#core/model';
import { buildModel } from '#core/models';
import { NO_MISTAKES, type Plan } from '#core/plan';
import { epochOrder, rankIndices, stepsPerEpoch } from '#core/sampler';
import { type BatcherData, createBatcher } from './batches.ts';
import type { LabelledSplit } from './dataset.ts';

const POINTS: TaskShape = { kind: 'points', features: 2, classes: 2 };
const TINY: Model = buildModel({ kind: 'softmax' }, POINTS);

function planOf(fields: Partial<Plan>): Plan {
  const plan = {
    seed: 0,
    worldSize: 1,
    batchPerRank: 4,
    trainCount: 10,
    testCount: 10,
    resumed: null,
    totalSteps: 1,
    model: TINY,
    optimizer: { kind: 'sgd', momentum: 0, nesterov: false, weightDecay: 0 },
    learningRate: { base: 1, warmupSteps: 0, decay: 'none' },
    buckets: { rule: 'ddp', firstBytes: 1, capBytes: 1 },
    collective: { name: 'ring', ranksPerNode: 1, combine: 'mean' },
    compression: { kind: 'none' },
    clipNorm: 0,
    accumulation: { microBatches: 1, noSync: true },
    sync: { kind: 'allReduce', balance: 'off', slowdowns: [] },
    mistakes: NO_MISTAKES,
    measuresNoise: false,
    augmentation: 'none',
    precision: { format: 'fp32', masterWeights: true, scaler: { kind: 'none' } },
    checkpointing: false,
    recovery: { policy: 'stop', commitEvery: 0, faults: [] },
    evalEvery: 1,
    logEvery: 1,
    ...fields,
  } satisfies Omit<Plan, 'stepsPerEpoch'>;
  const { trainCount, worldSize, batchPerRank } = plan;
  return { ...plan, stepsPerEpoch: stepsPerEpoch(trainCount, worldSize, batchPerRank) };
}

/** Sample i is (i, -i) with label i mod 256, so a batch tells which samples it holds. */
const numbered = (count: number): LabelledSplit => ({
  kind: 'labelled',
  count,
  x: Float32Array.from({ length: 2 * count }, (_, j) => (j % 2 === 0 ? j / 2 : -(j - 1) / 2)),
  y: Uint8Array.from({ length: count }, (_, i) => i),
});

const evens = (x: ArrayLike<number>): number[] => Array.from(x).filter((_, j) => j % 2 === 0);

test('DP-6 batches follow DistributedSampler, shuffled anew each epoch', () => {
  const data = { train: numbered(10), test: numbered(10) };
  // Golden orders of n=10, world 4, seed 0, epochs 0 and 1; batches of 2, the last one smaller.
  const expected = [
    [[4, 3], [6], [5, 0], [7]],
    [[1, 9], [2], [6, 8], [4]],
    [[7, 0], [4], [1, 9], [5]],
    [[5, 8], [1], [2, 3], [6]],
  ];
  expected.forEach((batches, rank) => {
    const batcher = createBatcher({ data, plan: planOf({ worldSize: 4, batchPerRank: 2 }), rank });
    batches.forEach((samples, step) => {
      const { size, x, y } = batcher.batchAt(step);
      expect(size).toBe(samples.length);
      expect(evens(x)).toEqual(samples);
      expect([...y]).toEqual(samples);
    });
  });
});

test('DP-6 any step can be asked for at any time', () => {
  const data = { train: numbered(37), test: numbered(1) };
  const plan = planOf({ trainCount: 37, worldSize: 2, seed: 5 });
  const ordered = createBatcher({ data, plan, rank: 1 });
  const all = Array.from({ length: 25 }, (_, step) => [...ordered.batchAt(step).y]);
  const jumping = createBatcher({ data, plan, rank: 1 });
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 24 }), (step) => {
      expect([...jumping.batchAt(step).y]).toEqual(all[step]);
    }),
  );
});

test('DP-6 the samples of an epoch are the order of the sampler', () => {
  const plan = planOf({ trainCount: 101, worldSize: 3, batchPerRank: 7, seed: 9 });
  const batcher = createBatcher({
    data: { train: numbered(101), test: numbered(1) },
    plan,
    rank: 2,
  });
  const seen = Array.from({ length: 5 }, (_, step) => [...batcher.batchAt(5 + step).y]).flat();
  expect(seen).toEqual([...rankIndices(epochOrder(101, 9, 1, true), 3, 2, false)]);
});

test('SY-21 by speed, all ranks together have the samples of equal batches in every step', () => {
  const data = { train: numbered(101), test: numbered(1) };
  const plan = planOf({ trainCount: 101, worldSize: 4, batchPerRank: 7, seed: 9 });
  const sync = { kind: 'allReduce', balance: 'speeds', slowdowns: [1, 2, 4, 4] } as const;
  const ranks = [0, 1, 2, 3];
  const equal = ranks.map((rank) => createBatcher({ data, plan, rank }));
  const balanced = ranks.map((rank) => createBatcher({ data, plan: { ...plan, sync }, rank }));
  // 26 samples a rank: steps of 7, 7, 7 and 5, over two epochs.
  for (let step = 0; step < 8; step++) {
    const batches = balanced.map((batcher) => batcher.batchAt(step));
    expect(batches.map(({ size }) => size)).toEqual(step % 4 === 3 ? [10, 5, 3, 2] : [14, 7, 4, 3]);
    const samples = batches.flatMap(({ y }) => [...y]);
    const expected = equal.flatMap((batcher) => [...batcher.batchAt(step).y]);
    expect(samples.toSorted()).toEqual(expected.toSorted());
  }
});

test('DA-7 batches reuse their arrays', () => {
  const batcher = createBatcher({
    data: { train: numbered(10), test: numbered(1) },
    plan: planOf({}),
    rank: 0,
  });
  const first = batcher.batchAt(0);
  expect(batcher.batchAt(1)).toBe(first);
  expect(batcher.batchAt(2).size).toBe(2);
  expect(batcher.batchAt(3)).toBe(first);
});

test('DA-8 shares of an evaluation hold every sample exactly once', () => {
  const counts = fc.integer({ min: 0, max: 700 });
  fc.assert(
    fc.property(counts, fc.integer({ min: 1, max: 17 }), (count, worldSize) => {
      const x = Float32Array.from({ length: 2 * count }, (_, j) => j >> 1);
      const split = { kind: 'given', x, y: new Int32Array(count) } as const;
      const plan = planOf({ worldSize, testCount: count });
      const seen: number[] = [];
      for (let rank = 0; rank < worldSize; rank++) {
        const batcher = createBatcher({ data: { train: split, test: split }, plan, rank });
        for (const batch of batcher.evaluationBatches('test')) seen.push(...evens(batch.x));
      }
      expect(seen).toEqual(Array.from({ length: count }, (_, i) => i));
    }),
  );
});

test('DA-8 the training subset is as large as the test set, fixed and spread evenly', () => {
  const plan = planOf({ trainCount: 100, testCount: 4, worldSize: 2 });
  const data = { train: numbered(100), test: numbered(4) };
  const seen = [0, 1].map((rank) => {
    const batcher = createBatcher({ data, plan, rank });
    return [...batcher.evaluationBatches('train')].flatMap(({ y }) => [...y]);
  });
  expect(seen).toEqual([
    [0, 25],
    [50, 75],
  ]);
});

test('DA-9 given batches come by step and rank', () => {
  const x = Float32Array.from({ length: 2 * 3 * 4 * 2 }, (_, i) => i);
  const train = { kind: 'given', x, y: Int32Array.from({ length: 24 }, (_, i) => i) } as const;
  const data: BatcherData = { train, test: numbered(0) };
  const plan = planOf({ worldSize: 3, batchPerRank: 4, trainCount: 24, testCount: 0 });
  const batcher = createBatcher({ data, plan, rank: 1 });
  expect([...batcher.batchAt(0).y]).toEqual([4, 5, 6, 7]);
  expect([...batcher.batchAt(1).y]).toEqual([16, 17, 18, 19]);
  expect([...batcher.batchAt(1).x]).toEqual([32, 33, 34, 35, 36, 37, 38, 39]);
  expect(() => batcher.batchAt(2)).toThrow(/given batches end after 24 samples/);
  expect([...batcher.evaluationBatches('test')]).toEqual([]);
  expect([...batcher.evaluationBatches('train')]).toEqual([]);
});

test('DA-7 pixels are scaled by MNIST mean and deviation', () => {
  const task: TaskShape = { kind: 'image', height: 1, width: 2, classes: 10 };
  const train = {
    kind: 'labelled',
    count: 2,
    x: Uint8Array.of(0, 255, 51, 0),
    y: Uint8Array.of(3, 4),
  } as const;
  const plan = planOf({
    model: buildModel({ kind: 'softmax' }, task),
    trainCount: 2,
    testCount: 2,
  });
  const batcher = createBatcher({ data: { train, test: train }, plan, rank: 0 });
  const [batch] = batcher.evaluationBatches('test');
  const expected = [0, 1, 0.2, 0].map((u) => Math.fround((u - 0.1307) / 0.3081));
  expect([...(batch?.x ?? [])]).toEqual(expected);
  expect([...(batch?.y ?? [])]).toEqual([3, 4]);
});

test('DA-7 a text sample is a window, its labels the same window one character on', () => {
  const spec: ModelSpec = { kind: 'transformer', width: 4, heads: 1, depth: 1, context: 3 };
  const model = buildModel(spec, { kind: 'text', vocabulary: 20 });
  const tokens = Uint8Array.from({ length: 12 }, (_, i) => i);
  const text = { kind: 'text', tokens } as const;
  const plan = planOf({ model, trainCount: 3, testCount: 3, batchPerRank: 1 });
  const batcher = createBatcher({ data: { train: text, test: text }, plan, rank: 0 });
  const [batch] = batcher.evaluationBatches('test');
  // 12 tokens make 3 windows, since the last label needs a token beyond its window.
  expect([...(batch?.x ?? [])]).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  expect([...(batch?.y ?? [])]).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(batch?.size).toBe(3);
  const { x, y } = batcher.batchAt(0);
  expect([...y]).toEqual(Array.from(x, (token) => token + 1));
});

test('data and model that do not fit together are refused', () => {
  const text = { kind: 'text', tokens: new Uint8Array(9) } as const;
  const plan = planOf({});
  expect(() => createBatcher({ data: { train: text, test: text }, plan, rank: 0 })).toThrow(
    /a text needs a transformer/,
  );
  const wrong = { ...numbered(4), x: new Float32Array(7) };
  expect(() => createBatcher({ data: { train: wrong, test: wrong }, plan, rank: 0 })).toThrow(
    /7 values in all, 8 expected/,
  );
});

test('FT-2 ranks that take over go on with the samples nobody used, then with whole epochs', () => {
  const data = { train: numbered(10), test: numbered(10) };
  const plan = resumePlan({ ...planOf({ worldSize: 4, batchPerRank: 1 }), totalSteps: 6 }, 2, 1);
  const order = epochOrder(10, 0, 0, true);
  const ranks = [0, 1].map((rank) => createBatcher({ data, plan, rank }));
  const seen = [1, 2, 3].flatMap((step) => ranks.map((r) => evens(r.batchAt(step).x)[0]));
  expect(seen).toEqual([...order.subarray(4)]);
  expect(evens(ranks[0]?.batchAt(4).x ?? [])).toEqual([epochOrder(10, 0, 1, true)[0]]);
});

test('FT-2 as many ranks as before go on to the same batches, the padding of the epoch included', () => {
  const data = { train: numbered(10), test: numbered(10) };
  const plan = { ...planOf({ worldSize: 3, batchPerRank: 2 }), totalSteps: 4 };
  const resumed = resumePlan(plan, 3, 1);
  for (const rank of [0, 1, 2]) {
    const [before, after] = [plan, resumed].map((each) =>
      createBatcher({ data, plan: each, rank }),
    );
    for (const step of [1, 2]) expect(after.batchAt(step).x).toEqual(before.batchAt(step).x);
  }
});
