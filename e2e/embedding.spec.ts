/** @file The lab in a frame of a course's page on another origin. */
import { expect, type Frame, type Page, test } from '@playwright/test';
import { type ExperimentInput, expectFinished, openLab, train, waitForLab } from './lab.ts';
import { startPlainHost } from './plain-host.ts';
import { siteUrl } from './sites.ts';

const STEPS = 12;
const EXPERIMENT: ExperimentInput = {
  replicas: 4,
  batchPerRank: 16,
  model: { kind: 'mlp', hidden: [16] },
  duration: { unit: 'steps', count: STEPS },
  evalEvery: 6,
};

test.describe.configure({ timeout: 120_000 });

const course = (attributes: string): string => `<!doctype html>
  <title>Course</title>
  <iframe src="${siteUrl('lab')}" width="1200" height="800" ${attributes}></iframe>`;

async function labFrame(page: Page): Promise<Frame> {
  await expect.poll(() => page.frames().length).toBe(2);
  const frame = page.frames()[1];
  if (frame === undefined) throw new Error('the page has no frame');
  await waitForLab(frame);
  return frame;
}

test('TR-1 without isolation: gradients go over ports, and the log is that of shared memory', async ({
  page,
}) => {
  await openLab(page);
  const alone = await train(page, EXPERIMENT, { backend: 'wasm' });
  expect(alone.run?.transport).toBe('shared');

  const host = await startPlainHost('dist', '/none/', { '/week-3': course('') }, 'localhost');
  await page.goto(`${host.origin}/week-3`);
  const frame = await labFrame(page);
  expect(await frame.evaluate(() => [crossOriginIsolated, origin])).toEqual([
    false,
    new URL(siteUrl('lab')).origin,
  ]);
  expect(new URL(host.origin).hostname).not.toBe(new URL(siteUrl('lab')).hostname);
  const embedded = await train(frame, EXPERIMENT, { backend: 'wasm' });
  expectFinished(embedded, 'wasm', STEPS);
  expect(embedded.run?.transport).toBe('ports');
  expect(embedded.summary?.logHash).toBe(alone.summary?.logHash);
  host.close();
});

test('its buttons work inside the frame', async ({ page }) => {
  const host = await startPlainHost('dist', '/none/', { '/week-3': course('') }, 'localhost');
  await page.goto(`${host.origin}/week-3`);
  const lab = page.frameLocator('iframe');
  const state = lab.locator('[data-status]');
  const patiently = expect.configure({ timeout: 60_000 });
  await lab.getByRole('button', { name: 'Train', exact: true }).click();
  await patiently(lab.getByText('all 4 ranks agree')).toBeVisible();
  await patiently(lab.getByText(/\d+ of 24 right/)).toBeVisible();
  await lab.getByRole('button', { name: 'Stop', exact: true }).click();
  await patiently(state).toHaveAttribute('data-status', 'stopped');
  host.close();
});

test('TR-1 in an isolated page that passes its isolation on: shared memory', async ({ page }) => {
  const html = course('allow="cross-origin-isolated"');
  const headers = {
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Embedder-Policy': 'require-corp',
  };
  const host = await startPlainHost('dist', '/none/', { '/week-3': html }, 'localhost', headers);
  await page.goto(`${host.origin}/week-3`);
  const frame = await labFrame(page);
  expect(await frame.evaluate(() => crossOriginIsolated)).toBe(true);
  const embedded = await train(frame, EXPERIMENT, { backend: 'wasm' });
  expectFinished(embedded, 'wasm', STEPS);
  expect(embedded.run?.transport).toBe('shared');
  host.close();
});
