import { expect, test } from 'vitest';
import { calibrated } from './calibrate.ts';
import { clusterOf } from './cluster-choice.ts';
import { gradientCodec } from './gradient-codec.ts';
import { PLAIN_STEP, type StepJob, stepPrice } from './step-model.ts';
import { expectedMaximum } from './stragglers.ts';
import { WORKLOADS, type Workload } from './workloads.ts';

/** No costs but arithmetic and the wire: two ranks over Gloo send S at `nicGbps`, nothing else. */
const BARE = {
  library: 'gloo',
  nodes: 2,
  networkDelayUs: 0,
  networkSimpleUs: 0,
  launchUs: 0,
  hostGBps: 100_000,
  hookUs: 0,
  kernelUs: 0,
  variation: 0,
  memoryGBps: 100_000,
  networkEfficiency: 1,
  fp32Tflops: 1,
  efficiency: 1,
} as const;

/** Three layers with a backward of 10 ms and 8 MB of gradients each. */
const THREE: Workload = {
  name: 'three layers',
  source: 'by hand',
  sample: 'images',
  layers: new Array(3).fill({ parameters: 2e6, tensors: 1, forwardFlops: 5e9 }),
  trafficBytes: 0,
  imbalance: 0,
};
const JOB: StepJob = {
  ...PLAIN_STEP,
  workload: THREE,
  batchPerRank: 1,
  buckets: { firstBytes: 1, capBytes: 1 },
};
/** Milliseconds of `bucketMs` a bucket: 8 MB at 8 / bucketMs GB/s. */
const exposedMs = (bucketMs: number, job: StepJob = JOB): number => {
  const cluster = clusterOf({ ...BARE, nicGbps: 64 / bucketMs });
  return stepPrice(cluster, 2, job).split.exposedCommunication * 1e3;
};

test('CC-9 T: buckets ready at 10, 20, 30 and 8 each end at 38, 15 each at 55, in one go at 54', () => {
  expect(30 + exposedMs(8)).toBeCloseTo(38, 1);
  expect(30 + exposedMs(15)).toBeCloseTo(55, 1);
  expect(30 + exposedMs(8, { ...JOB, overlap: false })).toBeCloseTo(54, 1);
});

test('CC-9 a bucket is closed once it has reached its cap, so two layers make one of 8 MB and a half', () => {
  const buckets = { firstBytes: 8e6 + 1, capBytes: 8e6 };
  // The first holds layers 3 and 2 (16 ms, ready at 20), the second layer 1 (8 ms).
  expect(30 + exposedMs(8, { ...JOB, buckets })).toBeCloseTo(44, 1);
});

test('CC-8 backward takes twice forward; recomputing adds one forward', () => {
  const alone = (job: StepJob) => stepPrice(clusterOf(BARE), 1, job).split.compute * 1e3;
  expect(alone(JOB)).toBeCloseTo(45, 1);
  expect(alone({ ...JOB, recompute: true })).toBeCloseTo(60, 1);
  expect(alone({ ...JOB, microBatches: 4 })).toBeCloseTo(180, 1);
});

test('CC-8 sixteen bits multiply arithmetic by the ratio of peaks and halve the traffic', () => {
  const cluster = clusterOf({ ...BARE, memoryGBps: 100, halfTflops: 8, halfEfficiency: 1 });
  const workload = {
    ...THREE,
    layers: THREE.layers.map((each) => ({ ...each, parameters: 0 })),
    trafficBytes: 8.5e9,
  };
  const seconds = (precision: StepJob['precision']) =>
    stepPrice(cluster, 1, { ...JOB, workload, precision }).split.compute;
  expect(seconds('fp32')).toBeCloseTo(0.045 + 0.1, 9);
  expect(seconds('fp16')).toBeCloseTo(0.045 / 8 + 0.05, 9);
});

test('CC-10 hidden communication slows compute by the contention, but not under Gloo', () => {
  const nccl = clusterOf({ preset: 'dgx1-v100', contention: 0.5 });
  const job: StepJob = { ...PLAIN_STEP, workload: WORKLOADS.resnet50, batchPerRank: 32 };
  const { split, communicationSeconds } = stepPrice(nccl, 8, job);
  expect(split.contention).toBeCloseTo((communicationSeconds - split.exposedCommunication) / 2, 12);
  expect(stepPrice(clusterOf(BARE), 2, JOB).split.contention).toBe(0);
});

test('CC-11 T: expected maxima of normals: 2 .564, 8 1.424, 64 2.344, 1024 3.248', () => {
  expect(expectedMaximum(1)).toBe(0);
  const expected = [
    [2, 0.564],
    [8, 1.424],
    [64, 2.344],
    [1024, 3.248],
  ] as const;
  for (const [count, value] of expected) expect(expectedMaximum(count)).toBeCloseTo(value, 3);
});

test('CC-11 a step waits for the slowest: variation times the expected maximum of the compute', () => {
  const { split } = stepPrice(clusterOf({ ...BARE, variation: 0.1 }), 2, JOB);
  expect(split.straggling / split.compute).toBeCloseTo(0.0564, 4);
  const uneven = { ...JOB, workload: { ...THREE, imbalance: 0.2 }, microBatches: 4 };
  const { split: other } = stepPrice(clusterOf({ ...BARE, variation: 0 }), 2, uneven);
  expect(other.straggling / other.compute).toBeCloseTo(0.0564, 4);
});

test('CC-12 a sharded step gathers twice and reduces once, 1.5 times the bytes of an all-reduce', () => {
  const cluster = clusterOf({ preset: 'h100-ib-ndr', nodes: 8 });
  const job: StepJob = {
    ...PLAIN_STEP,
    workload: WORKLOADS['llama3-8b'],
    batchPerRank: 1,
    precision: 'bf16',
    gradientBytes: 2,
  };
  const ring = stepPrice(cluster, 64, { ...job, algorithm: 'ring' }).communicationSeconds;
  const sharded = stepPrice(cluster, 64, { ...job, sharded: true }).communicationSeconds;
  expect(sharded / ring).toBeGreaterThan(1.4);
  expect(sharded / ring).toBeLessThan(1.6);
});

test('CC-12 by hand: gathers of 2 ms a layer, 5 ms forward, 10 backward: the first and the last show', () => {
  // 2 ranks, 4 MB a layer in 16 bits, half of it over 1 GB/s; scatters take as long as gathers.
  const cluster = clusterOf({ ...BARE, nicGbps: 8 });
  const job: StepJob = { ...JOB, sharded: true, gradientBytes: 2 };
  const { split, communicationSeconds } = stepPrice(cluster, 2, job);
  expect(communicationSeconds * 1e3).toBeCloseTo(9 * 2, 1);
  expect(split.exposedCommunication * 1e3).toBeCloseTo(2 + 2, 1);
  // At 0.25 GB/s gathers of 8 ms outlast forward's 5: the stream is the longer of the two.
  const slow = stepPrice(clusterOf({ ...BARE, nicGbps: 2 }), 2, job);
  expect(slow.communicationSeconds * 1e3).toBeCloseTo(9 * 8, 1);
  expect(slow.split.exposedCommunication * 1e3).toBeGreaterThan(72 - 45);
});

test('CC-13 a loader with a queue costs what exceeds the step, one without costs all of it', () => {
  const step = (loadMs: number, loaderPrefetch: number) => {
    const loaderSamplesPerSecond = loadMs === 0 ? 0 : 1e3 / loadMs;
    const cluster = clusterOf({ ...BARE, loaderSamplesPerSecond, loaderPrefetch });
    return stepPrice(cluster, 1, JOB);
  };
  expect(step(0, 0).split.input).toBe(0);
  expect(step(40, 2).split.input).toBe(0);
  expect(step(100, 2).stepSeconds).toBeCloseTo(0.1, 9);
  expect(step(100, 0).stepSeconds).toBeCloseTo(0.145, 3);
});

test('CC-13 the devices of a node share its loader', () => {
  const cluster = clusterOf({ preset: 'dgx-a100', loaderSamplesPerSecond: 1000 });
  const job: StepJob = { ...PLAIN_STEP, workload: WORKLOADS.resnet50, batchPerRank: 64 };
  expect(stepPrice(cluster, 8, job).samplesPerSecond).toBeCloseTo(1000, 6);
  expect(stepPrice(cluster, 16, job).samplesPerSecond).toBeCloseTo(2000, 6);
});

test('CC-14 compression sends fewer bytes and pays for its passes', () => {
  const cluster = clusterOf({ preset: 'cloud-10gbe' });
  const job: StepJob = { ...PLAIN_STEP, workload: WORKLOADS.vgg16, batchPerRank: 32 };
  const codec = gradientCodec({ kind: 'cast', format: 'fp16' });
  const [plain, cast] = [stepPrice(cluster, 8, job), stepPrice(cluster, 8, { ...job, codec })];
  expect(cast.communicationSeconds / plain.communicationSeconds).toBeCloseTo(0.5, 1);
  expect(cast.split.framework).toBeGreaterThan(plain.split.framework);
  expect(codec.messages([100, 300], 4, 8)).toEqual({ kind: 'all-reduce', bytes: 800, count: 1 });
  const topK = gradientCodec({ kind: 'topK', ratio: 0.01, errorFeedback: true, scope: 'bucket' });
  expect(topK.messages([100, 300], 4, 8)).toEqual({ kind: 'all-gather', bytes: 256, count: 1 });
});

test('CC-15 the split adds up, and a calibrated step takes what was measured', () => {
  const cluster = clusterOf({ preset: 'dgx-a100' });
  const job: StepJob = {
    ...PLAIN_STEP,
    workload: WORKLOADS['bert-large'],
    batchPerRank: 8,
    precision: 'fp16',
  };
  const fitted = calibrated(cluster, 8, job, 0.3);
  const { stepSeconds, split } = stepPrice(cluster, 8, fitted);
  expect(stepSeconds).toBeCloseTo(0.3, 12);
  expect(Object.values(split).reduce((sum, each) => sum + each, 0)).toBeCloseTo(stepSeconds, 12);
  expect(() => calibrated(cluster, 8, job, 1e-9)).toThrow('calibration');
});
