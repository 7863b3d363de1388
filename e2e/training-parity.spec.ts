/** @file One step of N ranks is one step of a large batch, and PyTorch's DDP, on every backend. */
import { expect, type Page, test } from '@playwright/test';
import {
  type ExperimentInput,
  expectFinished,
  GOLDEN_EXPERIMENT,
  openLab,
  readGolden,
  SMALL_MLP,
  train,
} from './lab.ts';

const STEPS = 50;
const flat = (value: unknown): number[] => [value].flat(Number.POSITIVE_INFINITY) as number[];

test.describe.configure({ timeout: 240_000 });

let page: Page;
test.beforeAll(async ({ browser }) => {
  page = await browser.newPage();
  await openLab(page);
});
test.afterAll(() => page.close());

for (const backend of ['wasm', 'cpu', 'webgpu'] as const) {
  test(`DP-2 4 ranks x 16 and 1 rank x 64 train alike on ${backend}`, async () => {
    const experiment = (replicas: number, batchPerRank: number): ExperimentInput => ({
      ...SMALL_MLP,
      replicas,
      batchPerRank,
      duration: { unit: 'steps', count: STEPS },
      backend,
    });
    const many = await train(page, experiment(4, 16));
    const one = await train(page, experiment(1, 64));
    expectFinished(many, backend, STEPS);
    expectFinished(one, backend, STEPS);
    for (const [step, { loss, samples }] of many.steps.entries()) {
      const expected = one.steps[step]?.loss ?? Number.NaN;
      expect(Math.abs((loss ?? Number.NaN) - expected), `step ${step}`).toBeLessThanOrEqual(
        1e-4 * expected,
      );
      expect(samples).toBe(64 * (step + 1));
    }
    expect(one.steps.at(-1)?.loss).toBeLessThan(0.7 * (one.steps[0]?.loss ?? 0));
  });
}

for (const backend of ['fused', 'wasm', 'cpu', 'webgpu'] as const) {
  test(`DP-2 PyTorch's golden DDP run within 1e-5 on ${backend}`, async () => {
    const golden = readGolden();
    const { init, x, y } = golden;
    const trained = await train(page, GOLDEN_EXPERIMENT, { given: { init, x, y }, backend });
    expectFinished(trained, backend, x.length);
    for (const { step, lossPerRank } of trained.steps) {
      for (const [rank, loss] of lossPerRank.entries()) {
        const expected = golden.lossesPerRank[rank]?.[step] ?? Number.NaN;
        expect(
          Math.abs((loss ?? Number.NaN) - expected),
          `step ${step}, rank ${rank}`,
        ).toBeLessThan(1e-5);
      }
    }
    const weights = (await page.evaluate(() => globalThis.ringside?.weights())) ?? {};
    expect(Object.keys(weights).toSorted()).toEqual(Object.keys(golden.final).toSorted());
    for (const [name, expected] of Object.entries(golden.final)) {
      const found = flat(weights[name]);
      for (const [index, value] of flat(expected).entries())
        expect(Math.abs((found[index] ?? Number.NaN) - value), name).toBeLessThan(1e-5);
    }
  });
}
