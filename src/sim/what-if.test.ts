import { expect, test } from 'vitest';
import { answerWhatIf, doublings } from './what-if.ts';
import { readWhatIf } from './what-if-request.ts';

type Row = Readonly<Record<string, number>> & { readonly split: Readonly<Record<string, number>> };

const answer = (input: unknown): Readonly<Record<string, readonly Row[]>> => {
  const reading = readWhatIf(input);
  if (!reading.ok) throw new Error(JSON.stringify(reading));
  return answerWhatIf(reading.request) as never;
};
const refusals = (input: unknown): readonly string[] => {
  const reading = readWhatIf(input);
  if (reading.ok) return [];
  return [...reading.faults, ...reading.problems].map(({ path }) => path);
};

test('CC-18 a collective: one row for every rank count and size, the best of its alternatives', () => {
  const collective = { kind: 'all-gather', bytes: [1024, 2 ** 30] };
  const rows = answer({ cluster: { preset: 'dgx-a100' }, ranks: [8, 16], collective }).collective;
  expect(rows.map(({ ranks, bytes }) => [ranks, bytes])).toEqual([
    [8, 1024],
    [8, 2 ** 30],
    [16, 1024],
    [16, 2 ** 30],
  ]);
  for (const row of rows) {
    const alternatives = row.alternatives as unknown as readonly { us: number }[];
    expect(row.us).toBe(Math.min(...alternatives.map(({ us }) => us)));
    const parts = Object.values(row.split).reduce((sum, part) => sum + part, 0);
    expect(parts / row.us).toBeCloseTo(1, 9);
    expect(row.busGBps).toBeCloseTo(((row.ranks - 1) / row.ranks) * (row.bytes / row.us / 1e3), 9);
  }
});

test('CC-18 a step: its split adds up; a fixed batch is shared, in micro-batches of at most batchPerRank', () => {
  const step = { workload: 'bert-large', globalBatch: 256, batchPerRank: 16, precision: 'fp16' };
  const rows = answer({ cluster: { preset: 'dgx-a100' }, ranks: [1, 8, 64, 256], step }).step;
  expect(rows.map(({ microBatches, batchPerRank }) => [microBatches, batchPerRank])).toEqual([
    [16, 16],
    [2, 16],
    [1, 4],
    [1, 1],
  ]);
  for (const { split, stepMs, speedUp, efficiency, ranks, samplesPerSecond } of rows) {
    expect(Object.values(split).reduce((sum, part) => sum + part, 0)).toBeCloseTo(stepMs, 9);
    expect(speedUp / ranks).toBeCloseTo(efficiency, 12);
    expect((samplesPerSecond * stepMs) / 1e3).toBeCloseTo(256, 6);
  }
});

test('CC-18 a calibrated step takes what was measured, at the measured number of ranks', () => {
  const step = { workload: 'resnet50', batchPerRank: 32, calibrate: { ranks: 8, stepMs: 104 } };
  const [row] = answer({ cluster: { preset: 'dgx1-v100' }, ranks: 8, step }).step;
  expect(row.stepMs).toBeCloseTo(104, 9);
});

test('CC-18 compression pays on slow networks only: the rate where it breaks even lies between', () => {
  const step = { workload: 'vgg16', batchPerRank: 32, compression: { kind: 'topK', ratio: 0.001 } };
  const at = (nicGbps: number) =>
    answer({ cluster: { nicGbps }, ranks: 8, step }).compression[0] ?? ({} as Row);
  const { breakEvenNicGbps, breakEvenRatio } = at(10);
  expect(breakEvenRatio).toBe(1 / 8);
  const slow = at(breakEvenNicGbps * 0.9);
  const fast = at(breakEvenNicGbps * 1.1);
  expect(slow.compressedMs).toBeLessThan(slow.plainMs);
  expect(fast.compressedMs).toBeGreaterThan(fast.plainMs);
});

test('CC-18 an experiment is priced as itself or as if, by default for 1, 2, 4 ... all devices', () => {
  const cluster = { preset: 'llama3-16k', workload: 'llama3-8b' };
  const rows = answer({ experiment: { cluster, batchPerRank: 1 } }).experiment;
  expect(rows.map(({ ranks }) => ranks)).toEqual(doublings(16_384));
  expect(rows.at(-1)?.efficiency).toBeLessThan(1);
  const [alone] = answer({ experiment: {}, ranks: 1 }).experiment;
  expect(alone.stepMs).toBeLessThan(1);
});

test('CC-18 a model may be given by its totals', () => {
  const step = { workload: { parameters: 25e6, forwardFlops: 8e9, layers: 50 }, batchPerRank: 32 };
  const [one, two] = answer({ ranks: [1, 2], step }).step;
  expect(two.stepMs).toBeGreaterThan(one.stepMs);
});

test('CC-18 failures: goodput by number of devices', () => {
  const goodput = { parameters: 405e9 };
  const rows = answer({ cluster: { preset: 'llama3-16k' }, ranks: [1, 16_384], goodput }).goodput;
  expect(rows[1].mtbfSeconds / 3600).toBeCloseTo(3.094, 2);
  expect(rows[1].goodput).toBeGreaterThan(0.9);
  expect(rows[0].goodput).toBeGreaterThan(rows[1].goodput);
});

test('CC-19 everything wrong is named at once, and nothing is half-accepted', () => {
  const bad = {
    cluster: { preset: 'dgx-a100', nicGbps: 0, nics: 3 },
    ranks: [8, 1.5],
    collective: { kind: 'gossip' },
    step: {
      workload: 'resnet49',
      precision: 'fp4',
      calibrate: { ranks: 1 },
      compression: { kind: 'none', ratio: 1 },
    },
    hurry: true,
  };
  expect(refusals(bad)).toEqual([
    'hurry',
    'ranks',
    'collective.kind',
    'collective.bytes',
    'step.precision',
    'step.workload',
    'step.batchPerRank',
    'step.calibrate.stepMs',
    'cluster.nicGbps',
    'cluster.nics',
    'step.compression.ratio',
  ]);
});

test('CC-19 nothing asked, two clusters, more ranks than devices and no object are refused', () => {
  expect(refusals({})).toEqual(['']);
  expect(refusals([])).toEqual(['']);
  expect(refusals({ cluster: {}, experiment: {} })).toEqual(['cluster']);
  expect(refusals({ experiment: { replicas: 0 } })).toEqual(['experiment.replicas']);
  const collective = { bytes: 8 };
  expect(refusals({ cluster: { preset: 'dgx-h100' }, ranks: 17, collective })).toEqual(['ranks']);
  const step = { workload: 'vgg16', batchPerRank: 1, calibrate: { ranks: 999, stepMs: 1 } };
  expect(refusals({ step })).toEqual(['step.calibrate.ranks']);
  const shared = { workload: 'vgg16', globalBatch: 8 };
  expect(refusals({ ranks: 16, step: shared })).toEqual(['step.globalBatch']);
  expect(answer({ step: shared }).step.map(({ ranks }) => ranks)).toEqual([1, 2, 4, 8]);
});

test('CC-20 16,384 ranks are priced within a frame of 16 ms', () => {
  const request = {
    cluster: { preset: 'llama3-16k' },
    ranks: 16_384,
    step: { workload: 'llama3-70b', batchPerRank: 1, precision: 'bf16', sharded: true },
    collective: { bytes: 2 ** 30 },
  };
  const reading = readWhatIf(request);
  if (!reading.ok) throw new Error('refused');
  answerWhatIf(reading.request);
  const times = Array.from({ length: 9 }, () => {
    const start = performance.now();
    answerWhatIf(reading.request);
    return performance.now() - start;
  });
  expect(times.toSorted((a, b) => a - b)[4]).toBeLessThan(16);
});
