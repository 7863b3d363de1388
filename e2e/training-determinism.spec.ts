/** @file The same experiment gives the same log: again, over either transport, at any world size. */
import { expect, type Page, test } from '@playwright/test';
import {
  comparable,
  type ExperimentInput,
  expectFinished,
  openLab,
  SMALL_MLP,
  type TrainedRun,
  train,
  withoutNestedWorkers,
} from './lab.ts';

const STEPS = 12;
const EXPERIMENT: ExperimentInput = {
  ...SMALL_MLP,
  replicas: 3,
  duration: { unit: 'steps', count: STEPS },
  evalEvery: 5,
};

const MODES = [
  ['isolated', 'shared'],
  ['plain', 'ports'],
] as const;

test.describe.configure({ timeout: 240_000 });

let page: Page;
test.beforeAll(async ({ browser }) => {
  page = await browser.newPage();
});
test.afterEach(() => page.unrouteAll({ behavior: 'wait' }));
test.afterAll(() => page.close());

function expectSameLog(found: TrainedRun, expected: TrainedRun): void {
  expect(comparable(found)).toEqual(comparable(expected));
  expect(found.summary?.logHash).toMatch(/^[0-9a-f]{16}$/);
  expect(found.summary?.logHash).toBe(expected.summary?.logHash);
}

for (const backend of ['wasm', 'cpu'] as const) {
  test(`LG-8 the same log on ${backend}: again, over ports, replicas started by the page`, async () => {
    await openLab(page);
    const first = await train(page, EXPERIMENT, { backend });
    expectFinished(first, backend, STEPS);
    expect(first.evals.map(({ step }) => step)).toEqual([5, 10, 12]);
    expect(first.run?.transport).toBe('shared');
    expectSameLog(await train(page, EXPERIMENT, { backend }), first);

    await openLab(page, 'plain');
    const plain = await train(page, EXPERIMENT, { backend });
    expect(plain.run?.transport).toBe('ports');
    expectSameLog(plain, first);

    // Once is enough: who starts the workers has nothing to do with the backend.
    if (backend === 'cpu') return;
    await withoutNestedWorkers(page);
    for (const [mode, transport] of MODES) {
      await openLab(page, mode);
      const fromPage = await train(page, EXPERIMENT, { backend });
      expect(fromPage.run?.transport).toBe(transport);
      // Playwright lists the workers that the page itself has started.
      expect(page.workers().filter((worker) => worker.url().includes('replica'))).toHaveLength(3);
      expectSameLog(fromPage, first);
    }
  });
}

/** Bytes, 16-bit codes and plain sums, each along another schedule. */
const EXCHANGES: readonly (readonly [string, ExperimentInput])[] = [
  [
    'fp16 through a double tree',
    {
      compression: { kind: 'cast', format: 'fp16' },
      communication: { collective: 'double-binary-tree' },
    },
  ],
  ['top-k', { compression: { kind: 'topK' } }],
  ['QSGD of varying length', { compression: { kind: 'qsgd', coding: 'elias' } }],
  [
    'DiLoCo through a star',
    { sync: { kind: 'diloco', period: 4 }, communication: { collective: 'star' } },
  ],
  [
    'an asynchronous server',
    { sync: { kind: 'async', slowdowns: [1, 1, 3], stalenessAware: true } },
  ],
];

for (const [name, exchange] of EXCHANGES) {
  test(`LG-8 TR-21 TR-22 ${name}: the same log over both transports`, async () => {
    const runs: TrainedRun[] = [];
    for (const [mode, transport] of MODES) {
      await openLab(page, mode);
      const run = await train(page, { ...EXPERIMENT, ...exchange }, { backend: 'fused' });
      expectFinished(run, 'fused', STEPS);
      expect(run.run?.transport).toBe(transport);
      runs.push(run);
    }
    const [shared, ports] = runs;
    if (shared === undefined || ports === undefined) throw new Error('two runs were expected');
    expectSameLog(ports, shared);
  });
}

test('LG-8 DP-31 synchronised batch norms: the same log over both transports', async () => {
  const model = { kind: 'cnn', channels: [4, 8], dense: 16, norm: 'syncBatch' };
  const runs: TrainedRun[] = [];
  for (const [mode, transport] of MODES) {
    await openLab(page, mode);
    const run = await train(page, { ...EXPERIMENT, model }, { backend: 'wasm' });
    expectFinished(run, 'wasm', STEPS);
    expect(run.run?.transport).toBe(transport);
    // 2C + 1 numbers of both norms from each of two ranks before.
    expect(run.steps[0]?.gatheredPerRank?.[0]).toBe(2 * 4 * (9 + 17));
    runs.push(run);
  }
  const [shared, ports] = runs;
  if (shared === undefined || ports === undefined) throw new Error('two runs were expected');
  expectSameLog(ports, shared);
});

test('LG-8 another seed gives another log', async () => {
  await openLab(page);
  const short = { ...EXPERIMENT, duration: { unit: 'steps', count: 2 } };
  const first = await train(page, short, { backend: 'wasm' });
  const other = await train(page, { ...short, seed: 1 }, { backend: 'wasm' });
  expect(other.summary?.logHash).not.toBe(first.summary?.logHash);
  expect(other.steps[0]?.loss).not.toBe(first.steps[0]?.loss);
});

for (const [mode, transport] of MODES) {
  test(`CL-4 1, 2, 3, 5, 8 and 16 ranks train over ${transport}`, async () => {
    await openLab(page, mode);
    for (const replicas of [1, 2, 3, 5, 8, 16]) {
      const trained = await train(page, { ...SMALL_MLP, replicas, backend: 'wasm' });
      expectFinished(trained, 'wasm', 10);
      expect(trained.run?.transport).toBe(transport);
      const bytes = trained.steps.flatMap(({ bytesPerRank }) => bytesPerRank);
      // Each chunk goes out 2(N-1) times; chunks differ by one element at most.
      const vector = 4 * (trained.run?.parameters ?? 0);
      const expected = (2 * (replicas - 1) * vector) / replicas;
      for (const sent of bytes)
        expect(Math.abs(sent - expected)).toBeLessThanOrEqual(8 * (replicas - 1));
      expect(trained.steps.at(-1)?.loss).toBeLessThan(trained.steps[0]?.loss ?? 0);
    }
  });
}
