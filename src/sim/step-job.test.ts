import { expect, test } from 'vitest';
import { bucketRanges } from '#core/buckets';
import { buildModel } from '#core/models';
import { ringAllReduce } from '#core/ring';
import {
  backwardPieces,
  computeNs,
  layerCosts,
  modelJob,
  passWork,
  readyLayers,
  type StepJob,
} from './step-job.ts';
import { ns } from './time.ts';

const device = { peakFlopsPerSecond: 989e12, efficiency: 0.4, overheadNs: ns(5000) };

test('CK-6 compute time is FLOPs / (peak x efficiency), plus an overhead a layer and pass', () => {
  expect(computeNs(989e12 * 0.4, device)).toBe(1e9);
  const [layer] = layerCosts([{ forwardFlops: 2e9, backwardFlops: 4e9 }], 32, device);
  expect(layer.forwardNs).toBeCloseTo(5000 + (32 * 2e9) / (989e3 * 0.4), 6);
  expect(layer.backwardNs).toBeCloseTo(5000 + (32 * 4e9) / (989e3 * 0.4), 6);
  expect(() => layerCosts([], 1, { ...device, efficiency: 0 })).toThrow('at efficiency 0');
});

test('CK-6 a bucket is ready with the first layer, in forward order, that it reaches into', () => {
  const model = buildModel(
    { kind: 'mlp', hidden: [128], activation: 'relu' },
    { kind: 'image', height: 28, width: 28, classes: 10 },
  );
  const withWeights = model.segments.flatMap((segment, i) =>
    segment.parameters.length > 0 ? [i] : [],
  );
  const [first, second] = withWeights;
  const last = model.parameters.filter(({ offset }) => offset >= 784 * 128 + 128);
  const split = [
    { start: last[0].offset, end: model.parameterCount },
    { start: 0, end: last[0].offset },
  ];
  expect(readyLayers(model.segments, split)).toEqual([second, first]);
  const ranges = bucketRanges(model.parameters, { firstBytes: 1, capBytes: 1 });
  expect(readyLayers(model.segments, ranges)).toEqual([second, second, first, first]);
  expect(() => readyLayers(model.segments, [{ start: 1e9, end: 1e9 + 1 }])).toThrow('no parameter');
});

test('CK-6 the job of a real model: its FLOPs, its buckets, half of the bytes with a cast', () => {
  const model = buildModel(
    { kind: 'mlp', hidden: [128], activation: 'relu' },
    { kind: 'image', height: 28, width: 28, classes: 10 },
  );
  const job = modelJob({
    model,
    batch: 32,
    microBatches: 2,
    device: { ...device, overheadNs: ns(0) },
    ranges: bucketRanges(model.parameters, { firstBytes: 1, capBytes: 2 ** 30 }),
    schedule: ringAllReduce(4),
    bytesPerElement: 2,
    optimizerNs: ns(7),
  });
  // 2 x 32 x (784 x 128 + 128 x 10) multiply-adds' FLOPs, and what activations add.
  const { forwardNs } = passWork(job);
  const products = 2 * 32 * (784 * 128 + 128 * 10);
  const flops = (forwardNs * 989e12 * 0.4) / 1e9;
  expect(flops).toBeGreaterThanOrEqual(products);
  expect(flops).toBeLessThan(1.02 * products);
  const bytes = job.buckets.map(({ chunkBytes }) => Array.from(chunkBytes));
  // The last bias alone, 10 elements in 4 chunks; then all others.
  expect(bytes[0]).toEqual([6, 6, 4, 4]);
  expect(bytes[1].reduce((a, b) => a + b)).toBe(2 * (784 * 128 + 128 + 128 * 10));
});

test('CK-6 backward is cut where buckets become ready; a later bucket cannot be ready earlier', () => {
  const layer = (backward: number) => ({ forwardNs: ns(0), backwardNs: ns(backward) });
  const bucket = (readyLayer: number) => {
    const schedule = { name: 'none', worldSize: 1, chunks: 1, steps: [] };
    return { schedule, chunkBytes: [0], encodeNs: ns(0), decodeNs: ns(0), readyLayer };
  };
  const job = (ready: readonly number[]): StepJob => ({
    layers: [layer(1), layer(20), layer(300)],
    microBatches: 1,
    buckets: ready.map(bucket),
    optimizerNs: ns(0),
  });
  expect(backwardPieces(job([2, 1, 0]))).toEqual({ untilReadyNs: [300, 20, 1], restNs: 0 });
  expect(backwardPieces(job([1, 2]))).toEqual({ untilReadyNs: [320, 0], restNs: 1 });
  expect(backwardPieces(job([]))).toEqual({ untilReadyNs: [], restNs: 321 });
});
