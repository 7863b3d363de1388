/** @file What the presets promise to learn, as they stand. */

import { loadavg } from 'node:os';
import { expect, type Page, test } from '@playwright/test';
import { type PresetId, presetExperiment } from '#experiment/presets';
import { type ExperimentInput, expectAgreement, openLab, type TrainedRun, train } from './lab.ts';

const FULL = process.env.RINGSIDE_FULL !== undefined;
const MINUTE_MS = 60_000;

let page: Page;
test.beforeAll(async ({ browser }) => {
  page = await browser.newPage();
});
test.afterAll(() => page.close());

async function trainPreset(id: PresetId, changes: ExperimentInput = {}): Promise<TrainedRun> {
  await openLab(page);
  const trained = await train(page, { ...presetExperiment(id), ...changes });
  expect(trained.outcome).toEqual({ kind: 'ended', reason: 'finished', message: '' });
  expectAgreement(trained);
  const { run, summary, evals } = trained;
  test.info().annotations.push({
    type: 'learning',
    description: `${id} on ${run?.backend}: ${summary?.accuracy} accuracy, ${summary?.testLoss} nats, best ${best(trained)}, ${evals.length} evaluations, ${summary?.wallSeconds} s`,
  });
  return trained;
}

/** Best test accuracy of the run. */
const best = ({ evals }: TrainedRun): number => Math.max(...evals.map(({ accuracy }) => accuracy));

test('MLP on MNIST, 4 ranks x 32: 95 % of the test digits within 5 epochs', async () => {
  test.setTimeout(5 * MINUTE_MS);
  const trained = await trainPreset('mnist-mlp');
  expect(trained.run?.experiment).toMatchObject({
    model: { kind: 'mlp' },
    replicas: 4,
    batchPerRank: 32,
    duration: { unit: 'epochs', count: 5 },
  });
  expect(trained.run).toMatchObject({ trainCount: 12_000, testCount: 2000 });
  expect(trained.summary?.accuracy).toBeGreaterThanOrEqual(0.95);
});

test('CNN on MNIST: 97 % of the test digits within 6 epochs', async () => {
  test.skip(!FULL, 'takes minutes: RINGSIDE_FULL=1');
  test.setTimeout(20 * MINUTE_MS);
  const trained = await trainPreset('mnist-cnn');
  expect(trained.run?.experiment).toMatchObject({
    model: { kind: 'cnn' },
    duration: { unit: 'epochs', count: 6 },
  });
  expect(trained.run).toMatchObject({ trainCount: 12_000, testCount: 2000 });
  expect(trained.summary?.accuracy).toBeGreaterThanOrEqual(0.97);
});

test('the CNN learns: 80 % after half an epoch', async () => {
  test.setTimeout(5 * MINUTE_MS);
  const half = { duration: { unit: 'steps', count: 47 } };
  const trained = await trainPreset('mnist-cnn', half);
  expect(trained.summary?.accuracy).toBeGreaterThanOrEqual(0.8);
});

for (const [id, accuracy] of [
  ['spirals', 0.97],
  ['moons', 0.97],
  ['circles', 0.97],
  ['xor', 0.97],
] as const) {
  test(`${id}: ${100 * accuracy} % of the test points`, async () => {
    test.setTimeout(2 * MINUTE_MS);
    const trained = await trainPreset(id);
    expect(trained.summary?.accuracy).toBeGreaterThanOrEqual(accuracy);
  });
}

test('the transformer on Moby-Dick falls below 2.0 nats a character', async () => {
  test.skip(!FULL, 'takes minutes: RINGSIDE_FULL=1');
  test.setTimeout(20 * MINUTE_MS);
  const [busyCores = 0] = loadavg();
  const trained = await trainPreset('moby-dick');
  expect(trained.run?.experiment.replicas).toBe(2);
  expect(trained.summary?.testLoss).toBeLessThan(2);
  // The promise is for two cores that do nothing else.
  if (busyCores < 1) expect(trained.summary?.wallSeconds).toBeLessThan(180);
});

test('the transformer learns: below 2.6 nats a character after 200 steps', async () => {
  test.setTimeout(5 * MINUTE_MS);
  const short = { duration: { unit: 'steps', count: 200 }, evalEvery: 200 };
  const trained = await trainPreset('moby-dick', short);
  // An untrained model of this alphabet begins at ln(vocabulary), above 4.
  expect(trained.steps[0]?.loss).toBeGreaterThan(4);
  expect(trained.summary?.testLoss).toBeLessThan(2.6);
});
