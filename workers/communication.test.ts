/** @file Whole runs with every collective, compressor, synchronisation and mistake, in one thread. */
import { expect, test } from 'vitest';
import { ALL_REDUCE_NAMES } from '#core/schedules';
import { requireExperiment } from '#experiment/parse';
import golden from './golden/ddp_fp16.json' with { type: 'json' };
import { type FinishedRun, runInProcess } from './run-in-process.ts';
import { losses, STEPS, spirals, stepsOf } from './whole-runs.ts';

const disagreements = ({ events }: FinishedRun): number[] =>
  events.flatMap((event) => (event.type === 'disagreement' ? [event.step] : []));

/** Whether the ranks held equal weights wherever they should have. */
function expectAgreement(run: FinishedRun): void {
  expect(run.last.failure).toBeNull();
  expect(run.last.status).toBe('finished');
  expect(disagreements(run)).toEqual([]);
  for (const { weightsHash, synchronised } of stepsOf(run.events)) {
    if (synchronised) expect(new Set(weightsHash).size).toBe(1);
  }
}

function expectClose(a: readonly number[], b: readonly number[], relative: number): void {
  expect(a).toHaveLength(b.length);
  a.forEach((value, i) => {
    expect(Math.abs(value - (b[i] ?? Number.NaN))).toBeLessThanOrEqual(relative * value);
  });
}

const ring = await runInProcess(spirals());

test.each(ALL_REDUCE_NAMES)(
  'DP-22 %s trains as the ring does, equal on all ranks',
  async (name) => {
    const communication = { collective: name };
    const run = await runInProcess(spirals({ communication }));
    expectAgreement(run);
    expectClose(losses(run), losses(ring), 1e-5);
    const total = stepsOf(run.events).map(({ bytesPerRank }) =>
      bytesPerRank.reduce((a, b) => a + b),
    );
    const bytes = stepsOf(ring.events).map(({ bytesPerRank }) =>
      bytesPerRank.reduce((a, b) => a + b),
    );
    // N - 1 sums and N - 1 copies of every element, whatever their way.
    expect(total).toEqual(bytes);
  },
);

test('DP-23 PyTorch DDP golden run with the fp16 hook: every loss within 5e-5', async () => {
  const { events, last } = await runInProcess(
    requireExperiment({
      data: { name: 'spirals', samples: 10_000 },
      model: { kind: 'mlp', hidden: [16], activation: 'tanh' },
      optimizer: { kind: 'sgd', momentum: golden.optimizer.momentum },
      learningRate: { base: golden.optimizer.lr },
      compression: { kind: 'cast', format: 'fp16' },
      duration: { unit: 'steps', count: golden.x.length },
      logEvery: 1,
      backend: 'fused',
      replicas: 4,
      batchPerRank: golden.x[0]?.[0]?.length,
    }),
    { given: { init: golden.init, x: golden.x, y: golden.y } },
  );
  expect(last.failure).toBeNull();
  const steps = stepsOf(events);
  expect(steps).toHaveLength(golden.x.length);
  for (const { step, lossPerRank } of steps) {
    lossPerRank.forEach((loss, rank) => {
      const expected = golden.lossesPerRank[rank]?.[step] ?? Number.NaN;
      expect(Math.abs((loss ?? Number.NaN) - expected)).toBeLessThan(5e-5);
    });
  }
});

const COMPRESSIONS: readonly Record<string, unknown>[] = [
  { kind: 'cast', format: 'fp16' },
  { kind: 'cast', format: 'bf16' },
  { kind: 'topK', ratio: 0.1 },
  { kind: 'topK', ratio: 0.1, scope: 'global', errorFeedback: false },
  { kind: 'randomK', ratio: 0.1 },
  { kind: 'dgc', ratio: 0.1, momentum: 0.5 },
  { kind: 'qsgd', bucketSize: 64 },
  { kind: 'qsgd', levels: 3, bucketSize: 64, coding: 'elias' },
  { kind: 'ternGrad' },
  { kind: 'signSgd' },
  { kind: 'efSignSgd' },
  { kind: 'oneBit' },
  { kind: 'powerSgd', rank: 2, startStep: 2, minCompressionRate: 1 },
];

test.each(COMPRESSIONS)(
  'DP-24 $kind $scope $coding $format trains in real runs',
  async (compression) => {
    const changes = {
      compression,
      learningRate: { base: compression.kind === 'signSgd' ? 0.01 : 0.1 },
      buckets: { firstMiB: 0.001 },
      duration: { unit: 'steps', count: 120 },
      evalEvery: 60,
    };
    const run = await runInProcess(spirals(changes));
    expectAgreement(run);
    const all = losses(run);
    const mean = (part: readonly number[]): number => part.reduce((a, b) => a + b) / part.length;
    expect(mean(all.slice(-20))).toBeLessThan(mean(all.slice(0, 20)));
    const again = await runInProcess(spirals(changes));
    expect(again.last.logHash).toBe(run.last.logHash);
  },
);

test.each(COMPRESSIONS)(
  'LG-7 $kind $scope $coding $format: a loss that is no number stops all ranks',
  async (compression) => {
    const x = structuredClone(golden.x);
    x[2]?.[1]?.[0]?.fill(3e38);
    const rows = [1, -1, 0, 0].map((weight) => Array.from({ length: 8 }, () => weight));
    const init = { 'fc1.weight': rows, 'fc1.bias': [0, 0, 0, 0] };
    const { events } = await runInProcess(
      spirals({ model: { kind: 'softmax' }, compression, learningRate: { base: 0.001 } }),
      { given: { init, x, y: golden.y } },
    );
    const found = events.find((event) => event.type === 'nonFinite');
    expect(found).toEqual({ type: 'nonFinite', step: 2, ranks: [1] });
  },
);

test('LG-4 a compressed step records gathered bytes and what is kept back', async () => {
  const run = await runInProcess(
    spirals({ compression: { kind: 'topK', ratio: 0.1 }, clipNorm: 1 }),
  );
  const parameters = run.events.find((event) => event.type === 'run')?.parameters ?? 0;
  const sent = 3 * (8 * Math.floor(0.1 * parameters) + 4);
  for (const event of stepsOf(run.events)) {
    expect(event.gatheredPerRank).toEqual([sent, sent, sent, sent]);
    expect(event.residualPerRank?.every((norm) => norm > 0)).toBe(true);
    expect(event.gradientNorm).toBeGreaterThan(0);
  }
  expect(stepsOf(ring.events)[0]).not.toHaveProperty('gatheredPerRank');
});

test('DP-25 k micro-batches give the update of the whole batch, with no_sync for its bytes', async () => {
  const accumulated = await runInProcess(spirals({ accumulation: { microBatches: 3 } }));
  expectAgreement(accumulated);
  expectClose(losses(accumulated), losses(ring), 1e-5);
  const [bytes] = stepsOf(ring.events).map(({ bytesPerRank }) => bytesPerRank);
  expect(stepsOf(accumulated.events)[0]?.bytesPerRank).toEqual(bytes);
  const chatty = await runInProcess(spirals({ accumulation: { microBatches: 4, noSync: false } }));
  expectAgreement(chatty);
  expectClose(losses(chatty), losses(ring), 1e-5);
  expect(stepsOf(chatty.events)[0]?.bytesPerRank).toEqual(bytes?.map((each) => 4 * each));
});

test('DP-25 CP-15 a compressor without no_sync remembers from part to part', async () => {
  const compression = { kind: 'topK', ratio: 1 };
  const accumulation = { microBatches: 4, noSync: false };
  const run = await runInProcess(spirals({ compression, accumulation }));
  expectAgreement(run);
  // All is sent, so nothing may come back from what was kept.
  expectClose(losses(run), losses(ring), 1e-5);
  const sparse = { kind: 'topK', ratio: 0.1 };
  const kept = await runInProcess(spirals({ compression: sparse, accumulation }));
  expectAgreement(kept);
  expect(losses(kept).at(-1)).toBeLessThan(losses(kept)[0] ?? 0);
});

test('OP-7 clipping bounds the step, and a bound that is never reached changes nothing', async () => {
  const loose = await runInProcess(spirals({ clipNorm: 1000 }));
  expect(losses(loose)).toEqual(losses(ring));
  const tight = await runInProcess(spirals({ clipNorm: 0.1 }));
  expectAgreement(tight);
  expect(losses(tight)).not.toEqual(losses(ring));
});

test.each(['lamb', 'lars'])('OP-9 OP-10 %s trains in real runs', async (kind) => {
  const run = await runInProcess(spirals({ optimizer: { kind } }));
  expectAgreement(run);
  expect(losses(run).every(Number.isFinite)).toBe(true);
});

test('OP-11 the rate drops at the milestones', async () => {
  const learningRate = { base: 0.1, decay: 'step', milestones: [5, 10], factor: 0.5 };
  const run = await runInProcess(spirals({ learningRate }));
  const rates = stepsOf(run.events).map((event) => event.learningRate);
  expect([rates[4], rates[5], rates[10]]).toEqual([0.1, 0.05, 0.025]);
});

test('SY-1 local SGD with period 1 and plain SGD is the all-reduce', async () => {
  const run = await runInProcess(spirals({ sync: { kind: 'localSgd', period: 1 } }));
  expectAgreement(run);
  expectClose(losses(run), losses(ring), 1e-5);
});

test.each([
  { kind: 'localSgd', period: 5 },
  { kind: 'postLocalSgd', period: 4, warmupSteps: 6 },
  { kind: 'diloco', period: 5, outerRate: 1, outerMomentum: 0 },
  { kind: 'diloco', period: 5 },
])(
  'SY-1 SY-2 SY-3 LG-6 $kind $outerRate agrees where it averages, and in between it need not',
  async (sync) => {
    const run = await runInProcess(spirals({ sync }));
    expectAgreement(run);
    const steps = stepsOf(run.events);
    const local = steps.filter((event) => !event.synchronised);
    expect(local.length).toBeGreaterThan(10);
    for (const { weightsHash, bytesPerRank } of local) {
      expect(new Set(weightsHash).size).toBe(4);
      expect(bytesPerRank).toEqual([0, 0, 0, 0]);
    }
    expect(steps.at(-1)?.synchronised).toBe(true);
  },
);

test('SY-3 DiLoCo with rate 1 and no momentum is local SGD', async () => {
  const local = await runInProcess(spirals({ sync: { kind: 'localSgd', period: 5 } }));
  const outer = { kind: 'diloco', period: 5, outerRate: 1, outerMomentum: 0 };
  const run = await runInProcess(spirals({ sync: outer }));
  expectClose(losses(run), losses(local), 1e-5);
});

test('LG-7 under local SGD a loss that is no number stops all ranks when they meet', async () => {
  const x = structuredClone(golden.x);
  x[2]?.[1]?.[0]?.fill(3e38);
  const rows = [1, -1, 0, 0].map((weight) => Array.from({ length: 8 }, () => weight));
  const init = { 'fc1.weight': rows, 'fc1.bias': [0, 0, 0, 0] };
  const { events } = await runInProcess(
    spirals({ model: { kind: 'softmax' }, sync: { kind: 'localSgd', period: 4 } }),
    { given: { init, x, y: golden.y } },
  );
  const found = events.find((event) => event.type === 'nonFinite');
  expect(found).toEqual({ type: 'nonFinite', step: 3, ranks: [1] });
});

test('MI-1 sum instead of mean acts as N times the learning rate', async () => {
  const learningRate = { base: 0.05 };
  const summed = await runInProcess(spirals({ learningRate, mistakes: { sumNotMean: true } }));
  const faster = await runInProcess(spirals({ learningRate: { base: 0.2 } }));
  expectAgreement(summed);
  expectClose(losses(summed), losses(faster), 1e-4);
});

test('MI-2 without error feedback nothing is kept back, and the loss stays higher', async () => {
  const changes = {
    compression: { kind: 'topK', ratio: 0.01 },
    learningRate: { base: 0.1 },
    duration: { unit: 'steps', count: 200 },
    evalEvery: 200,
  };
  const good = await runInProcess(spirals(changes));
  const bad = await runInProcess(spirals({ ...changes, mistakes: { noErrorFeedback: true } }));
  expect(stepsOf(bad.events).at(-1)?.residualPerRank).toEqual([0, 0, 0, 0]);
  const last = (run: FinishedRun): number =>
    losses(run)
      .slice(-50)
      .reduce((a, b) => a + b) / 50;
  expect(last(bad)).toBeGreaterThan(last(good));
});

test('MI-3 without set_epoch every epoch sees the batches of the first', async () => {
  // A rate too small to move float32 weights: the losses tell the batches apart.
  const frozen = {
    learningRate: { base: 1e-6 },
    duration: { unit: 'epochs', count: 2 },
    evalEvery: 100,
  };
  const good = losses(await runInProcess(spirals(frozen)));
  const bad = losses(await runInProcess(spirals({ ...frozen, mistakes: { noSetEpoch: true } })));
  const perEpoch = bad.length / 2;
  expectClose(bad.slice(perEpoch), bad.slice(0, perEpoch), 1e-4);
  expect(bad.slice(0, perEpoch)).toEqual(good.slice(0, perEpoch));
  const moved = good.slice(perEpoch).map((loss, i) => Math.abs(loss - (good[i] ?? 0)));
  expect(Math.max(...moved)).toBeGreaterThan(0.01);
});

test('MI-4 without the broadcast the ranks never agree', async () => {
  const run = await runInProcess(spirals({ mistakes: { noBroadcast: true } }));
  expect(disagreements(run)).toHaveLength(STEPS);
  for (const { weightsHash } of stepsOf(run.events)) expect(new Set(weightsHash).size).toBe(4);
});
