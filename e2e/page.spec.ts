/** The page as a learner uses it: one press trains, everything answers, anyone can read it. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, type Page, test } from '@playwright/test';
import { siteUrl } from './sites.ts';

/** Small enough for seconds on a busy machine; the fused loops make it the same everywhere. */
const QUICK = '#v=1&data.name=moons&data.samples=400&duration.count=8';
const DIGITS = '#v=1&duration.unit=steps&duration.count=30&evalEvery=10&backend=wasm';

interface Look {
  readonly locale?: 'en' | 'ru';
  readonly theme?: 'light' | 'dark' | 'projector';
}

async function open(page: Page, fragment: string, look: Look = {}): Promise<void> {
  const settings = JSON.stringify({ locale: 'en', theme: 'light', ...look });
  await page.addInitScript((kept) => localStorage.setItem('ringside.settings', kept), settings);
  await page.goto(`${siteUrl('lab')}${fragment}`);
  await expect(page.locator('[data-action=train]')).toBeEnabled();
}

function status(page: Page, wanted: string, timeout = 60_000): Promise<void> {
  return expect(page.locator('.step-count')).toHaveAttribute('data-status', wanted, { timeout });
}

async function completed(page: Page): Promise<number> {
  return Number(await page.locator('.step-count').getAttribute('data-steps'));
}

async function violations(page: Page): Promise<string[]> {
  const source = readFileSync(
    createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
    'utf8',
  );
  await page.evaluate(source);
  return page.evaluate(async () => {
    // biome-ignore lint/suspicious/noExplicitAny: axe puts itself on the window, untyped there.
    const axe = (globalThis as any).axe;
    const { violations: found } = await axe.run(document);
    // biome-ignore lint/suspicious/noExplicitAny: see above.
    return found.map((v: any) => `${v.id}: ${v.nodes.map((n: any) => n.html).join(' | ')}`);
  });
}

test('UI-1 one press trains digits on 4 replicas; loss falls and all ranks agree', async ({
  page,
}) => {
  await open(page, DIGITS);
  await page.locator('[data-action=train]').click();
  await status(page, 'finished', 100_000);
  expect(await completed(page)).toBe(30);
  await expect(page.locator('.agreement.agree')).toContainText('all 4 ranks agree');
  const hashes = await page.locator('.rank .hash').allTextContents();
  expect(hashes).toHaveLength(4);
  expect(new Set(hashes).size).toBe(1);
  const sentence = await page.locator('.charts p.visually-hidden').textContent();
  expect(sentence).toMatch(/After step 30: training loss 0\.\d+/);
  await expect(page.locator('.digits li')).toHaveCount(24);
  await expect(page.locator('.sent-figure')).toContainText('611');
  await expect(page.locator('.rank canvas.digit')).toHaveCount(24);
});

test('UI-1 pause, step, resume, stop and reset do what they say', async ({ page }) => {
  await open(page, `${QUICK}&duration.count=100000&evalEvery=1000`);
  await page.locator('[data-action=step]').click();
  await status(page, 'paused');
  await expect.poll(() => completed(page)).toBe(1);
  await page.keyboard.press('s');
  await expect.poll(() => completed(page)).toBe(2);
  await page.keyboard.press('Space');
  await status(page, 'running');
  await expect.poll(() => completed(page)).toBeGreaterThan(10);
  await page.locator('[data-action=train]').click();
  await status(page, 'paused');
  const held = await completed(page);
  await page.waitForTimeout(500);
  expect(await completed(page)).toBe(held);
  await page.locator('[data-action=train]').click();
  await status(page, 'running');
  await page.locator('[data-action=stop]').click();
  await status(page, 'stopped', 5000);
  await expect(page.locator('.agreement.agree')).toBeVisible();
  await page.keyboard.press('r');
  await status(page, 'idle');
  await expect(page.locator('.centre')).toContainText('4 replicas, ready');
});

test('UI-1 the wall-time strip and the split show what was measured', async ({ page }) => {
  await open(page, QUICK);
  await page.locator('[data-action=train]').click();
  await status(page, 'finished');
  for (const kind of ['compute', 'communicate', 'update']) {
    await expect.poll(() => page.locator(`.bar-${kind}`).getAttribute('d')).toMatch(/^M/);
  }
  await expect(page.locator('.split:not(.cluster-time) .split-bar i.compute')).toHaveCount(1);
  await expect(page.locator('.cluster-time .split-bar i.compute')).toHaveCount(1);
  await expect(page.locator('.cluster-time')).toContainText('cluster time');
  await expect(page.locator('canvas.boundary')).toBeVisible();
  await expect(page.locator('.plot.loss .line.train')).toHaveAttribute('d', /L/);
});

test('UI-2 a bad value is refused at its field and the last good experiment holds', async ({
  page,
}) => {
  await open(page, QUICK);
  const replicas = page.locator('[data-field=replicas] .number');
  await replicas.fill('40');
  await expect(page.locator('[data-field=replicas] .problems')).toContainText('1 to 16');
  await expect(replicas).toHaveAttribute('aria-invalid', 'true');
  await expect(page.locator('.notice.faulty')).toContainText('last good experiment');
  await expect(page.locator('.rank')).toHaveCount(4);
  await replicas.fill('many');
  await expect(page.locator('[data-field=replicas] .problems')).toContainText('"many"');
  await replicas.fill('3');
  await expect(page.locator('.problems')).toHaveCount(0);
  await expect(page.locator('.rank')).toHaveCount(3);
});

test('UI-2 an edit during a run waits for the next one, and says so', async ({ page }) => {
  await open(page, `${QUICK}&duration.count=100000&evalEvery=1000`);
  await page.locator('[data-action=train]').click();
  await status(page, 'running');
  await page.locator('[data-field=replicas] .number').fill('2');
  await expect(page.locator('.notice')).toContainText('next run');
  await expect(page.locator('.rank')).toHaveCount(4);
  await page.locator('.notice button').click();
  await expect(page.locator('.rank')).toHaveCount(2);
  await status(page, 'running');
  await expect(page.locator('.agreement.agree')).toContainText('all 2 ranks agree');
  await page.locator('[data-action=stop]').click();
});

test('UI-8 the experiment is in the address, and a link brings it back', async ({ page }) => {
  await open(page, '#v=1&data.name=xor&replicas=6');
  await expect(page.locator('.task:has(:checked)')).toContainText('XOR');
  await expect(page.locator('.rank')).toHaveCount(6);
  await page.locator('[data-field=replicas] .number').fill('5');
  await expect.poll(() => new URL(page.url()).hash).toContain('replicas=5');
});

test('UI-9 both languages, switched on the spot and kept', async ({ page }) => {
  await page.goto(siteUrl('lab'));
  // A click, not a check: the language is there once its table has been fetched.
  await page.getByRole('radio', { name: 'Русский' }).click();
  await expect(page.getByRole('radio', { name: 'Русский' })).toBeChecked();
  await expect(page.locator('[data-action=train]')).toHaveText('Обучить');
  await expect(page.locator('html')).toHaveAttribute('lang', 'ru');
  await page.reload();
  await expect(page.locator('[data-action=train]')).toHaveText('Обучить');
  await page.getByRole('radio', { name: 'English' }).click();
  await expect(page.locator('[data-action=train]')).toHaveText('Train');
});

test('UI-10 the whole page fits 1440 x 900, and 390 px without sideways scrolling', async ({
  page,
}) => {
  await open(page, QUICK);
  const size = () =>
    page.evaluate(() => {
      const { scrollWidth, scrollHeight } = document.documentElement;
      return { scrollWidth, scrollHeight };
    });
  expect(await size()).toEqual({ scrollWidth: 1440, scrollHeight: 900 });
  await page.setViewportSize({ width: 390, height: 844 });
  await expect.poll(async () => (await size()).scrollWidth).toBe(390);
  const tops = await page.evaluate(() =>
    ['.cluster', '.happened', '.strip', '.experiment'].map(
      (selector) => document.querySelector(selector)?.getBoundingClientRect().top ?? 0,
    ),
  );
  expect([...tops].sort((a, b) => a - b)).toEqual(tops);
});

test('UI-11 keys: ? opens the sheet, Escape closes it', async ({ page }) => {
  await open(page, QUICK);
  await page.keyboard.press('?');
  await expect(page.locator('#shortcuts')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.locator('#shortcuts')).toBeHidden();
});

for (const theme of ['light', 'dark', 'projector'] as const) {
  test(`UI-12 axe finds no violation in the ${theme} theme`, async ({ page }) => {
    await open(page, QUICK, { theme });
    expect(await violations(page)).toEqual([]);
    await page.locator('[data-field=replicas] .number').fill('40');
    await page.evaluate(() => {
      for (const group of document.querySelectorAll('details')) group.open = true;
    });
    await page.locator('[data-action=train]').click();
    await status(page, 'finished');
    await page.waitForTimeout(500);
    expect(await violations(page)).toEqual([]);
  });
}
