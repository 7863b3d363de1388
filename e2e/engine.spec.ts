import { expect, type Page, test } from '@playwright/test';
import type { EngineJob } from './harness/engine-job.ts';
import { siteUrl } from './sites.ts';

// Emulated GPUs compile every shader on the CPU.
test.describe.configure({ timeout: 300_000 });

async function run(page: Page, job: EngineJob) {
  await page.goto(`${siteUrl('harness')}e2e/harness/engine.html`);
  await page.waitForSelector('[data-ready]', { state: 'attached' });
  return page.evaluate((job) => window.runEngineJob(job), job);
}

for (const backend of ['fused', 'cpu', 'wasm', 'webgl', 'webgpu'] as const) {
  test(`EN-1 every check holds in a worker on ${backend}`, async ({ page }) => {
    const outcomes = await run(page, { kind: 'suite', backend });
    expect(outcomes.length).toBeGreaterThan(10);
    expect(outcomes.filter(({ error }) => error !== '')).toEqual([]);
  });

  test(`PR-10 emulated precision holds in a worker on ${backend}`, async ({ page }) => {
    const outcomes = await run(page, { kind: 'precision', backend });
    expect(outcomes.filter(({ error }) => error !== '')).toEqual([]);
  });

  test(`EN-9 ${backend} says that it can be used here, and on what`, async ({ page }) => {
    const [outcome] = await run(page, { kind: 'probe', backend });
    expect(outcome?.error).toBe('');
    const found = JSON.parse(outcome?.name ?? '{}');
    expect(found.device).not.toBe('');
    expect(found.software).toBe(backend === 'webgl' || backend === 'webgpu');
  });
}

for (const backend of ['webgl', 'webgpu'] as const) {
  test(`EN-10 a lost ${backend} device is named and can be had anew`, async ({ page }) => {
    const outcomes = await run(page, { kind: 'loss', backend });
    expect(outcomes).toEqual([
      { name: 'pending call', error: '' },
      { name: 'next call', error: '' },
      { name: 'new engine', error: '' },
    ]);
  });
}

test('EN-11 engines of all backends can follow each other in one worker', async ({ page }) => {
  const outcomes = await run(page, { kind: 'one after another', backend: 'webgpu' });
  expect(outcomes.filter(({ error }) => error !== '')).toEqual([]);
  expect(outcomes).toHaveLength(7);
});
