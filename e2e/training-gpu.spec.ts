/** @file GPU backends by name, and devices that are lost in the middle of a run. */
import { chromium, expect, type Page, test } from '@playwright/test';
import { chromiumArguments, findChromium } from '../scripts/chromium.mjs';
import {
  type ExperimentInput,
  ended,
  expectAgreement,
  expectFinished,
  linesSoFar,
  openLab,
  start,
  stepsSoFar,
  type TrainedRun,
  train,
} from './lab.ts';
import { letDevicesBeLost, loseDevices } from './lost-device.ts';

const STEPS = 20;
/** Steps before a device is taken away, and steps that must follow. */
const BEFORE = 4;
const AFTER = 10;
const EXPERIMENT: ExperimentInput = {
  data: { name: 'moons', samples: 200 },
  model: { kind: 'mlp', hidden: [8] },
  replicas: 2,
  duration: { unit: 'steps', count: STEPS },
  evalEvery: 10,
  logEvery: 1,
};
/** Long enough that it does not end before the device is lost. */
const LONG: ExperimentInput = { ...EXPERIMENT, duration: { unit: 'steps', count: 2000 } };
const PATIENCE = { timeout: 120_000 };

test.describe.configure({ timeout: 240_000 });

test('EN-1 webgl by name trains, here on SwiftShader (webgpu: see the tests of parity)', async ({
  page,
}) => {
  await openLab(page);
  const trained = await train(page, { ...EXPERIMENT, backend: 'webgl' });
  expectFinished(trained, 'webgl', STEPS);
  expect(trained.run?.device).toMatch(/swiftshader/i);
  expect(trained.steps.at(-1)?.loss).toBeLessThan(trained.steps[0]?.loss ?? 0);
});

/** Trains, has `lose` take devices away after some steps, and goes on for some steps more. */
async function trainThroughLoss(
  page: Page,
  backend: string,
  losses: number,
  lose: () => Promise<void>,
): Promise<TrainedRun> {
  await start(page, { ...LONG, backend });
  await expect.poll(() => stepsSoFar(page), PATIENCE).toBeGreaterThan(BEFORE);
  await lose();
  const fallbacks = async (): Promise<number> =>
    (await linesSoFar(page)).filter(({ type }) => type === 'fallback').length;
  await expect.poll(fallbacks, PATIENCE).toBeGreaterThanOrEqual(losses);
  const steps = await stepsSoFar(page);
  await expect.poll(() => stepsSoFar(page), PATIENCE).toBeGreaterThan(steps + AFTER);
  await page.evaluate(() => globalThis.ringside?.stop());
  const trained = await ended(page);
  expect(trained.outcome).toEqual({ kind: 'ended', reason: 'stopped', message: '' });
  expectAgreement(trained);
  for (const { step, reason } of trained.fallbacks) {
    expect(step).toBeGreaterThanOrEqual(BEFORE);
    expect(reason).not.toBe('');
  }
  return trained;
}

/** The loss of a device left no trace in the numbers: they are those of plain typed-array loops. */
async function expectUndisturbed(page: Page, { steps, fallbacks }: TrainedRun): Promise<void> {
  const last = Math.max(...fallbacks.map(({ step }) => step)) + AFTER;
  expect(steps.length).toBeGreaterThan(last);
  const reference = await train(page, { ...LONG, backend: 'fused' });
  for (const { step, loss } of steps.slice(0, last)) {
    const expected = reference.steps[step]?.loss ?? Number.NaN;
    expect(Math.abs(loss - expected), `step ${step}`).toBeLessThan(1e-3 * expected);
  }
}

for (const backend of ['webgpu', 'webgl'] as const) {
  test(`RU-5 lost ${backend} devices are opened again and the run goes on`, async ({ page }) => {
    await letDevicesBeLost(page);
    await openLab(page);
    const trained = await trainThroughLoss(page, backend, 2, () =>
      loseDevices(page, { replicas: [0, 1], forGood: false }),
    );
    expect(trained.fallbacks.map(({ rank }) => rank).toSorted()).toEqual([0, 1]);
    for (const event of trained.fallbacks)
      expect(event).toMatchObject({ from: backend, to: backend });
    await expectUndisturbed(page, trained);
  });
}

test('RU-5 a rank that gets no device back takes the next backend; the ranks still agree', async ({
  page,
}) => {
  await letDevicesBeLost(page);
  await openLab(page);
  const trained = await trainThroughLoss(page, 'webgpu', 1, () =>
    loseDevices(page, { replicas: [1], forGood: true }),
  );
  expect(trained.fallbacks).toHaveLength(1);
  expect(trained.fallbacks[0]).toMatchObject({ from: 'webgpu', to: 'webgl' });
  expect(trained.fallbacks[0]?.reason).toContain('refused by the test');
  await expectUndisturbed(page, trained);
});

test('RU-5 the run outlives a crash of the browser process that drives the GPU', async () => {
  const executablePath = findChromium() ?? '';
  // A browser of its own: after crashes it gives out fewer devices.
  const args = chromiumArguments({ software: true });
  const browser = await chromium.launch({ executablePath, args });
  try {
    const page = await browser.newPage();
    await openLab(page);
    const session = await browser.newBrowserCDPSession();
    const trained = await trainThroughLoss(page, 'webgpu', 2, async () => {
      // No answer is waited for: the process that would give it is gone.
      session.send('Browser.crashGpuProcess').catch(() => undefined);
    });
    for (const { from } of trained.fallbacks) expect(from).toBe('webgpu');
    await expectUndisturbed(page, trained);
  } finally {
    await browser.close();
  }
});
