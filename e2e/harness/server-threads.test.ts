/** @file Asynchronous runs in real threads over both transports, with workers that dawdle at random. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { build } from 'vite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Plan } from '#core/plan';
import type { Dataset } from '#data/dataset';
import { pointsDataset } from '#data/points';
import { requireExperiment } from '#experiment/parse';
import { resolvePlan, taskShapeOf } from '#experiment/plan';
import { stepEvent } from '#run/assemble';
import { abortArena, createArena } from '#transport/arena';
import type { Links } from '#transport/create';
import { connectPorts } from '#transport/ports';
import type { ServerAnswer, ServerJob } from './server-thread.ts';

const REPLICAS = 3;
let folder = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ringside-server-'));
  await build({
    configFile: false,
    logLevel: 'error',
    publicDir: false,
    ssr: { noExternal: true },
    build: {
      ssr: 'e2e/harness/server-thread.ts',
      outDir: folder,
      emptyOutDir: true,
      rolldownOptions: { output: { entryFileNames: 'server.mjs' } },
    },
  });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function prepared(sync: Record<string, unknown>, steps: number): { plan: Plan; data: Dataset } {
  const experiment = requireExperiment({
    data: { name: 'spirals', samples: 200 },
    model: { kind: 'mlp', hidden: [8, 8], activation: 'tanh' },
    replicas: REPLICAS,
    batchPerRank: 8,
    duration: { unit: 'steps', count: steps },
    evalEvery: 10,
    logEvery: 1,
    sync,
  });
  if (experiment.data.name !== 'spirals') throw new Error('spirals were expected');
  const counts = { trainCount: 200, testCount: 200 };
  const plan = resolvePlan(experiment, { ...counts, task: taskShapeOf(experiment.data, 0) });
  return { plan, data: pointsDataset(experiment.data, 0) };
}

type Transport = 'shared' | 'ports';

interface Team {
  readonly answers: Promise<ServerAnswer[]>;
  abort(): void;
  end(): Promise<unknown>;
}

function start(
  { plan, data }: { plan: Plan; data: Dataset },
  transport: Transport,
  pauseMs: number,
): Team {
  const vectorLength = plan.model.parameterCount;
  const arena = createArena(REPLICAS, vectorLength, true);
  const rows = connectPorts(REPLICAS);
  const threads = rows.map(() => new Worker(join(folder, 'server.mjs')));
  const answers = threads.map(
    (thread, rank) =>
      new Promise<ServerAnswer>((resolve, reject) => {
        thread.on('message', resolve);
        thread.on('error', reject);
        const ports = rows[rank] ?? [];
        const link: Links = transport === 'shared' ? { transport, arena } : { transport, ports };
        const setup = { rank, worldSize: REPLICAS, vectorLength, link };
        const job: ServerJob = { plan, setup, data, pauseMs };
        const transferred = transport === 'shared' ? [] : ports.filter((port) => port !== null);
        thread.postMessage(job, transferred as unknown as []);
      }),
  );
  return {
    answers: Promise.all(answers),
    abort: () => abortArena(arena),
    end: () => Promise.all(threads.map((thread) => thread.terminate())),
  };
}

const CLOCK = {
  advance: (step: number) => ({
    endMs: step,
    stepMs: 1,
    computeMs: [],
    exposedMs: [],
    waitMs: [],
    dataMs: [],
  }),
};

/** The log's step records of the answers. */
function events(plan: Plan, answers: readonly ServerAnswer[]): object[] {
  return Array.from({ length: plan.totalSteps }, (_, step) => {
    const perRank = answers.flatMap(({ reports }) => reports.slice(step, step + 1));
    expect(perRank).toHaveLength(REPLICAS);
    return stepEvent(plan, perRank, CLOCK);
  });
}

/** Whether gradients of two ranks were under way at one wall time. */
function overlap(answers: readonly ServerAnswer[]): boolean {
  const all = answers.flatMap(({ rank, computed }) =>
    computed.map(([fromMs, toMs]) => ({ rank, fromMs, toMs })),
  );
  return all.some((a) =>
    all.some((b) => a.rank !== b.rank && a.fromMs < b.toMs && b.fromMs < a.toMs),
  );
}

test.each([
  { kind: 'async', slowdowns: [1, 1, 3] },
  { kind: 'ssp', bound: 1, slowdowns: [1, 1, 3], splits: 2 },
])(
  'SY-16 SY-17 $kind: the log is the same over both transports, however the workers dawdle',
  async (sync) => {
    const run = prepared(sync, 25);
    const found: object[][] = [];
    const cases = [
      ['shared', 0],
      ['shared', 20],
      ['ports', 20],
    ] as const;
    for (const [transport, pauseMs] of cases) {
      const team = start(run, transport, pauseMs);
      const answers = await team.answers;
      await team.end();
      expect(answers.map(({ error }) => error)).toEqual([null, null, null]);
      found.push(events(run.plan, answers));
      if (pauseMs > 0) expect(overlap(answers)).toBe(true);
    }
    expect(found[1]).toEqual(found[0]);
    expect(found[2]).toEqual(found[0]);
  },
);

test('SY-16 TR-3 an abort ends the waits of an asynchronous run', async () => {
  const team = start(prepared({ kind: 'async' }, 100_000), 'shared', 5);
  await new Promise((done) => setTimeout(done, 500));
  team.abort();
  const answers = await team.answers;
  await team.end();
  for (const { error } of answers) expect(error).toContain('CollectiveAbortedError');
});
