/** @file Workers are terminated in the middle of their work, and training goes on. */
import { expect, type Page, test } from '@playwright/test';
import { PURPOSE, randomStream } from '#core/random';
import type { StepEvent } from '#run/log';
import {
  type ExperimentInput,
  ended,
  expectAgreement,
  linesSoFar,
  openLab,
  start,
  type TrainedRun,
  train,
} from './lab.ts';

const FULL = process.env.RINGSIDE_FULL !== undefined;
const KILLS = FULL ? 50 : 5;
const RANKS = 4;
/** Wall ms between two kills, at most. */
const LONGEST_PAUSE_MS = 600;

const EXPERIMENT: ExperimentInput = {
  replicas: RANKS,
  backend: 'wasm',
  recovery: { policy: 'replace', commitEvery: 5 },
};

let page: Page;
test.beforeAll(async ({ browser }) => {
  page = await browser.newPage();
});
test.afterAll(() => page.close());

const recoveries = async (): Promise<number> =>
  (await linesSoFar(page)).filter(({ type }) => type === 'recovery').length;

/** The last record of every step: what was done again counts. */
function lastHashes({ steps }: TrainedRun): ReadonlyMap<number, StepEvent['weightsHash']> {
  return new Map(steps.map(({ step, weightsHash }) => [step, weightsHash]));
}

for (const mode of ['isolated', 'plain'] as const) {
  const kills = mode === 'isolated' ? KILLS : Math.ceil(KILLS / 5);
  test(`FT-10 ${kills} workers terminated at random moments, ${mode}: the same accuracy`, async () => {
    test.setTimeout((FULL ? 20 : 4) * 60_000);
    const random = randomStream(1, PURPOSE.generation, kills);
    await openLab(page, mode);
    // Long enough for all of them; the undisturbed run tells what the same seed gives.
    const experiment = { ...EXPERIMENT, duration: { unit: 'epochs', count: FULL ? 20 : 2 } };
    const undisturbed = await train(page, experiment);
    await start(page, experiment);
    await expect
      .poll(async () => (await linesSoFar(page)).length, { timeout: 60_000 })
      .toBeGreaterThan(3);
    for (let kill = 0; kill < kills; kill++) {
      await page.waitForTimeout(random.uniform() * LONGEST_PAUSE_MS);
      const killed = await page.evaluate(
        (rank) => globalThis.ringside?.kill(rank),
        random.below(RANKS),
      );
      expect(killed, `kill ${kill}`).toBe(true);
      await expect.poll(recoveries, { timeout: 60_000 }).toBe(kill + 1);
    }
    const trained = await ended(page);
    expect(trained.outcome).toMatchObject({ reason: 'finished' });
    expectAgreement(trained);
    expect(trained.summary?.accuracy).toBe(undisturbed.summary?.accuracy);
    expect(lastHashes(trained)).toEqual(lastHashes(undisturbed));
  });
}

test('FT-11 several at once, and during the recovery itself', async () => {
  test.setTimeout(4 * 60_000);
  await openLab(page);
  const experiment = { ...EXPERIMENT, duration: { unit: 'epochs', count: 2 } };
  await start(page, experiment);
  await expect
    .poll(async () => (await linesSoFar(page)).length, { timeout: 60_000 })
    .toBeGreaterThan(3);
  await page.evaluate(() => Promise.all([1, 2].map((rank) => globalThis.ringside?.kill(rank))));
  await page.waitForTimeout(100);
  await page.evaluate(() => globalThis.ringside?.kill(0));
  await expect.poll(recoveries, { timeout: 60_000 }).toBeGreaterThan(0);
  const trained = await ended(page);
  expect(trained.outcome).toMatchObject({ reason: 'finished' });
  expectAgreement(trained);
  expect(trained.summary?.accuracy).toBeGreaterThan(0.9);
});
