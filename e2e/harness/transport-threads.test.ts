/** @file Both transports over real threads, with real MessagePorts; the browser tests do the same. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ringBroadcast } from '#core/broadcast';
import { ringAllReduce } from '#core/ring';
import { randomSchedule, recursiveDoubling } from './transport-schedules.ts';
import {
  faultsOf,
  faultsOfAbort,
  type RankWorker,
  startJob,
  type TeamJob,
} from './transport-team.ts';

/** It takes a few; the rest is for a machine that does much else. */
const ABORT_MS = 2000;
const TRANSPORTS = ['shared', 'ports'] as const;

let folder = '';
const threads: Worker[] = [];
const ranks: RankWorker[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ringside-threads-'));
  await build({
    configFile: false,
    logLevel: 'error',
    publicDir: false,
    build: {
      ssr: 'e2e/harness/transport-thread.ts',
      outDir: folder,
      emptyOutDir: true,
      rolldownOptions: { output: { entryFileNames: 'thread.mjs' } },
    },
  });
});

afterAll(async () => {
  await Promise.all(threads.map((thread) => thread.terminate()));
  rmSync(folder, { recursive: true, force: true });
});

/** The first `worldSize` threads, kept from test to test. */
function team(worldSize: number): RankWorker[] {
  while (ranks.length < worldSize) ranks.push(newRank());
  return ranks.slice(0, worldSize);
}

function newRank(): RankWorker {
  const thread = new Worker(join(folder, 'thread.mjs'));
  threads.push(thread);
  return {
    // Node's ports are of another type than the DOM's; what is used of them is the same.
    post: (request, ports) => thread.postMessage(request, ports as unknown as []),
    listen: (handle) => {
      thread.removeAllListeners('message');
      thread.on('message', handle);
    },
  };
}

/** A ring, a broadcast and some random schedules over the whole vector and over two buckets. */
function job(worldSize: number, length: number, more: Partial<TeamJob>): TeamJob {
  const middle = length >> 1;
  const schedules = [
    ringAllReduce(worldSize),
    ringBroadcast(worldSize),
    ...[1, 2, 3].map((seed) => randomSchedule(seed * 1000 + worldSize, worldSize)),
  ];
  const calls = schedules.flatMap((schedule) => [
    { schedule, range: { start: middle, end: length } },
    { schedule, range: { start: 0, end: middle } },
    { schedule, range: { start: 0, end: length } },
  ]);
  const common = { length, calls, rounds: 2, seed: worldSize, pauseMs: 0, withheld: [] };
  return { transport: 'shared', ...common, ...more };
}

describe.each(TRANSPORTS)('%s', (transport) => {
  test.each([1, 2, 3, 5, 8])('TR-1 %i ranks end with the bits of the simulation', async (n) => {
    for (const length of [0, n - 1, 1000 + n]) {
      const each = job(n, length, { transport });
      expect(faultsOf(each, await startJob(team(n), each).answers)).toEqual([]);
    }
  });

  test('TR-1 ranks that swap and overwrite one chunk read the values from before', async () => {
    const calls = [{ schedule: recursiveDoubling(4), range: { start: 0, end: 5000 } }];
    const each = job(4, 5000, { transport, calls, rounds: 20 });
    expect(faultsOf(each, await startJob(team(4), each).answers)).toEqual([]);
  });

  test('TR-4 ranks that pause change nothing', async () => {
    const each = job(4, 999, { transport, pauseMs: 5 });
    expect(faultsOf(each, await startJob(team(4), each).answers)).toEqual([]);
  });

  test('TR-3 an abort ends what is under way; new links work', async () => {
    const length = 10_000;
    const calls = [{ schedule: ringAllReduce(4), range: { start: 0, end: length } }];
    for (const withheld of [[0], [2, 3]]) {
      const broken = job(4, length, { transport, calls, withheld });
      const { faults, milliseconds } = await faultsOfAbort(team(4), broken);
      expect(faults).toEqual([]);
      expect(milliseconds).toBeLessThan(ABORT_MS);
      const again = job(4, length, { transport, calls });
      expect(faultsOf(again, await startJob(team(4), again).answers)).toEqual([]);
    }
  });

  test('TR-5 bytes are those of the chunks sent, the same on both transports', async () => {
    const calls = [
      { schedule: ringAllReduce(4), range: { start: 0, end: 1000 } },
      { schedule: ringAllReduce(4), range: { start: 0, end: 3 } },
      { schedule: ringBroadcast(4, 2), range: { start: 0, end: 1000 } },
    ];
    const answers = await startJob(team(4), job(4, 1000, { transport, calls })).answers;
    expect(answers.map(({ reports }) => reports.map(({ bytesSent }) => bytesSent))).toEqual([
      [6000, 16, 4000],
      [6000, 16, 4000],
      [6000, 20, 4000],
      [6000, 20, 0],
    ]);
    expect(answers.map(({ reports }) => reports.map(({ messagesSent }) => messagesSent))).toEqual([
      [6, 4, 2],
      [6, 4, 2],
      [6, 5, 2],
      [6, 5, 0],
    ]);
  });

  test('TR-6 a steady ring allocates no buffers', async () => {
    const calls = [{ schedule: ringAllReduce(3), range: { start: 0, end: 4000 } }];
    const each = job(3, 4000, { transport, calls, rounds: 200 });
    const answers = await startJob(team(3), each).answers;
    expect(faultsOf(each, answers)).toEqual([]);
    expect(answers.map(({ allocated }) => allocated)).toEqual([0, 0, 0]);
  });
});
