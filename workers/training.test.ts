/** @file Whole runs through the real conductor and replicas, in one thread, against references. */
import { expect, test } from 'vitest';
import type { Experiment } from '#experiment/experiment';
import { requireExperiment } from '#experiment/parse';
import golden from './golden/ddp_allreduce.json' with { type: 'json' };
import { runInProcess } from './run-in-process.ts';
import { stepsOf } from './whole-runs.ts';

const spirals = (changes: Record<string, unknown> = {}): Experiment =>
  requireExperiment({
    data: { name: 'spirals', samples: 200, noise: 0.1 },
    model: { kind: 'mlp', hidden: [8, 8], activation: 'tanh' },
    backend: 'fused',
    replicas: 2,
    batchPerRank: 8,
    duration: { unit: 'steps', count: 30 },
    evalEvery: 10,
    logEvery: 1,
    ...changes,
  });

test('DP-2 PyTorch DDP golden run: every loss and final weight within 1e-5', async () => {
  const { events, conductor, last } = await runInProcess(
    requireExperiment({
      data: { name: 'spirals', samples: 10_000 },
      model: { kind: 'mlp', hidden: [16], activation: 'tanh' },
      optimizer: { kind: 'sgd', momentum: 0.9 },
      learningRate: { base: 0.1 },
      duration: { unit: 'steps', count: 12 },
      logEvery: 1,
      backend: 'fused',
      replicas: 4,
      batchPerRank: 8,
    }),
    { given: { init: golden.init, x: golden.x, y: golden.y } },
  );
  expect(last.failure).toBeNull();
  const steps = stepsOf(events);
  expect(steps).toHaveLength(golden.x.length);
  for (const { step, lossPerRank } of steps) {
    lossPerRank.forEach((loss, rank) => {
      expect(
        Math.abs((loss ?? Number.NaN) - (golden.lossesPerRank[rank]?.[step] ?? Number.NaN)),
      ).toBeLessThan(1e-5);
    });
  }
  const weights = await conductor.weights();
  for (const [name, expected] of Object.entries(golden.final)) {
    const found = [weights[name]].flat(2) as number[];
    [expected].flat(2).forEach((value, i) => {
      expect(Math.abs((found[i] ?? Number.NaN) - (value as number))).toBeLessThan(1e-5);
    });
  }
});

test('LG-6 the ranks agree in every step, and the run says how it ended', async () => {
  const { events, last } = await runInProcess(spirals({ replicas: 3 }));
  expect(last.status).toBe('finished');
  for (const { weightsHash } of stepsOf(events)) {
    expect(new Set(weightsHash).size).toBe(1);
  }
  expect(events.at(-1)).toEqual({ type: 'end', step: 30, reason: 'finished' });
  expect(events.filter((event) => event.type === 'eval').map((event) => event.step)).toEqual([
    10, 20, 30,
  ]);
  expect(events.some((event) => event.type === 'disagreement')).toBe(false);
});

test('LG-8 the same experiment gives the same log, to the bit', async () => {
  const first = await runInProcess(spirals());
  const second = await runInProcess(spirals());
  expect(second.events).toEqual(first.events);
  expect(second.last.logHash).toBe(first.last.logHash);
});

test('RU-2 pausing, stepping and resuming leave no trace in the log', async () => {
  const long = spirals({ duration: { unit: 'steps', count: 6000 }, evalEvery: 3000, logEvery: 7 });
  const undisturbed = await runInProcess(long);
  let phase = 0;
  const disturbed = await runInProcess(long, {
    onBatch: (batch, conductor) => {
      if (phase === 0 && batch.completed >= 4) {
        phase = 1;
        void conductor.pause();
      } else if (phase < 4 && batch.status === 'paused') {
        phase += 1;
        if (phase < 4) void conductor.step();
        else void conductor.resume();
      }
    },
  });
  expect(phase).toBe(4);
  expect(disturbed.last.logHash).toBe(undisturbed.last.logHash);
});

test('DP-2 four ranks of 16 and one of 64 train alike over the same samples', async () => {
  const duration = { unit: 'steps', count: 50 };
  const data = { name: 'spirals', samples: 640, noise: 0.1 };
  const many = await runInProcess(spirals({ data, replicas: 4, batchPerRank: 16, duration }));
  const one = await runInProcess(spirals({ data, replicas: 1, batchPerRank: 64, duration }));
  const losses = stepsOf(one.events).map((event) => event.loss);
  stepsOf(many.events).forEach((event, step) => {
    const expected = losses[step] ?? Number.NaN;
    expect(Math.abs(event.loss - expected)).toBeLessThanOrEqual(1e-4 * expected);
  });
});

test('LG-7 a loss that is not finite stops the run, keeps its log, and names step and rank', async () => {
  const x = structuredClone(golden.x);
  const poisoned = x[2]?.[1]?.[0];
  if (poisoned !== undefined) poisoned.fill(3e38);
  // Eight inputs of 3e38 times 1 and -1: one logit is infinite, the other minus infinite.
  const rows = [1, -1, 0, 0].map((weight) => Array.from({ length: 8 }, () => weight));
  const overflowing = { 'fc1.weight': rows, 'fc1.bias': [0, 0, 0, 0] };
  const { events, last } = await runInProcess(
    spirals({ model: { kind: 'softmax' }, replicas: 4, duration: { unit: 'steps', count: 12 } }),
    { given: { init: overflowing, x, y: golden.y } },
  );
  expect(events.find((event) => event.type === 'nonFinite')).toEqual({
    type: 'nonFinite',
    step: 2,
    ranks: [1],
  });
  expect(stepsOf(events)).toHaveLength(2);
  expect(events.at(-1)).toEqual({ type: 'end', step: 2, reason: 'nonFinite' });
  expect(last.failure?.message).toBe('failure.nonFinite');
});

test('RU-3 Stop ends a run in the middle and leaves the log', async () => {
  const started = performance.now();
  const { events, last } = await runInProcess(
    spirals({ duration: { unit: 'steps', count: 1_000_000 } }),
    {
      onBatch: (batch, conductor) => {
        if (batch.completed > 20) void conductor.stop();
      },
    },
  );
  expect(last.status).toBe('stopped');
  expect(events.at(-1)).toMatchObject({ type: 'end', reason: 'stopped' });
  expect(performance.now() - started).toBeLessThan(10_000);
});

test('RU-7 of starts in quick succession the last one counts, and it runs undisturbed', async () => {
  const undisturbed = await runInProcess(spirals({ seed: 3 }));
  let restarted = false;
  const { last, events } = await runInProcess(
    spirals({ duration: { unit: 'steps', count: 50_000 } }),
    {
      onBatch: (batch, conductor) => {
        if (restarted || batch.completed < 4) return;
        restarted = true;
        for (const seed of [1, 2, 3]) {
          void conductor.start(spirals({ seed }), {
            paused: false,
            dataUrl: 'http://lab/',
            given: null,
          });
        }
      },
      until: (batch) => batch.status === 'finished',
    },
  );
  expect(last.run).toBe(2);
  expect(last.logHash).toBe(undisturbed.last.logHash);
  expect(events.filter((event) => event.type === 'run')).toHaveLength(2);
});
