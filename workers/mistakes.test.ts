/** @file The classic mistakes of augmentation, batches, precision and wrappers, in whole runs. */
import { expect, test } from 'vitest';
import type { Experiment } from '#experiment/experiment';
import { presetExperiment } from '#experiment/presets';
import { type FinishedRun, runInProcess } from './run-in-process.ts';
import { losses, STEPS, spirals, stepsOf } from './whole-runs.ts';

const rarely = (changes: Record<string, unknown> = {}): Experiment =>
  spirals({ evalEvery: 1000, ...changes });

// 200 points on 4 ranks are 50 each: batches of 8, seven steps an epoch.
const EPOCH = 7;
const unequal = (changes: Record<string, unknown> = {}): Experiment =>
  rarely({ mistakes: { unequalBatches: true }, ...changes });

test('MI-6 a rank with one batch less leaves, the others hang, and the log names them', async () => {
  const run = await runInProcess(unequal());
  expect(run.last.status).toBe('failed');
  expect(run.last.failure).toEqual({
    message: 'failure.hang',
    parameters: { step: EPOCH - 1, rank: 3, waiting: '0, 1, 2', count: 3 },
    detail: '',
  });
  expect(stepsOf(run.events)).toHaveLength(EPOCH - 1);
  expect(run.events.slice(-2)).toEqual([
    { type: 'hang', step: EPOCH - 1, rank: 3, waiting: [0, 1, 2] },
    { type: 'end', step: EPOCH - 1, reason: 'hang' },
  ]);
  const again = await runInProcess(unequal());
  expect(again.last.logHash).toBe(run.last.logHash);
  const good = await runInProcess(rarely());
  expect(losses(run)).toEqual(losses(good).slice(0, EPOCH - 1));
  // The ranks were woken: the model can still be looked at.
  expect(Object.keys(await run.conductor.weights())).toContain('fc1.weight');
}, 20_000);

test('MI-6 Stop ends the wait within half a second', async () => {
  let askedMs = 0;
  const run = await runInProcess(unequal(), {
    onBatch: ({ completed, activity }, conductor) => {
      const waits = activity.slice(0, 3).every((each) => each === 'communicating');
      if (askedMs > 0 || completed < EPOCH - 1 || !waits) return;
      askedMs = performance.now();
      void conductor.stop();
    },
  });
  expect(run.last.status).toBe('stopped');
  expect(askedMs).toBeGreaterThan(0);
  expect(performance.now() - askedMs).toBeLessThan(500);
  expect(run.events.some(({ type }) => type === 'hang')).toBe(false);
});

const NONE = { total: Number.NaN, zero: 0, underflowed: 0 };
const MIXED = { format: 'fp16' };
const SCALED = { kind: 'fixed', scale: 1024 };

test('MI-7 without loss scaling a deep fp16 network loses most of its gradient', async () => {
  const preset = { ...presetExperiment('fp16-unscaled'), backend: 'fused', replicas: 2 } as const;
  const duration = { unit: 'steps', count: 20 } as const;
  const short = { ...preset, batchPerRank: 64, evalEvery: 1000, logEvery: 1, duration };
  const lossScaling = { kind: 'dynamic', scale: 65_536, growthInterval: 2000 } as const;
  const good = await runInProcess({ ...short, lossScaling });
  const mistakes = { ...preset.mistakes, noLossScaling: true };
  const bad = await runInProcess({ ...short, lossScaling, mistakes });
  // PR-17: without scaling this preset learns nothing.
  expect(losses(bad)).toEqual(losses(await runInProcess(short)));
  expect(stepsOf(bad.events).every(({ precision }) => precision?.lossScale === 1)).toBe(true);
  const left = (run: FinishedRun): number => {
    const { total, zero, underflowed } = stepsOf(run.events).at(-1)?.precision?.gradients ?? NONE;
    return (total - zero - underflowed) / total;
  };
  expect(left(bad)).toBeLessThan(0.5 * left(good));
}, 120_000);

test('MI-8 clipped before unscaling, the norm is the scale too large and nothing is learned', async () => {
  const moons = {
    data: { name: 'moons', samples: 200 },
    precision: MIXED,
    lossScaling: SCALED,
    clipNorm: 0.5,
    learningRate: { base: 0.5 },
    duration: { unit: 'steps', count: 100 },
    evalEvery: 100,
  };
  const good = await runInProcess(rarely(moons));
  const bad = await runInProcess(rarely({ ...moons, mistakes: { clipBeforeUnscale: true } }));
  const norm = (run: FinishedRun): number => stepsOf(run.events)[0]?.gradientNorm ?? 0;
  expect(norm(bad) / norm(good)).toBeCloseTo(1024, 2);
  const lossAfter = ({ events }: FinishedRun): number =>
    events.find((event) => event.type === 'eval')?.trainLoss ?? Number.NaN;
  expect(lossAfter(good)).toBeLessThan(0.4);
  expect(lossAfter(bad)).toBeGreaterThan(0.6);
});

test('MI-9 REFERENCE D: a thousand updates of 1e-4 leave an fp16 weight of 1 at 1, an fp32 one at 1.1000166', async () => {
  // Class 1 wins by 63 logits and is wrong, so the first weight's gradient is -1 in every step.
  const given = {
    init: { 'fc1.weight': [[1], [64]], 'fc1.bias': [0, 0] },
    x: Array.from({ length: 1000 }, () => [[[1]], [[1]]]),
    y: Array.from({ length: 1000 }, () => [[0], [0]]),
  };
  const run = (mistakes: Record<string, unknown>) =>
    runInProcess(
      rarely({
        model: { kind: 'softmax' },
        precision: MIXED,
        lossScaling: SCALED,
        learningRate: { base: 1e-4, decay: 'none' },
        duration: { unit: 'steps', count: 1000 },
        mistakes,
      }),
      { given },
    );
  const weightAfter = async (mistakes: Record<string, unknown>): Promise<unknown> => {
    const { conductor, last } = await run(mistakes);
    expect(last.failure).toBeNull();
    return (await conductor.weights())['fc1.weight'];
  };
  expect(await weightAfter({ pureLowWeights: true })).toMatchObject([[1], [64]]);
  const kept = (await weightAfter({})) as number[][];
  expect(kept[0]?.[0]?.toFixed(7)).toBe('1.1000166');
}, 60_000);

test('MI-10 around the wrapper each rank trains alone from mid-run on, and the log says they differ', async () => {
  const mistakes = { unsyncedModule: true };
  const run = await runInProcess(rarely({ mistakes }));
  const half = STEPS / 2;
  expect(run.last.status).toBe('finished');
  const apart = run.events.flatMap((event) => (event.type === 'disagreement' ? [event.step] : []));
  expect(apart).toEqual(Array.from({ length: half }, (_, i) => half + i));
  for (const { step, bytesPerRank, weightsHash, synchronised } of stepsOf(run.events)) {
    expect(synchronised).toBe(true);
    expect(new Set(weightsHash).size).toBe(step < half ? 1 : 4);
    expect(bytesPerRank.every((bytes) => bytes === 0)).toBe(step >= half);
  }
});

test('MI-10 a rank’s losses are then those of a lone replica on its batches', async () => {
  // Steps 0 ... 11 on two ranks; rank 0 then sees what a single replica sees in steps 6 ... 11.
  const value = (i: number): number => Math.sin(12.9898 * i + 1);
  const x = Array.from({ length: 12 }, (_, step) =>
    [0, 1].map((rank) =>
      [0, 1, 2].map((sample) => {
        const at = 6 * step + 3 * rank + sample;
        return [value(2 * at), value(2 * at + 1)];
      }),
    ),
  );
  const y = x.map((ranks) =>
    ranks.map((rank) => rank.map(([a = 0, b = 0]) => (a * b > 0 ? 1 : 0))),
  );
  const init = null;
  const of = (count: number) => ({ replicas: 2, duration: { unit: 'steps', count } });
  const bare = await runInProcess(rarely({ ...of(12), mistakes: { unsyncedModule: true } }), {
    given: { init, x, y },
  });
  const firstHalf = await runInProcess(rarely(of(6)), { given: { init, x, y } });
  const alone = await runInProcess(rarely({ ...of(6), replicas: 1 }), {
    given: {
      init: await firstHalf.conductor.weights(),
      x: x.slice(6).map(([first]) => [first]),
      y: y.slice(6).map(([first]) => [first]),
    },
  });
  const own = stepsOf(bare.events).map(({ lossPerRank }) => lossPerRank[0]);
  expect(own.slice(6)).toEqual(losses(alone));
  expect(own.slice(0, 6)).toEqual(
    stepsOf(firstHalf.events).map(({ lossPerRank }) => lossPerRank[0]),
  );
});

test.each([
  { mistakes: { equalAugmentation: true } },
  { mistakes: { unequalBatches: true }, duration: { unit: 'steps', count: 6 } },
  { mistakes: { unequalBatches: true }, replicas: 1 },
  { mistakes: { unsyncedModule: true }, replicas: 1 },
  { mistakes: { unsyncedModule: true }, sync: { kind: 'localSgd' } },
  { mistakes: { unsyncedModule: true, unequalBatches: true } },
  { mistakes: { noLossScaling: true } },
  { mistakes: { noLossScaling: true }, precision: { format: 'bf16' }, lossScaling: SCALED },
  { mistakes: { noLossScaling: true }, precision: MIXED, lossScaling: { kind: 'none' } },
  { mistakes: { clipBeforeUnscale: true }, precision: MIXED },
  { mistakes: { clipBeforeUnscale: true }, clipNorm: 1 },
  { mistakes: { pureLowWeights: true } },
  { mistakes: { pureLowWeights: true }, precision: { format: 'fp16', masterWeights: false } },
])('EX-5 MI %o is refused where the mistake could do nothing', (changes) => {
  expect(() => rarely(changes)).toThrow(/mistakes\./);
});
