import { expect, test } from 'vitest';
import { sampleCounts } from './counts.ts';
import type { Experiment } from './experiment.ts';
import { requireExperiment } from './parse.ts';
import { resolvePlan, taskShapeOf } from './plan.ts';
import { PRESET_IDS, presetExperiment } from './presets.ts';

const experimentOf = (input: unknown): Experiment => {
  return requireExperiment(input);
};

test('EX-11 steps of an epoch are ceil(ceil(n / W) / batch)', () => {
  const task = taskShapeOf({ name: 'mnist', size: 'small', augment: 'none' }, 0);
  const plan = resolvePlan(experimentOf({}), { trainCount: 12_000, testCount: 2_000, task });
  expect(plan).toMatchObject({ worldSize: 4, stepsPerEpoch: 94, totalSteps: 470 });
  expect(plan.buckets).toEqual({ rule: 'ddp', firstBytes: 1_048_576, capBytes: 26_214_400 });
  expect(plan.model.parameterCount).toBe(784 * 128 + 128 + 128 * 10 + 10);
});

test('EX-11 a length in steps is taken as it is, and given data decide the task', () => {
  const input = {
    duration: { unit: 'steps', count: 12 },
    model: { hidden: [16] },
    batchPerRank: 8,
  };
  const task = { kind: 'points', features: 8, classes: 4 } as const;
  const plan = resolvePlan(experimentOf(input), { trainCount: 384, testCount: 0, task });
  expect(plan).toMatchObject({ stepsPerEpoch: 12, totalSteps: 12, testCount: 0 });
  expect(plan.model.parameterCount).toBe(8 * 16 + 16 + 16 * 4 + 4);
});

test('OP-12 OP-13 the rate is scaled to the batch of all ranks, and warms up from where it was tuned', () => {
  const task = taskShapeOf({ name: 'mnist', size: 'small', augment: 'none' }, 0);
  const rateOf = (scaling: string) => {
    const learningRate = { base: 0.1, scaling, referenceBatch: 256, warmupSteps: 10 };
    const experiment = experimentOf({ replicas: 8, batchPerRank: 128, learningRate });
    return resolvePlan(experiment, { trainCount: 12_000, testCount: 0, task }).learningRate;
  };
  expect(rateOf('none')).not.toHaveProperty('warmupFrom');
  expect(rateOf('linear')).toMatchObject({ base: 0.4, warmupFrom: 0.1 });
  expect(rateOf('squareRoot')).toMatchObject({ base: 0.2, warmupFrom: 0.1 });
});

test('EX-11 no training sample is an error with its count', () => {
  const task = taskShapeOf({ name: 'xor', samples: 16, noise: 0 }, 0);
  const empty = { trainCount: 0, testCount: 0, task };
  expect(() => resolvePlan(experimentOf({}), empty)).toThrow(/0 training samples/);
});

test('EX-11 counts of each choice of data', () => {
  const { model } = experimentOf({});
  expect(sampleCounts({ name: 'mnist', size: 'full', augment: 'none' }, model)).toEqual({
    train: 60_000,
    test: 10_000,
  });
  expect(sampleCounts({ name: 'xor', samples: 40, noise: 0 }, model)).toEqual({
    train: 40,
    test: 40,
  });
  const novel = experimentOf({ data: { name: 'moby-dick' } });
  // 1,071,285 and 119,032 characters in windows of 32 with one label further on.
  expect(sampleCounts(novel.data, novel.model)).toEqual({ train: 33_477, test: 3_719 });
});

test.each(PRESET_IDS)('EX-12 preset %s is valid, and its plan can be made', (id) => {
  const experiment = presetExperiment(id);
  const counts = sampleCounts(experiment.data, experiment.model);
  const task = taskShapeOf(experiment.data, 99);
  const plan = resolvePlan(experiment, { trainCount: counts.train, testCount: counts.test, task });
  expect(plan.totalSteps).toBeGreaterThan(experiment.learningRate.warmupSteps);
  expect(plan.model.parameterCount).toBeGreaterThan(0);
});
