/** Both transports between real Web Workers, on an isolated page and (ports) on a plain one. */
import { expect, type Page, test } from '@playwright/test';
import { ringBroadcast } from '#core/broadcast';
import { ringAllReduce } from '#core/ring';
import { randomSchedule, recursiveDoubling } from './harness/transport-schedules.ts';
import type { TeamJob } from './harness/transport-team.ts';
import { siteUrl } from './sites.ts';

async function open(page: Page, mode: 'isolated' | 'plain'): Promise<void> {
  await page.goto(`${siteUrl('harness', mode)}e2e/harness/transport.html`);
  await page.waitForFunction(() => 'transportHarness' in window);
  expect(await page.evaluate(() => window.transportHarness.isolated())).toBe(mode === 'isolated');
}

function run(page: Page, worldSize: number, job: TeamJob) {
  return page.evaluate(([n, each]) => window.transportHarness.run(n, each), [
    worldSize,
    job,
  ] as const);
}

function abort(page: Page, worldSize: number, job: TeamJob) {
  return page.evaluate(([n, each]) => window.transportHarness.abort(n, each), [
    worldSize,
    job,
  ] as const);
}

/** A ring, a broadcast and random schedules, over two buckets and over the whole. */
function job(worldSize: number, length: number, more: Partial<TeamJob>): TeamJob {
  const middle = length >> 1;
  const schedules = [
    ringAllReduce(worldSize),
    ringBroadcast(worldSize),
    randomSchedule(1000 + worldSize, worldSize),
    randomSchedule(2000 + worldSize, worldSize),
  ];
  const calls = schedules.flatMap((schedule) => [
    { schedule, range: { start: middle, end: length } },
    { schedule, range: { start: 0, end: middle } },
    { schedule, range: { start: 0, end: length } },
  ]);
  const common = { length, calls, rounds: 2, seed: worldSize, pauseMs: 0, withheld: [] };
  return { transport: 'shared', ...common, ...more };
}

/** It takes a few; the rest is for a machine that does much else. */
const ABORT_MS = 2000;

test.describe.configure({ timeout: 30_000 });

for (const [transport, mode] of [
  ['shared', 'isolated'],
  ['ports', 'isolated'],
  ['ports', 'plain'],
] as const) {
  test.describe(`${transport}, ${mode} page`, () => {
    let page: Page;
    test.beforeAll(async ({ browser }) => {
      page = await browser.newPage();
      await open(page, mode);
    });
    test.afterAll(() => page.close());

    for (const worldSize of [1, 2, 3, 5, 8, 16]) {
      test(`TR-1 ${worldSize} ranks end with the bits of the simulation`, async () => {
        for (const length of [worldSize - 1, 1000 + worldSize]) {
          const { faults } = await run(page, worldSize, job(worldSize, length, { transport }));
          expect(faults).toEqual([]);
        }
      });
    }

    test('TR-1 ranks that swap and overwrite one chunk read the values from before', async () => {
      const calls = [{ schedule: recursiveDoubling(4), range: { start: 0, end: 20_000 } }];
      const { faults } = await run(page, 4, job(4, 20_000, { transport, calls, rounds: 20 }));
      expect(faults).toEqual([]);
    });

    test('TR-4 ranks that pause change nothing', async () => {
      const { faults } = await run(page, 5, job(5, 1003, { transport, pauseMs: 20 }));
      expect(faults).toEqual([]);
    });

    test('TR-3 an abort ends what is under way; new links work', async () => {
      const length = 100_000;
      const calls = [{ schedule: ringAllReduce(4), range: { start: 0, end: length } }];
      for (const withheld of [[0], [2, 3]]) {
        const broken = await abort(page, 4, job(4, length, { transport, calls, withheld }));
        expect(broken.faults).toEqual([]);
        expect(broken.milliseconds).toBeLessThan(ABORT_MS);
        const { faults } = await run(page, 4, job(4, length, { transport, calls }));
        expect(faults).toEqual([]);
      }
    });

    test('TR-6 200 rounds allocate no buffers', async () => {
      const calls = [{ schedule: ringAllReduce(4), range: { start: 0, end: 4096 } }];
      const result = await run(page, 4, job(4, 4096, { transport, calls, rounds: 200 }));
      expect(result.faults).toEqual([]);
      expect(result.allocated).toEqual([0, 0, 0, 0]);
    });
  });
}
