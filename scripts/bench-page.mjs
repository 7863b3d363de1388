/**
 * @file Benchmarks of the built lab itself, in a real page: what training costs the main thread,
 * and how long a newcomer waits for the first step.
 */

/** @typedef {import('./bench.mjs').Measurement} Measurement */
/** @typedef {import('@playwright/test').Browser} Browser */
/** @typedef {import('@playwright/test').Page} Page */

const DIGITS = 'v=1&duration.count=1000';
const SETTLE_MS = 2_000;
const WINDOW_MS = 10_000;
const PATIENCE_MS = 120_000;
/** Per cent of one core. */
const GOAL = 10;

/** All measurements, each in a page that nothing is cached for. @param {Browser} browser @param {string} url */
export async function measureLab(browser, url) {
  return [...(await firstStep(browser, url)), ...(await mainThread(browser, url))];
}

/**
 * Opens the lab in a context of its own, with its own caches.
 *
 * @template T
 * @param {Browser} browser
 * @param {string} url
 * @param {(page: Page) => Promise<T>} work
 */
async function inFreshPage(browser, url, work) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  try {
    const page = await context.newPage();
    await page.goto(url);
    await page.locator('[data-action=train]:enabled').waitFor();
    return await work(page);
  } finally {
    await context.close();
  }
}

/** Milliseconds since the page was asked for. @param {Page} page */
const sinceOpened = (page) => page.evaluate(() => performance.now());

/** Presses Train and waits until a step is done; throws where the run fails. @param {Page} page */
async function train(page) {
  await page.locator('[data-action=train]').click();
  const seen = page.locator('.step-count:not([data-steps="0"]), .step-count[data-status=failed]');
  await seen.waitFor({ timeout: PATIENCE_MS });
  if ((await seen.getAttribute('data-status')) === 'failed') {
    throw new Error(`The lab's run failed: ${await page.locator('.centre').textContent()}`);
  }
}

/** @param {Browser} browser @param {string} url @returns {Promise<Measurement[]>} */
async function firstStep(browser, url) {
  const wait = (/** @type {string} */ backend) =>
    inFreshPage(browser, `${url}#${DIGITS}&backend=${backend}`, async (page) => {
      const ready = await sinceOpened(page);
      await train(page);
      return { ready, trained: (await sinceOpened(page)) - ready };
    });
  // The first page of a browser also pays for the browser's own start.
  await wait('wasm');
  const named = await wait('wasm');
  const auto = await wait('auto');
  const seconds = (/** @type {number} */ ms) => `${(ms / 1000).toFixed(1)} s`;
  const line = (/** @type {string} */ name, { ready, trained }, /** @type {string} */ more) => ({
    name: `from a cold start to the first step, MNIST, N = 4, ${name}`,
    unit: 's',
    value: (ready + trained) / 1000,
    goal: null,
    detail: `${seconds(ready)} until Train is enabled, ${seconds(trained)} from the press${more}`,
  });
  const extra = `; choosing took ${seconds(auto.trained - named.trained)} more than naming`;
  return [line('backend wasm', named, ''), line('backend auto', auto, extra)];
}

/**
 * Processor time of the main thread, so that other work of the machine does not count.
 *
 * @param {Browser} browser
 * @param {string} url
 * @returns {Promise<Measurement[]>}
 */
function mainThread(browser, url) {
  return inFreshPage(browser, `${url}#${DIGITS}&backend=wasm`, async (page) => {
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    const look = async () => {
      const { metrics } = await session.send('Performance.getMetrics');
      const values = Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
      const steps = Number(await page.locator('.step-count').getAttribute('data-steps'));
      return { values, steps, ms: performance.now() };
    };
    await train(page);
    await page.waitForTimeout(SETTLE_MS);
    const before = await look();
    await page.waitForTimeout(WINDOW_MS);
    const after = await look();
    const share = (/** @type {string} */ name) =>
      (100_000 * (after.values[name] - before.values[name])) / (after.ms - before.ms);
    const parts = /** @type {const} */ ([
      ['scripts', 'ScriptDuration'],
      ['layout', 'LayoutDuration'],
      ['styles', 'RecalcStyleDuration'],
    ]).map(([word, name]) => `${word} ${share(name).toFixed(1)} %`);
    const stepsPerSecond = ((after.steps - before.steps) * 1000) / (after.ms - before.ms);
    return [
      {
        name: 'main thread while 4 replicas train MNIST in the page',
        unit: '% of a core',
        value: share('TaskDuration'),
        goal: { atMost: GOAL },
        detail: `${parts.join(', ')}; ${stepsPerSecond.toFixed(0)} steps/s`,
      },
    ];
  });
}
