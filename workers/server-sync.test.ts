/** @file Whole runs in which ranks are not waited for, or get batches by their speeds; in one thread. */
import { expect, test } from 'vitest';
import type { Experiment } from '#experiment/experiment';
import type { StepEvent } from '#run/log';
import golden from './golden/ddp_fp16.json' with { type: 'json' };
import { type FinishedRun, type RunOptions, runInProcess } from './run-in-process.ts';
import { losses, spirals, stepsOf } from './whole-runs.ts';

async function finished(experiment: Experiment, options?: RunOptions): Promise<FinishedRun> {
  const run = await runInProcess(experiment, options);
  expect(run.last.failure).toBeNull();
  expect(run.last.status).toBe('finished');
  expect(run.events.filter(({ type }) => type === 'disagreement')).toEqual([]);
  return run;
}

function expectClose(a: readonly number[], b: readonly number[], relative: number): void {
  expect(a).toHaveLength(b.length);
  a.forEach((value, i) => {
    expect(Math.abs(value - (b[i] ?? Number.NaN))).toBeLessThanOrEqual(relative * value);
  });
}

const VECTOR = 4 * (2 * 8 + 8 + 8 * 8 + 8 + 8 * 2 + 2);
const ring = await finished(spirals());

test('SY-16 async: who pushes, how old the gradient is, and the bytes each rank sends', async () => {
  // Rank 0 needs 1, rank 1 needs 2: at times 1, 2, 2, 3, 4, 4, ...; of equal times rank 0 goes first.
  const sync = { kind: 'async', slowdowns: [1, 2], jitter: 0 };
  const run = await finished(spirals({ sync, replicas: 2, evalEvery: 6 }));
  const steps = stepsOf(run.events);
  const pushes = steps.map(({ pushes: of }) => of?.map(({ rank, staleness }) => [rank, staleness]));
  expect(pushes.slice(0, 6)).toEqual([[[0, 0]], [[0, 0]], [[1, 2]], [[0, 1]], [[0, 0]], [[1, 2]]]);
  const [first, , third, , , sixth] = steps;
  expect(first?.lossPerRank[1]).toBeNull();
  expect(first?.loss).toBe(first?.lossPerRank[0]);
  expect(first?.bytesPerRank).toEqual([0, 0]);
  // The gradient to rank 0, the weights back.
  expect(third?.lossPerRank[0]).toBeNull();
  expect(third?.loss).toBe(third?.lossPerRank[1]);
  expect(third?.bytesPerRank).toEqual([VECTOR, VECTOR]);
  expect(steps.slice(0, 6).map(({ samples }) => samples)).toEqual([8, 16, 24, 32, 40, 48]);
  // Before the evaluation all ranks take the weights, which are compared there.
  expect(sixth?.synchronised).toBe(true);
  expect(new Set(sixth?.weightsHash).size).toBe(1);
  expect(sixth?.bytesPerRank).toEqual([2 * VECTOR, VECTOR]);
  expect(third?.synchronised).toBe(false);
  expect(new Set(third?.weightsHash).size).toBe(1);
  expect(new Set(steps[3]?.weightsHash).size).toBe(2);
  expect(run.events.filter(({ type }) => type === 'eval')).toHaveLength(4);
});

test.each([
  { kind: 'async' },
  { kind: 'async', splits: 2, slowdowns: [1, 1, 2, 5] },
  { kind: 'async', stalenessAware: true, slowdowns: [1, 1, 1, 4], jitter: 0.5 },
  { kind: 'ssp', bound: 0 },
  { kind: 'ssp', bound: 2, slowdowns: [1, 1, 1, 9] },
  { kind: 'backup', backups: 1 },
  { kind: 'backup', backups: 3, slowdowns: [4, 1, 1, 1] },
  { kind: 'allReduce', balance: 'speeds', slowdowns: [1, 2, 4, 4] },
])('SY-16 SY-17 SY-20 $kind $splits $bound $backups learns, again to the bit', async (sync) => {
  const long = { sync, duration: { unit: 'steps', count: 240 }, evalEvery: 100 };
  const run = await finished(spirals(long));
  const all = losses(run);
  const mean = (part: readonly number[]): number => part.reduce((a, b) => a + b) / part.length;
  expect(mean(all.slice(-40))).toBeLessThan(mean(all.slice(0, 40)));
  const steps = stepsOf(run.events);
  expect(steps.at(-1)?.synchronised).toBe(true);
  expect(new Set(steps.at(-1)?.weightsHash).size).toBe(1);
  const again = await finished(spirals(long));
  expect(again.last.logHash).toBe(run.last.logHash);
});

test.each([
  { clipNorm: 0.1 },
  { accumulation: { microBatches: 3 } },
  { precision: { format: 'bf16', masterWeights: false } },
  { precision: { format: 'fp16' }, lossScaling: { kind: 'fixed', scale: 1024 } },
  { optimizer: { kind: 'adam' }, mistakes: { noSetEpoch: true } },
  { backend: 'cpu', optimizer: { kind: 'sgd', momentum: 0.9 } },
])('SY-16 an asynchronous run does as %j says, again to the bit', async (changes) => {
  const sync = { kind: 'async', splits: 2, slowdowns: [1, 2] };
  const run = await finished(spirals({ sync, ...changes }));
  expect(losses(run).every(Number.isFinite)).toBe(true);
  const again = await finished(spirals({ sync, ...changes }));
  expect(again.last.logHash).toBe(run.last.logHash);
  const plain = await finished(spirals({ sync }));
  expect(losses(run)).not.toEqual(losses(plain));
  for (const { precision, gradientNorm } of stepsOf(run.events)) {
    expect(gradientNorm === undefined).toBe(changes.clipNorm === undefined);
    if (precision !== undefined) expect(precision.gradients?.total).toBeGreaterThan(0);
  }
});

test('SY-16 MI-8 a server that clips before it unscales sees the norm times the scale', async () => {
  const scaled = {
    sync: { kind: 'async' },
    clipNorm: 0.5,
    precision: { format: 'fp16' },
    lossScaling: { kind: 'fixed', scale: 1024 },
  };
  const good = await finished(spirals(scaled));
  const bad = await finished(spirals({ ...scaled, mistakes: { clipBeforeUnscale: true } }));
  const [first, second] = [good, bad].map(({ events }) => stepsOf(events)[0]?.gradientNorm ?? 0);
  expect((second ?? 0) / (first ?? 0)).toBeCloseTo(1024, 2);
});

test('SY-20 PR-14 with backup workers an overflow is skipped by all, the late ones too', async () => {
  const run = await finished(
    spirals({
      sync: { kind: 'backup', backups: 1 },
      precision: { format: 'fp16' },
      lossScaling: { kind: 'dynamic', scale: 2 ** 24 },
    }),
  );
  const skipped = stepsOf(run.events).map(({ precision }) => precision?.skipped ?? 0);
  expect(skipped[0]).toBe(1);
  expect(skipped).toContain(0);
  for (const { weightsHash } of stepsOf(run.events)) expect(new Set(weightsHash).size).toBe(1);
});

test('SY-17 SSP with bound 0 and one split is the all-reduce', async () => {
  const run = await finished(spirals({ sync: { kind: 'ssp', bound: 0, splits: 1 } }));
  expectClose(losses(run), losses(ring), 1e-5);
  for (const { pushes, lossPerRank } of stepsOf(run.events)) {
    expect(pushes?.map(({ staleness }) => staleness)).toEqual([0, 0, 0, 0]);
    expect(pushes?.map(({ rank }) => rank).toSorted()).toEqual([0, 1, 2, 3]);
    expect(lossPerRank).not.toContain(null);
  }
});

test('SY-17 SSP holds fast ranks back: no gradient is older than the bound allows', async () => {
  const sync = { kind: 'ssp', bound: 1, slowdowns: [1, 1, 1, 9], jitter: 0 };
  const long = { duration: { unit: 'steps', count: 80 } };
  const bounded = stepsOf((await finished(spirals({ sync, ...long }))).events);
  const free = stepsOf(
    (await finished(spirals({ sync: { ...sync, kind: 'async', bound: undefined }, ...long })))
      .events,
  );
  const oldest = (steps: readonly StepEvent[]): number =>
    Math.max(...steps.flatMap(({ pushes }) => pushes?.map(({ staleness }) => staleness) ?? []));
  // Each of three fast ranks makes bound + 1 gradients while the slow one makes one, then waits.
  expect(oldest(bounded)).toBe(6);
  expect(oldest(free)).toBeGreaterThan(20);
});

test('SY-18 staleness-aware: the rate of a gradient is the schedule’s over its staleness', async () => {
  const sync = { kind: 'async', stalenessAware: true, jitter: 0 };
  const run = await finished(spirals({ sync, learningRate: { base: 0.3 } }));
  const steps = stepsOf(run.events);
  expect(steps.slice(0, 5).map(({ learningRate }) => learningRate)).toEqual([
    0.3,
    0.3,
    0.15,
    0.3 / 3,
    0.3 / 3,
  ]);
  expect(steps[4]?.pushes).toEqual([{ rank: 0, staleness: 3, learningRate: 0.3 / 3 }]);
});

test('SY-18 n-softsync: each gradient of an update has the rate of its own staleness', async () => {
  // Times 1 (ranks 0, 1), 2 (0, 1, 2), ...: the third update holds staleness 2 and 1.
  const sync = { kind: 'async', stalenessAware: true, splits: 2, jitter: 0 };
  const run = await finished(spirals({ sync, learningRate: { base: 0.3 } }));
  const third = stepsOf(run.events)[2];
  expect(third?.pushes).toEqual([
    { rank: 0, staleness: 2, learningRate: 0.15 },
    { rank: 1, staleness: 1, learningRate: 0.3 },
  ]);
  expect(third?.learningRate).toBeCloseTo(0.225, 12);
});

test('SY-16 in epochs an asynchronous run goes through as many samples', async () => {
  const duration = { unit: 'epochs', count: 2 };
  const plain = await finished(spirals({ duration }));
  const run = await finished(spirals({ duration, sync: { kind: 'async', jitter: 0 } }));
  const [wanted, found] = [plain, run].map(({ events }) => stepsOf(events).at(-1));
  expect(found?.samples).toBe(wanted?.samples);
  expect(stepsOf(run.events)).toHaveLength(4 * stepsOf(plain.events).length);
  expect(found?.epoch).toBe(1);
});

test('SY-16 fewer records, the same run', async () => {
  const sync = { kind: 'async', splits: 3 };
  const all = await finished(spirals({ sync }));
  const some = await finished(spirals({ sync, logEvery: 5 }));
  const steps = stepsOf(some.events);
  expect(steps.map(({ step }) => step)).toEqual([4, 9, 14, 19, 23]);
  for (const event of steps) expect(event).toEqual(stepsOf(all.events)[event.step]);
});

test('SY-16 RU-2 pausing and stepping change nothing of an asynchronous run', async () => {
  const long = spirals({
    sync: { kind: 'async', slowdowns: [1, 2, 3] },
    duration: { unit: 'steps', count: 2000 },
    evalEvery: 1000,
    logEvery: 7,
  });
  const undisturbed = await finished(long);
  let phase = 0;
  const disturbed = await finished(long, {
    onBatch: (batch, conductor) => {
      if (phase === 0 && batch.completed >= 4) {
        phase = 1;
        void conductor.pause();
      } else if (phase > 0 && phase < 4 && batch.status === 'paused') {
        phase += 1;
        if (phase < 4) void conductor.step();
        else void conductor.resume();
      }
    },
  });
  expect(phase).toBe(4);
  expect(disturbed.last.logHash).toBe(undisturbed.last.logHash);
});

test('SY-16 RU-3 stop ends an asynchronous run', async () => {
  const long = { duration: { unit: 'steps', count: 100_000 }, evalEvery: 1000 };
  const run = await runInProcess(spirals({ sync: { kind: 'async' }, ...long }), {
    onBatch: ({ completed }, conductor) => {
      if (completed > 20) void conductor.stop();
    },
  });
  expect(run.last.status).toBe('stopped');
});

test('SY-19 a loss that is no number stops all ranks where they agree next, and names its own', async () => {
  const x = structuredClone(golden.x);
  x[2]?.[1]?.[0]?.fill(3e38);
  const rows = [1, -1, 0, 0].map((weight) => Array.from({ length: 8 }, () => weight));
  const init = { 'fc1.weight': rows, 'fc1.bias': [0, 0, 0, 0] };
  const { events } = await runInProcess(
    spirals({ model: { kind: 'softmax' }, sync: { kind: 'async', jitter: 0 } }),
    { given: { init, x, y: golden.y } },
  );
  // Rank 1's third gradient makes update 9. Given batches are not evaluated, so the end comes next.
  const steps = stepsOf(events);
  expect(steps).toHaveLength(11);
  expect(Number.isFinite(steps[8]?.loss)).toBe(true);
  expect(Number.isFinite(steps[9]?.lossPerRank[1])).toBe(false);
  // Rank 2 had taken its weights before.
  expect(Number.isFinite(steps[10]?.lossPerRank[2])).toBe(true);
  expect(events.find((event) => event.type === 'nonFinite')).toEqual({
    type: 'nonFinite',
    step: 11,
    ranks: [1],
  });
});

test('SY-20 backup workers: late ranks count for nothing, the others for 1 / (N - b)', async () => {
  const sync = { kind: 'backup', backups: 2, slowdowns: [3, 1, 5, 1], jitter: 0 };
  const run = await finished(spirals({ sync }));
  for (const event of stepsOf(run.events)) {
    expect(event).toMatchObject({ kept: [1, 3], dropped: [0, 2] });
    // Half of what all four would have used, the padded epochs' smaller last batches included.
    expect(event.samples).toBe((stepsOf(ring.events)[event.step]?.samples ?? 0) / 2);
    const [, second = null, , fourth = null] = event.lossPerRank;
    expect(event.lossPerRank).toEqual([null, second, null, fourth]);
    expect(event.loss).toBeCloseTo(((second ?? 0) + (fourth ?? 0)) / 2, 12);
    expect(new Set(event.weightsHash).size).toBe(1);
    expect(event.synchronised).toBe(true);
  }
});

test('SY-20 with as many samples on the ranks that count, the run is that of these alone', async () => {
  const given = {
    init: golden.init,
    x: golden.x.map((ranks) => [ranks[0], ranks[1], ranks[2], ranks[3]]),
    y: golden.y.map((ranks) => [ranks[0], ranks[1], ranks[2], ranks[3]]),
  };
  const two = {
    init: golden.init,
    x: golden.x.map((ranks) => [ranks[1], ranks[2]]),
    y: golden.y.map((ranks) => [ranks[1], ranks[2]]),
  };
  const base = { model: { kind: 'mlp', hidden: [16], activation: 'tanh' } };
  const sync = { kind: 'backup', backups: 2, slowdowns: [2, 1, 1, 2], jitter: 0 };
  const backed = await finished(spirals({ ...base, sync }), { given });
  const alone = await finished(spirals({ ...base, replicas: 2 }), { given: two });
  expectClose(losses(backed), losses(alone), 1e-5);
});

test('SY-21 balanced batches: the mean gradient of the same samples, to 1e-6', async () => {
  const sync = { kind: 'allReduce', balance: 'speeds', slowdowns: [1, 2, 4, 4] };
  const run = await finished(spirals({ sync, batchPerRank: 16 }));
  const equal = await finished(spirals({ batchPerRank: 16 }));
  const shares = stepsOf(run.events).map(({ sharePerRank }) => sharePerRank);
  // Speeds 4, 2, 1, 1: of 64 samples 32, 16, 8, 8.
  expect(shares[0]).toEqual([1 / 2, 1 / 4, 1 / 8, 1 / 8]);
  const firsts = [run, equal].map((each) => losses(each)[0] ?? 0);
  expect(Math.abs((firsts[0] ?? 0) - (firsts[1] ?? 1))).toBeLessThan(1e-6);
  expectClose(losses(run), losses(equal), 1e-5);
  const samples = [run, equal].map(({ events }) => stepsOf(events).map((step) => step.samples));
  expect(samples[0]).toEqual(samples[1]);
});

test('SY-21 balanced gradients are weighted before they are compressed', async () => {
  const sync = { kind: 'allReduce', balance: 'speeds', slowdowns: [1, 2, 4, 4] };
  const compression = { kind: 'topK', ratio: 1 };
  const run = await finished(spirals({ sync, compression }));
  expectClose(losses(run), losses(await finished(spirals())), 1e-5);
});

test('SY-16 one replica under its own server trains as one alone', async () => {
  const alone = await finished(spirals({ replicas: 1 }));
  const run = await finished(spirals({ replicas: 1, sync: { kind: 'async' } }));
  expect(losses(run)).toEqual(losses(alone));
  expect(stepsOf(run.events).every(({ bytesPerRank }) => bytesPerRank[0] === 0)).toBe(true);
});
