/** @file A tab that nobody sees, and a page that is busy: the replicas train on. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium, expect, type Page, test } from '@playwright/test';
import { chromiumArguments, findChromium } from '../scripts/chromium.mjs';
import { type ExperimentInput, ended, openLab, start, stepsSoFar } from './lab.ts';

/** Longer than any of these tests; they stop it. */
const ENDLESS: ExperimentInput = {
  data: { name: 'spirals' },
  replicas: 2,
  duration: { unit: 'steps', count: 1_000_000 },
  evalEvery: 1_000_000,
  logEvery: 10,
};
const WATCHED_MS = 3000;

test.describe.configure({ timeout: 120_000 });

interface OwnBrowser {
  readonly browser: Browser;
  readonly close: () => Promise<void>;
}

/**
 * A browser whose tabs can be hidden: Playwright's own pages always count as seen. Started by us
 * and joined without Playwright's overrides.
 */
async function startBrowser(): Promise<OwnBrowser> {
  const profile = mkdtempSync(join(tmpdir(), 'ringside-hidden-'));
  const child = spawn(
    findChromium() ?? '',
    [
      ...chromiumArguments({ webgpu: false }),
      '--headless',
      '--remote-debugging-port=0',
      `--user-data-dir=${profile}`,
      'about:blank',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const browser = await chromium.connectOverCDP(await addressOf(child), { noDefaults: true });
  const close = async (): Promise<void> => {
    const exited = new Promise((resolve) => child.once('exit', resolve));
    const session = await browser.newBrowserCDPSession();
    // Ends it in good order; no answer is waited for, since its sender is gone then.
    session.send('Browser.close').catch(() => undefined);
    await exited;
    rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  };
  return { browser, close };
}

/** Where the browser listens, as it says on its standard error. */
function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stderr?.on('data', (part: Buffer) => {
      text += part.toString();
      const address = /DevTools listening on (ws:\S+)/.exec(text)?.[1];
      if (address !== undefined) resolve(address);
    });
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`The browser ended at once: ${text}`)));
  });
}

const passed = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const batches = (page: Page): Promise<number> =>
  page.evaluate(() => globalThis.training?.batchMs.length ?? 0);

async function stopAndCheck(page: Page): Promise<void> {
  await page.evaluate(() => globalThis.ringside?.stop());
  const { outcome, steps } = await ended(page);
  expect(outcome).toMatchObject({ reason: 'stopped' });
  // Nothing was left out, and nothing came twice.
  const numbers = steps.map(({ step }) => step);
  expect(numbers).toEqual(numbers.map((_, i) => 10 * i + 9));
}

test('RU-9 training goes on in a hidden tab, and the page hears of it in bounds', async () => {
  const { browser, close } = await startBrowser();
  try {
    const context = browser.contexts()[0];
    if (context === undefined) throw new Error('the browser has no context');
    const page = await context.newPage();
    await openLab(page);
    await start(page, { ...ENDLESS, backend: 'wasm' });
    await expect.poll(() => stepsSoFar(page), { timeout: 60_000 }).toBeGreaterThan(2);

    const other = await context.newPage();
    await other.bringToFront();
    await expect.poll(() => page.evaluate(() => document.visibilityState)).toBe('hidden');
    const before = { steps: await stepsSoFar(page), batches: await batches(page) };
    await passed(WATCHED_MS);
    const heard = (await batches(page)) - before.batches;
    expect(await page.evaluate(() => document.visibilityState)).toBe('hidden');
    expect((await stepsSoFar(page)) - before.steps).toBeGreaterThan(10);
    // At most one message a frame, and the machine may be slow to count.
    expect(heard).toBeGreaterThan(0);
    expect(heard).toBeLessThan((WATCHED_MS / 1000) * 62.5 * 1.5);
    await stopAndCheck(page);
  } finally {
    await close();
  }
});

test('RU-9 while the page is busy the replicas train on, and one message brings the news', async ({
  page,
}) => {
  await openLab(page);
  await start(page, { ...ENDLESS, backend: 'fused' });
  await expect.poll(() => stepsSoFar(page), { timeout: 60_000 }).toBeGreaterThan(2);
  const missed = await page.evaluate(async (busyMs) => {
    const { lines, batchMs } = globalThis.training ?? { lines: [], batchMs: [] };
    const before = { lines: lines.length, batches: batchMs.length };
    const end = performance.now() + busyMs;
    while (performance.now() < end);
    // The first was on its way already, the second has all that came about meanwhile.
    while (batchMs.length < before.batches + 2) await new Promise((next) => setTimeout(next, 1));
    return lines.length - before.lines;
  }, WATCHED_MS);
  expect(missed).toBeGreaterThan(10);
  await stopAndCheck(page);
});
