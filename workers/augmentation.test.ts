/** @file Augmented digits in whole runs, on a few images made here. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { hashBytes } from '#core/hash';
import { parseExperiment } from '#experiment/parse';
import type { LogEvent, StepEvent } from '#run/log';
import { runInProcess } from './run-in-process.ts';

const PIXELS = 28 * 28;
const DIGITS = 10;

/** `count` images in the packed format: a bright square whose place tells the digit. */
function packedDigits(count: number): Uint8Array<ArrayBuffer> {
  const content = new Uint8Array(16 + count * (1 + PIXELS));
  content.set(new TextEncoder().encode('RSIM'));
  const header = new DataView(content.buffer);
  [1, count, PIXELS].forEach((value, i) => {
    header.setUint32(4 + 4 * i, value, true);
  });
  for (let i = 0; i < count; i++) {
    const digit = i % DIGITS;
    content[16 + i] = digit;
    for (let pixel = 0; pixel < 16; pixel++) {
      const row = 4 + 14 * Math.floor(digit / 5) + Math.floor(pixel / 4);
      const column = 2 + 5 * (digit % 5) + (pixel % 4);
      content[16 + count + i * PIXELS + 28 * row + column] = 255;
    }
  }
  return content;
}

beforeEach(() => {
  const files = { 'a.bin': packedDigits(80), 'b.bin': packedDigits(80), 't.bin': packedDigits(20) };
  const entry = (name: keyof typeof files) => {
    const bytes = files[name];
    const count = (bytes.length - 16) / (1 + PIXELS);
    return { name, bytes: bytes.length, count, checksum: hashBytes(bytes) };
  };
  const mnist = { train: [entry('a.bin'), entry('b.bin')], test: [entry('t.bin')] };
  const manifest = new TextEncoder().encode(JSON.stringify({ format: 1, data: { mnist } }));
  const served = new Map<string, Uint8Array<ArrayBuffer>>(Object.entries(files));
  served.set('manifest.json', manifest);
  vi.stubGlobal(
    'fetch',
    async (url: string) => new Response(served.get(url.split('/').at(-1) ?? '')),
  );
});
afterEach(() => {
  vi.unstubAllGlobals();
});

async function run(changes: Record<string, unknown>) {
  const parsed = parseExperiment({
    model: { kind: 'softmax' },
    batchPerRank: 8,
    backend: 'fused',
    duration: { unit: 'steps', count: 12 },
    evalEvery: 12,
    ...changes,
  });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return runInProcess(parsed.experiment);
}

const stepsOf = (events: readonly LogEvent[]): StepEvent[] =>
  events.filter((event) => event.type === 'step');
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
