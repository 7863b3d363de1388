/** @file Augmented digits in whole runs, on a few images made here. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { requireExperiment } from '#experiment/parse';
import type { LogEvent } from '#run/log';
import { serveDigits } from './digits.ts';
import { runInProcess } from './run-in-process.ts';
import { stepsOf } from './whole-runs.ts';

beforeEach(() => {
  vi.stubGlobal('fetch', serveDigits());
});
afterEach(() => {
  vi.unstubAllGlobals();
});

async function run(changes: Record<string, unknown>) {
  const experiment = requireExperiment({
    model: { kind: 'softmax' },
    batchPerRank: 8,
    backend: 'fused',
    duration: { unit: 'steps', count: 12 },
    evalEvery: 12,
    ...changes,
  });
  return runInProcess(experiment);
}

const augmentations = (events: readonly LogEvent[]) =>
  stepsOf(events).map((event) => event.augmentations);

test('DA-11 MI-5 four ranks draw four augmentations a step; with equal seeds they all draw one', async () => {
  const data = { augment: 'shift' };
  const good = await run({ data });
  const bad = await run({ data, mistakes: { equalAugmentation: true } });
  expect(good.last.failure).toBeNull();
  expect(augmentations(good.events)).toEqual(Array.from({ length: 12 }, () => 4));
  expect(augmentations(bad.events)).toEqual(Array.from({ length: 12 }, () => 1));
  // Rank 0 draws what it always does; the others do not.
  const first = (events: readonly LogEvent[]) => stepsOf(events)[0]?.lossPerRank ?? [];
  expect(first(bad.events)[0]).toBe(first(good.events)[0]);
  expect(first(bad.events)[1]).not.toBe(first(good.events)[1]);
  const again = await run({ data });
  expect(again.last.logHash).toBe(good.last.logHash);
});

test('DA-11 augmentation changes the training batches; a run without it says nothing of it', async () => {
  const plain = await run({});
  const shifted = await run({ data: { augment: 'shift' } });
  expect(augmentations(plain.events)).toEqual(Array.from({ length: 12 }, () => undefined));
  expect(stepsOf(plain.events)[0]?.loss).not.toBe(stepsOf(shifted.events)[0]?.loss);
});

test.each([
  [{ kind: 'backup', backups: 1 }, 3],
  [{ balance: 'speeds', slowdowns: [1, 3] }, 4],
  [{ kind: 'async' }, undefined],
])('DA-11 under %j only the ranks of a step are counted', async (sync, distinct) => {
  const { events } = await run({ replicas: 4, data: { augment: 'shift' }, sync });
  expect(augmentations(events)).toEqual(Array.from({ length: 12 }, () => distinct));
});
