/** @file Emulated precision and loss scaling through whole runs, in one thread. */
import { expect, test } from 'vitest';
import type { Experiment } from '#experiment/experiment';
import { requireExperiment } from '#experiment/parse';
import { presetExperiment } from '#experiment/presets';
import type { LogEvent } from '#run/log';
import { runInProcess } from './run-in-process.ts';
import { stepsOf } from './whole-runs.ts';

function moons(changes: Record<string, unknown>): Experiment {
  return requireExperiment({
    data: { name: 'moons', samples: 200 },
    backend: 'fused',
    replicas: 2,
    duration: { unit: 'steps', count: 60 },
    evalEvery: 60,
    logEvery: 1,
    ...changes,
  });
}

test('PR-13 a run in fp32 without scaling says nothing of precision', async () => {
  const { events } = await runInProcess(moons({}));
  expect(stepsOf(events).some((event) => 'precision' in event)).toBe(false);
});

test('PR-14 an overflow skips the step on all ranks, halves the scale, and the run goes on', async () => {
  const { events, last } = await runInProcess(
    moons({
      precision: { format: 'fp16' },
      lossScaling: { kind: 'dynamic', scale: 2 ** 20, growthInterval: 20 },
    }),
  );
  expect(last.status).toBe('finished');
  const steps = stepsOf(events);
  const scales = steps.map((event) => event.precision?.lossScale ?? 0);
  expect(scales[0]).toBe(2 ** 20);
  let before = '';
  steps.forEach((event, i) => {
    const [hash = ''] = event.weightsHash;
    expect(event.weightsHash.every((other) => other === hash)).toBe(true);
    const skipped = event.precision?.skipped === 1;
    const lost = event.precision?.gradients;
    expect(skipped).toBe((lost?.overflowed ?? 0) + (lost?.nonFinite ?? 0) > 0);
    if (skipped && i > 0) expect(hash).toBe(before);
    if (skipped && i + 1 < scales.length) expect(scales[i + 1]).toBe((scales[i] ?? 0) / 2);
    before = hash;
  });
  expect(steps[0]?.precision?.skipped).toBe(1);
  expect(scales.some((scale, i) => scale === 2 * (scales[i - 1] ?? 0))).toBe(true);
});

test('LG-7 without scaling a gradient beyond fp16 ends the run and names its ranks', async () => {
  // One hidden neuron of 100 * 0.01 = 1, logits (1000, 0): wrong on rank 0, whose dW1 is
  // 100 * 1000 = 100,000 and beyond 65504; right on rank 1, whose gradient is 0.
  const { events, last } = await runInProcess(
    moons({
      model: { kind: 'mlp', hidden: [1], activation: 'relu' },
      precision: { format: 'fp16' },
      lossScaling: { kind: 'none' },
    }),
    {
      given: {
        init: {
          'fc1.weight': [[0.01]],
          'fc1.bias': [0],
          'fc2.weight': [[1000], [0]],
          'fc2.bias': [0, 0],
        },
        x: [[[[100]], [[100]]]],
        y: [[[1], [0]]],
      },
    },
  );
  expect(events.find((event) => event.type === 'nonFinite')).toMatchObject({ step: 0, ranks: [0] });
  expect(last.failure?.message).toBe('failure.nonFinite');
});

test('PR-15 weights without an fp32 master lose small updates', async () => {
  const small = {
    optimizer: { kind: 'sgd', momentum: 0 },
    learningRate: { base: 1e-5, decay: 'none' },
  };
  const bare = { format: 'bf16', masterWeights: false };
  const kept = await runInProcess(moons({ ...small, precision: { format: 'bf16' } }));
  const lost = await runInProcess(moons({ ...small, precision: bare }));
  const hashes = (events: readonly LogEvent[]) =>
    new Set(stepsOf(events).map((event) => event.weightsHash[0])).size;
  expect(hashes(kept.events)).toBe(60);
  expect(hashes(lost.events)).toBeLessThan(10);
});

test('PR-16 bf16 trains without scaling', async () => {
  const { events } = await runInProcess(
    moons({ precision: { format: 'bf16' }, duration: { unit: 'steps', count: 300 } }),
  );
  const losses = stepsOf(events).map((event) => event.loss);
  const mean = (part: number[]) => part.reduce((sum, loss) => sum + loss, 0) / part.length;
  expect(mean(losses.slice(-20))).toBeLessThan(0.5 * mean(losses.slice(0, 20)));
});

test('PR-17 fp16 without loss scaling falls by less than a tenth of what the scaled run falls', async () => {
  const preset = { ...presetExperiment('fp16-unscaled'), backend: 'fused', replicas: 2 } as const;
  const short = { ...preset, batchPerRank: 64, evalEvery: 200, logEvery: 1 };
  const scaling = { kind: 'dynamic', scale: 65_536, growthInterval: 2000 } as const;
  const unscaled = fall(await runInProcess(short));
  const scaled = fall(await runInProcess({ ...short, lossScaling: scaling }));
  expect(scaled).toBeGreaterThan(0.3);
  expect(unscaled).toBeLessThan(0.1 * scaled);
}, 120_000);

/** How far the mean loss of the last ten steps lies below that of the first. */
function fall({ events }: { readonly events: readonly LogEvent[] }): number {
  const losses = stepsOf(events).map((event) => event.loss);
  const last = losses.slice(-10).reduce((sum, loss) => sum + loss, 0) / 10;
  return (losses[0] ?? Number.NaN) - last;
}
