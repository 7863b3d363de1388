/** @file What goes wrong, or is told to end: a loss that is no number, Stop, and bad data files. */
import { expect as assert, type Page, type Route, test } from '@playwright/test';
import {
  type ExperimentInput,
  ended,
  linesSoFar,
  openLab,
  SMALL_MLP,
  start,
  train,
  withoutNestedWorkers,
} from './lab.ts';

/** The machine may be busy; what is waited for comes all the same. */
const expect = assert.configure({ timeout: 60_000 });

test.describe.configure({ timeout: 240_000 });

let page: Page;
test.beforeAll(async ({ browser }) => {
  page = await browser.newPage();
});
test.afterEach(() => page.unrouteAll({ behavior: 'ignoreErrors' }));
test.afterAll(() => page.close());

const trainButton = (page: Page) => page.getByRole('button', { name: 'Train', exact: true });

test.describe('LG-7 a loss that is no number', () => {
  test('stops the run, keeps the log, and is named with step and rank', async () => {
    await openLab(page);
    const sane = [[[1, 2]], [[2, 1]], [[0, 1]]];
    const huge = [[[1, 2]], [[2, 1]], [[3e38, 3e38]]];
    const x = [sane, sane, huge, sane];
    const given = { init: null, x, y: x.map(() => [[0], [1], [0]]) };
    const trained = await train(page, { model: { kind: 'softmax' } }, { given, backend: 'wasm' });
    expect(trained.outcome).toMatchObject({ reason: 'nonFinite' });
    expect(trained.lines.map(({ type }) => type)).toEqual([
      'run',
      'step',
      'step',
      'nonFinite',
      'summary',
    ]);
    expect(trained.lines[3]).toEqual({ type: 'nonFinite', step: 2, ranks: [2] });
    expect(trained.summary).toMatchObject({ reason: 'nonFinite', steps: 2 });
    expect(trained.summary?.logHash).toMatch(/^[0-9a-f]{16}$/);
    expect(trained.summary?.message).toMatch(/step 2\b.*rank 2\b/);
  });

  test('is shown where the ring was, with what to do; the chart stays', async () => {
    // Each step multiplies the weights by 1 - rate * decay = -9, and more with momentum.
    const diverging = 'optimizer.kind=sgd&optimizer.weightDecay=1&learningRate.base=10';
    await openLab(page, 'isolated', `#v=1&data.name=moons&${diverging}&logEvery=1&backend=cpu`);
    await trainButton(page).click();
    const alert = page.getByRole('alert');
    await expect(alert).toContainText(/It began at step \d+ on ranks? \d/);
    await expect(alert).toContainText('learning rate');
    await expect(page.locator('[data-status]')).toHaveAttribute('data-status', 'failed');
    await expect(page.locator('[data-status]')).not.toHaveAttribute('data-steps', '0');
    await expect(trainButton(page)).toBeEnabled();
  });
});

test.describe('RU-3 Stop answers within half a second', () => {
  const LIMIT_MS = 500;
  /** Other programs may hold the machine for a moment; the fastest of these counts. */
  const ATTEMPTS = 3;
  const SLOW: ExperimentInput = {
    model: { kind: 'cnn' },
    backend: 'cpu',
    replicas: 2,
    logEvery: 1,
    evalEvery: 1,
  };

  /** Wall milliseconds until the conductor has answered. */
  const stop = (page: Page): Promise<number> =>
    page.evaluate(async () => {
      const began = performance.now();
      await globalThis.ringside?.stop();
      return performance.now() - began;
    });

  async function expectQuickStop(
    page: Page,
    experiment: ExperimentInput,
    reached: () => Promise<void>,
    kept: readonly string[],
  ): Promise<void> {
    const times: number[] = [];
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      await start(page, experiment);
      await reached();
      times.push(await stop(page));
      const trained = await ended(page);
      expect(trained.outcome).toEqual({ kind: 'ended', reason: 'stopped', message: '' });
      expect(trained.lines.map(({ type }) => type)).toEqual([...kept, 'summary']);
      if (Math.min(...times) < LIMIT_MS) break;
    }
    // What is left of the replicas answers, or is known to be gone.
    expect(await page.evaluate(() => globalThis.ringside?.weights())).toBeDefined();
    expect(Math.min(...times), `all: ${times.join(', ')} ms`).toBeLessThan(LIMIT_MS);
    // And the next run finds everything in order.
    const next = await train(page, SMALL_MLP, { backend: 'wasm' });
    expect(next.outcome).toMatchObject({ reason: 'finished' });
  }

  const passed = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
  const logged = (page: Page, type: string): Promise<void> =>
    expect
      .poll(async () => (await linesSoFar(page)).some((line) => line.type === type), {
        timeout: 60_000,
        intervals: [50],
      })
      .toBe(true);

  test('while data are on their way', async () => {
    await openLab(page);
    const held: Route[] = [];
    const address = '**/data/mnist-train-01.bin';
    await page.route(address, (route) => void held.push(route));
    const reached = (): Promise<void> => expect.poll(() => held.length).toBeGreaterThan(0);
    await start(page, SMALL_MLP);
    await reached();
    expect(await stop(page)).toBeLessThan(LIMIT_MS);
    expect((await ended(page)).lines.map(({ type }) => type)).toEqual(['summary']);
    await page.unroute(address);
    await Promise.all(held.map((route) => route.abort().catch(() => undefined)));
    const next = await train(page, SMALL_MLP, { backend: 'wasm' });
    expect(next.outcome).toMatchObject({ reason: 'finished' });
  });

  test('while backends are measured', async () => {
    await openLab(page, 'isolated', '#v=1&model.kind=cnn&batchPerRank=512');
    const state = page.locator('[data-status]');
    await trainButton(page).click();
    await page.getByText('Measuring backends').waitFor();
    expect(await stop(page)).toBeLessThan(LIMIT_MS);
    await expect(state).toHaveAttribute('data-status', 'stopped');
    await expect(state).toHaveAttribute('data-steps', '0');
    const next = await train(page, SMALL_MLP, { backend: 'wasm' });
    expect(next.outcome).toMatchObject({ reason: 'finished' });
  });

  test('in the middle of a step', async () => {
    await openLab(page);
    const reached = async (): Promise<void> => {
      await logged(page, 'run');
      await passed(300);
    };
    await expectQuickStop(page, { ...SLOW, batchPerRank: 512 }, reached, ['run']);
  });

  test('in the middle of an evaluation', async () => {
    await openLab(page);
    const experiment = { ...SLOW, batchPerRank: 16 };
    await expectQuickStop(page, experiment, () => logged(page, 'step'), ['run', 'step']);
  });

  test('by its button; the log stays on the page', async () => {
    await openLab(page, 'isolated', '#v=1&backend=wasm&duration.count=50');
    const state = page.locator('[data-status]');
    await trainButton(page).click();
    await expect(state).toHaveAttribute('data-status', 'running');
    await expect(state).not.toHaveAttribute('data-steps', '0');
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await expect(state).toHaveAttribute('data-status', 'stopped');
    await expect(state).not.toHaveAttribute('data-steps', '0');
    await expect(trainButton(page)).toBeEnabled();
  });

  test('RU-8 in the middle of anything, and the next run still shows its predictions', async () => {
    await openLab(page, 'isolated', '#v=1&model.kind=cnn&backend=cpu&replicas=2&evalEvery=1');
    const state = page.locator('[data-status]');
    await trainButton(page).click();
    await expect(state).toHaveAttribute('data-status', 'running');
    // The page asks for predictions while the replicas are deep in an evaluation.
    await expect(page.locator('[data-activity=evaluating]')).toHaveCount(2);
    await passed(1000);
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await expect(state).toHaveAttribute('data-status', 'stopped');
    await page.evaluate(() => {
      location.hash = '#v=1&backend=wasm&replicas=2';
    });
    await trainButton(page).click();
    await expect(page.getByText(/\d+ of 24 right/)).toBeVisible({ timeout: 60_000 });
  });
});

test('RU-2 Pause, Step and Resume by their buttons', async () => {
  await openLab(page, 'isolated', '#v=1&data.name=spirals&backend=wasm&replicas=2');
  const state = page.locator('[data-status]');
  const steps = async (): Promise<number> => Number(await state.getAttribute('data-steps'));
  await page.getByRole('button', { name: 'One step', exact: true }).click();
  await expect(state).toHaveAttribute('data-status', 'paused');
  await expect(state).toHaveAttribute('data-steps', '1');
  await page.getByRole('button', { name: 'Resume', exact: true }).click();
  await expect.poll(steps).toBeGreaterThan(5);
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await expect(state).toHaveAttribute('data-status', 'paused');
  const paused = await steps();
  await page.getByRole('button', { name: 'One step', exact: true }).click();
  await expect(state).toHaveAttribute('data-steps', String(paused + 1));
  await expect(state).toHaveAttribute('data-status', 'paused');
});

test.describe('DA-6 a data file', () => {
  const FILE = 'mnist-train-01.bin';
  type Damage = (route: Route) => Promise<void>;
  const changed =
    (change: (body: Buffer) => Buffer): Damage =>
    async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: change(await response.body()) });
    };
  const flipped = changed((body) => {
    body[100_000] = (body[100_000] ?? 0) ^ 1;
    return body;
  });
  const damages: readonly (readonly [string, string, Damage, RegExp])[] = [
    ['that is missing', FILE, (route) => route.fulfill({ status: 404 }), /404/],
    ['that is short', FILE, changed((body) => body.subarray(0, 5000)), /5000 bytes found/],
    ['with a flipped bit', FILE, flipped, /checksum/],
    ['that cannot be fetched', FILE, (route) => route.abort(), /could not be fetched/],
    [
      'list that is no list',
      'manifest.json',
      (route) => route.fulfill({ body: '<html>' }),
      /not JSON/,
    ],
  ];
  for (const [what, file, damage, detail] of damages) {
    test(`${what} is named, with what to do; afterwards the run starts`, async () => {
      const address = `**/data/${file}`;
      await page.route(address, damage);
      await openLab(page, 'isolated', '#v=1&backend=wasm&replicas=2');
      await trainButton(page).click();
      const alert = page.getByRole('alert');
      await expect(alert).toContainText(file);
      await expect(alert).toContainText('npm start');
      await alert.getByText('Technical detail').click();
      await expect(alert).toContainText(detail);
      const { outcome } = await train(page, SMALL_MLP, { backend: 'wasm' });
      expect(outcome).toMatchObject({ reason: 'failed', message: expect.stringMatching(file) });

      await page.unroute(address);
      await trainButton(page).click();
      const state = page.locator('[data-status]');
      await expect.poll(() => state.getAttribute('data-steps')).not.toBe('0');
    });
  }
});

test.describe('RU-8 a worker that cannot be loaded', () => {
  const missing = (route: Route): Promise<void> => route.fulfill({ status: 404 });

  test('a replica: the run fails and says so; once it can be had, the next run works', async () => {
    await withoutNestedWorkers(page);
    const address = '**/assets/replica-*.js';
    await page.route(address, missing);
    await openLab(page, 'isolated', '#v=1&data.name=moons&backend=wasm');
    await trainButton(page).click();
    const alert = page.getByRole('alert');
    await expect(alert).toContainText('The run failed');
    await alert.getByText('Technical detail').click();
    await expect(alert).toContainText('its script could not be loaded');
    await page.unroute(address);
    const { outcome } = await train(page, SMALL_MLP, { backend: 'wasm' });
    expect(outcome).toMatchObject({ reason: 'finished' });
  });

  test('the conductor: Train says so, with what to do', async () => {
    await page.route('**/assets/conductor-*.js', missing);
    await openLab(page);
    await trainButton(page).click();
    await expect(page.getByRole('alert')).toContainText('load the page anew');
    const { outcome } = await train(page, SMALL_MLP);
    expect(outcome).toMatchObject({
      reason: 'failed',
      message: expect.stringMatching('could not be loaded'),
    });
  });
});
