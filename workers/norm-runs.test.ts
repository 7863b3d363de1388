/** @file Batch norms together with the other ways to train, in whole runs on a few images. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { requireExperiment } from '#experiment/parse';
import type { StepEvent } from '#run/log';
import { serveDigits } from './digits.ts';
import { type FinishedRun, runInProcess } from './run-in-process.ts';

// In Node the cpu backend advertises its native sister on every new instance.
vi.spyOn(console, 'warn').mockImplementation(() => undefined);

beforeEach(() => {
  vi.stubGlobal('fetch', serveDigits());
});
afterEach(() => {
  vi.unstubAllGlobals();
});

const FULL = process.env.RINGSIDE_FULL !== undefined;
const STEPS = 8;
const cnn = (norm: string) => ({ kind: 'cnn', channels: [2, 3], dense: 4, norm });

async function run(changes: Record<string, unknown>): Promise<FinishedRun> {
  const experiment = requireExperiment({
    model: cnn('batch'),
    optimizer: { kind: 'sgd', momentum: 0 },
    backend: 'cpu',
    replicas: 2,
    batchPerRank: 8,
    duration: { unit: 'steps', count: STEPS },
    evalEvery: 4,
    logEvery: 1,
    ...changes,
  });
  return runInProcess(experiment);
}

async function finished(changes: Record<string, unknown>): Promise<FinishedRun> {
  const done = await run(changes);
  expect(done.last.failure).toBeNull();
  expect(done.last.status).toBe('finished');
  return done;
}

const stepsOf = ({ events }: FinishedRun): StepEvent[] =>
  events.filter((event) => event.type === 'step');

test.each<Record<string, unknown>>([
  { sync: { kind: 'async', slowdowns: [2, 1] } },
  { sync: { kind: 'ssp', bound: 1 } },
  { sync: { kind: 'backup', backups: 1, slowdowns: [2, 1] } },
  { sync: { balance: 'speeds', slowdowns: [3, 1] } },
  { sync: { kind: 'localSgd', period: 2 } },
  { data: { augment: 'shift' } },
  { measure: { noiseScale: true } },
  { model: cnn('syncBatch'), measure: { noiseScale: true } },
  { model: cnn('syncBatch'), communication: { combine: 'adasum' }, buckets: { rule: 'horovod' } },
])('DP-32 LG-8 batch norms train with %j, again to the bit', async (changes) => {
  const first = await finished(changes);
  expect(stepsOf(first).every(({ loss }) => Number.isFinite(loss))).toBe(true);
  expect(first.events.filter(({ type }) => type === 'disagreement')).toEqual([]);
  if (!FULL && !('model' in changes)) return;
  const again = await finished(changes);
  expect(again.last.logHash).toBe(first.last.logHash);
});

/** The bytes that both ranks sent in each step. */
const bytesOf = (done: FinishedRun): number[] =>
  stepsOf(done).map(({ bytesPerRank }) => bytesPerRank.reduce((sum, bytes) => sum + bytes, 0));

// Mean and variance of 2 + 3 channels, over the one link of a chain of two.
const BUFFER_BYTES = 4 * 2 * (2 + 3);

test.each([{ kind: 'async' }, { kind: 'backup', slowdowns: [1, 2], jitter: 0 }])(
  'DP-32 MI-20 under %j buffers are broadcast when the ranks agree, unless that is left out',
  async (sync) => {
    const good = await finished({ sync });
    const bad = await finished({ sync, mistakes: { noBufferBroadcast: true } });
    const own = bytesOf(bad);
    const expected = stepsOf(good).map(
      ({ synchronised }, i) => (own[i] ?? 0) + (synchronised ? BUFFER_BYTES : 0),
    );
    expect(bytesOf(good)).toEqual(expected);
    expect(stepsOf(good).at(-1)?.synchronised).toBe(true);
  },
);

test('DP-32 SY-20 where rank 0 comes too late, the buffers are those of a rank that did not', async () => {
  const sync = { kind: 'backup', slowdowns: [2, 1], jitter: 0 };
  const meanOf = async ({ conductor }: FinishedRun): Promise<unknown> =>
    (await conductor.weights())['norm1.running_mean'];
  expect(await meanOf(await finished({ sync }))).not.toEqual([0, 0]);
  // Rank 0 itself has never seen a batch.
  const own = await finished({ sync, mistakes: { noBufferBroadcast: true } });
  expect(await meanOf(own)).toEqual([0, 0]);
});

test('MI-10 DP-32 around the wrapper no buffers are broadcast either', async () => {
  const bare = bytesOf(await run({ mistakes: { unsyncedModule: true } }));
  expect(bare.slice(0, STEPS / 2).every((bytes) => bytes > BUFFER_BYTES)).toBe(true);
  expect(bare.slice(STEPS / 2)).toEqual([0, 0, 0, 0]);
});

test('MI-6 DP-31 with synchronised norms the others wait for the statistics of the one that left', async () => {
  // 160 images on two ranks are ten batches of 8 an epoch.
  const duration = { unit: 'epochs', count: 1 };
  const done = await run({
    data: { name: 'mnist', size: 'small' },
    model: cnn('syncBatch'),
    duration,
    mistakes: { unequalBatches: true },
  });
  expect(done.last.status).toBe('failed');
  expect(done.events.slice(-2)).toEqual([
    { type: 'hang', step: 9, rank: 1, waiting: [0] },
    { type: 'end', step: 9, reason: 'hang' },
  ]);
}, 20_000);
