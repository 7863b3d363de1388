/** @file The data of a run, as the replicas get it: loaded, counted, and shared where possible. */
import type { TaskShape } from '#core/model';
import { loadDataset } from '#data/load';
import type { Experiment } from '#experiment/experiment';
import type { ReplicaData, ReplicaSplit } from '#protocol/replica';
import type { GivenBatches } from './given.ts';

export interface RunData {
  readonly task: TaskShape;
  readonly data: ReplicaData;
}

export interface LoadOptions {
  readonly dataUrl: string;
  readonly signal: AbortSignal;
  readonly onProgress: (fraction: number, detail: string) => void;
}

/** Loads the experiment's data set, with progress by shard. Throws DataError on a bad file. */
export async function loadRunData(experiment: Experiment, options: LoadOptions): Promise<RunData> {
  const dataset = await loadDataset(experiment.data, experiment.seed, {
    dataUrl: options.dataUrl,
    signal: options.signal,
    fetch: (input, init) => fetch(input, init),
    onProgress: options.onProgress,
  });
  const { task, train, test, alphabet } = dataset;
  return { task, data: { train, test, alphabet: alphabet ?? null } };
}

/** Batches given from outside; there is nothing to test on. */
export function givenRunData(given: GivenBatches): RunData {
  const test = { kind: 'labelled', count: 0, x: new Float32Array(), y: new Uint8Array() } as const;
  return { task: given.task, data: { train: given.split, test, alphabet: null } };
}

/** Puts the data into shared memory, so that N replicas hold it once instead of N times. */
export function shareData(data: ReplicaData): ReplicaData {
  return { ...data, train: shareSplit(data.train), test: shareSplit(data.test) };
}

function shareSplit(split: ReplicaSplit): ReplicaSplit {
  switch (split.kind) {
    case 'labelled':
      return { ...split, x: shareArray(split.x), y: shareArray(split.y) };
    case 'text':
      return { ...split, tokens: shareArray(split.tokens) };
    case 'given':
      return split;
  }
}

function shareArray<T extends Uint8Array | Float32Array>(array: T): T {
  const shared = new SharedArrayBuffer(array.byteLength);
  const copy = array instanceof Uint8Array ? new Uint8Array(shared) : new Float32Array(shared);
  copy.set(array);
  return copy as T;
}
