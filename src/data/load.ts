/** @file Loads or generates the data set of an experiment. */
import type { DataChoice } from '#experiment/experiment';
import { DataError } from './data-error.ts';
import type { Dataset, LabelledSplit, TextSplit } from './dataset.ts';
import { type FileSource, fetchManifest, fetchPacked, type PackedFile } from './files.ts';
import { pointsDataset } from './points.ts';

const SIDE = 28;
const DIGITS = 10;
/** Files of the small MNIST: 12,000 training and 2,000 test images. */
const SMALL = { train: 2, test: 1 } as const;

export interface LoadOptions extends FileSource {
  /** Called before each file and at the end: a fraction 0 ... 1 and "shard 2 of 5". */
  readonly onProgress: (fraction: number, detail: string) => void;
}

/**
 * The data set of a choice, in memory; points are drawn from `seed`, the others fetched shard by
 * shard. Throws DataError on a missing or damaged file, and the signal's reason once aborted.
 */
export async function loadDataset(
  choice: DataChoice,
  seed: number,
  options: LoadOptions,
): Promise<Dataset> {
  switch (choice.name) {
    case 'mnist':
      return loadMnist(choice.size, options);
    case 'moby-dick':
      return loadMobyDick(options);
    default:
      return pointsDataset(choice, seed);
  }
}

/** Counts the files of one load, so that progress is told over all of them. */
function fileCounter(total: number, { onProgress, signal }: LoadOptions): () => void {
  let begun = 0;
  return () => {
    signal.throwIfAborted();
    if (begun === total) onProgress(1, '');
    else onProgress(begun / total, `shard ${begun + 1} of ${total}`);
    begun++;
  };
}

async function loadMnist(size: 'small' | 'full', options: LoadOptions): Promise<Dataset> {
  const packed = await fetchManifest('mnist', options);
  const pick = (files: readonly PackedFile[], small: number): readonly PackedFile[] =>
    size === 'small' ? files.slice(0, small) : files;
  const [train, test] = [pick(packed.train, SMALL.train), pick(packed.test, SMALL.test)];
  const next = fileCounter(train.length + test.length, options);
  const task = { kind: 'image', height: SIDE, width: SIDE, classes: DIGITS } as const;
  const dataset = {
    name: 'mnist',
    task,
    train: await loadImages(train, options, next),
    test: await loadImages(test, options, next),
  };
  next();
  return dataset;
}

async function loadImages(
  files: readonly PackedFile[],
  source: FileSource,
  next: () => void,
): Promise<LabelledSplit> {
  const pixels = SIDE * SIDE;
  const count = files.reduce((sum, file) => sum + file.count, 0);
  const x = new Uint8Array(count * pixels);
  const y = new Uint8Array(count);
  let at = 0;
  for (const file of files) {
    next();
    const payload = await fetchPacked(file, 'RSIM', pixels, source);
    const labels = payload.subarray(0, file.count);
    if (labels.some((label) => label >= DIGITS)) throw new DataError(file.name, 'a label above 9');
    y.set(labels, at);
    x.set(payload.subarray(file.count), at * pixels);
    at += file.count;
  }
  return { kind: 'labelled', count, x, y };
}

async function loadMobyDick(options: LoadOptions): Promise<Dataset> {
  const { train, test, alphabet } = await fetchManifest('moby-dick', options);
  const next = fileCounter(train.length + test.length, options);
  const dataset = {
    name: 'moby-dick',
    task: { kind: 'text', vocabulary: alphabet.length } as const,
    train: await loadText(train, alphabet.length, options, next),
    test: await loadText(test, alphabet.length, options, next),
    alphabet,
  };
  next();
  return dataset;
}

async function loadText(
  files: readonly PackedFile[],
  vocabulary: number,
  source: FileSource,
  next: () => void,
): Promise<TextSplit> {
  const tokens = new Uint8Array(files.reduce((sum, file) => sum + file.count, 0));
  let at = 0;
  for (const file of files) {
    next();
    const payload = await fetchPacked(file, 'RSTX', 1, source);
    if (payload.some((token) => token >= vocabulary)) {
      throw new DataError(file.name, `a token outside its alphabet of ${vocabulary}`);
    }
    tokens.set(payload, at);
    at += file.count;
  }
  return { kind: 'text', tokens };
}
