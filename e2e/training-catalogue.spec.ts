/** @file What compression and narrow numbers cost in accuracy: medians over seeds, of whole runs. */
import { expect, type Page, test } from '@playwright/test';
import { type PresetId, presetExperiment } from '#experiment/presets';
import { type ExperimentInput, expectAgreement, openLab, type TrainedRun, train } from './lab.ts';

const FULL = process.env.RINGSIDE_FULL !== undefined;
const SEEDS = FULL ? [0, 1, 2, 3, 4] : [0];
const MINUTE_MS = 60_000;

let page: Page;
test.beforeAll(async ({ browser }) => {
  page = await browser.newPage();
});
test.afterAll(() => page.close());
test.beforeEach(() => {
  test.setTimeout((FULL ? 40 : 5) * MINUTE_MS);
});

/** One run of a preset for every seed. */
async function trainSeeds(id: PresetId, changes: ExperimentInput = {}): Promise<TrainedRun[]> {
  const runs: TrainedRun[] = [];
  for (const seed of SEEDS) {
    await openLab(page);
    const trained = await train(page, { ...presetExperiment(id), ...changes, seed });
    expect(trained.outcome).toMatchObject({ reason: 'finished' });
    expectAgreement(trained);
    runs.push(trained);
  }
  return runs;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** Median test accuracy, noted with every seed's. */
function accuracyOf(name: string, runs: readonly TrainedRun[]): number {
  const each = runs.map(({ summary }) => summary?.accuracy ?? Number.NaN);
  console.log(`  ${name}, seeds ${SEEDS.join(', ')}: ${each.join(', ')}; median ${median(each)}`);
  return median(each);
}

/** Mean bytes a rank and recorded step. */
function bytesOf(runs: readonly TrainedRun[]): number {
  const all = runs.flatMap(({ steps }) => steps.flatMap(({ bytesPerRank }) => bytesPerRank));
  return all.reduce((sum, bytes) => sum + bytes, 0) / all.length;
}

test('CP-20 top-k of 1 % with error feedback: within a point of dense, at 5 % of its bytes', async () => {
  const sparse = await trainSeeds('mnist-topk');
  const dense = await trainSeeds('mnist-mlp');
  expect(sparse[0]?.run?.experiment).toMatchObject({
    replicas: 4,
    compression: { kind: 'topK', ratio: 0.01, errorFeedback: true },
  });
  const lost = accuracyOf('dense', dense) - accuracyOf('top-k 1 %', sparse);
  expect(lost).toBeLessThanOrEqual(0.01);
  const share = bytesOf(sparse) / bytesOf(dense);
  console.log(`  bytes: ${(100 * share).toFixed(2)} % of dense`);
  expect(share).toBeLessThanOrEqual(0.05);
});

test('CP-21 top-k that forgets what it kept back is at least 3 points worse', async () => {
  const forgetful = await trainSeeds('topk-forgetful');
  const { compression } = presetExperiment('topk-forgetful');
  const faithful = await trainSeeds('topk-forgetful', {
    compression: { ...compression, errorFeedback: true } as ExperimentInput['compression'],
  });
  const lost =
    accuracyOf('top-k 0.1 %', faithful) - accuracyOf('top-k 0.1 %, no feedback', forgetful);
  expect(lost).toBeGreaterThanOrEqual(0.03);
});

test('PR-17 fp16 without loss scaling falls by less than a tenth of what the scaled run falls', async () => {
  const fall = ({ steps }: TrainedRun): number =>
    (steps[0]?.loss ?? Number.NaN) - (steps.at(-1)?.loss ?? Number.NaN);
  const unscaled = median((await trainSeeds('fp16-unscaled')).map(fall));
  const scaling = { lossScaling: { kind: 'dynamic' } } as const;
  const scaled = median((await trainSeeds('fp16-unscaled', scaling)).map(fall));
  console.log(`  median fall of the loss: ${unscaled} unscaled, ${scaled} scaled`);
  expect(scaled).toBeGreaterThan(0.3);
  expect(unscaled).toBeLessThan(0.1 * scaled);
});

test('PR-16 bf16 trains without loss scaling: 95 % of the test digits', async () => {
  const runs = await trainSeeds('mnist-bf16');
  expect(runs[0]?.run?.experiment).toMatchObject({ lossScaling: { kind: 'none' } });
  expect(accuracyOf('bf16', runs)).toBeGreaterThanOrEqual(0.95);
});
