/**
 * @file The data loader of one rank, as PyTorch's DataLoader: `workers` load ahead of training, and
 * no more than `depth` batches are under way or waiting.
 */
import { PURPOSE, randomStream } from '#core/random';
import { endedBy } from './slowdown.ts';
import { type Ns, ns } from './time.ts';

export interface LoaderConfig {
  /** 0 loads each batch when it is asked for. */
  readonly workers: number;
  /** Batches ahead: PyTorch's prefetch_factor times its workers. */
  readonly depth: number;
  /** One worker's time for one batch. */
  readonly batchNs: Ns;
  /** Of the lognormal factor on each batch's time, mean 1; 0 for none. */
  readonly sigma: number;
}

/** Loading takes `factor` times as long for batches that a worker begins in this time. */
export interface LoaderSlowdown {
  readonly factor: number;
  readonly fromNs: Ns;
  readonly untilNs: Ns;
}

/** Moments of the last batches, oldest first. */
export interface LoaderState {
  readonly batches: number;
  readonly takenNs: readonly Ns[];
  readonly loadedNs: readonly Ns[];
}

/**
 * Batch i is asked for when batch i - depth is taken (at 0 before that), loaded by worker i mod
 * `workers` after that one's batch before, and handed out in order.
 */
export class Loader {
  private readonly config: LoaderConfig;
  private readonly seed: number;
  private readonly rank: number;
  private slowdowns: readonly LoaderSlowdown[] = [];
  private batches = 0;
  /** Of the last `depth` batches, and of each worker's last one. */
  private readonly takenNs: Float64Array;
  private readonly loadedNs: Float64Array;

  /** Throws RangeError for counts that are no integers from 0 (depth: 1) on, or times below 0. */
  constructor(config: LoaderConfig, seed: number, rank: number) {
    requireLoader(config);
    this.config = config;
    this.seed = seed;
    this.rank = rank;
    this.takenNs = new Float64Array(config.depth);
    this.loadedNs = new Float64Array(config.workers);
  }

  slow(slowdown: LoaderSlowdown): void {
    if (!(slowdown.factor > 0)) {
      throw new RangeError(`slow loader: factor ${slowdown.factor}; more than 0 is allowed`);
    }
    this.slowdowns = [...this.slowdowns, slowdown];
  }

  /** Batches that a worker begins from `timeNs` on take their usual time. */
  relieve(timeNs: Ns): void {
    this.slowdowns = this.slowdowns.map((each) => endedBy(each, timeNs));
  }

  /** The rank asks for its next batch at `timeNs`; returns when it has it. */
  take(timeNs: number): number {
    const { workers, depth } = this.config;
    const batch = this.batches++;
    if (workers === 0) return timeNs + this.loadNs(batch, timeNs);
    const slot = batch % depth;
    const worker = batch % workers;
    const begins = Math.max(this.takenNs[slot], this.loadedNs[worker]);
    const loaded = begins + this.loadNs(batch, begins);
    const taken = Math.max(timeNs, loaded);
    this.loadedNs[worker] = loaded;
    this.takenNs[slot] = taken;
    return taken;
  }

  /** Batches that are loaded and wait at `timeNs`, if nothing more was taken by then. */
  waiting(timeNs: number): number {
    const { workers, depth } = this.config;
    if (workers === 0) return 0;
    const loaded = this.loadedNs.slice();
    let count = 0;
    for (let batch = this.batches; count < depth; batch++) {
      const worker = batch % workers;
      const begins = Math.max(this.takenNs[batch % depth], loaded[worker]);
      loaded[worker] = begins + this.loadNs(batch, begins);
      if (loaded[worker] > timeNs) break;
      count++;
    }
    return count;
  }

  snapshot(): LoaderState {
    return {
      batches: this.batches,
      takenNs: Array.from(this.takenNs, ns),
      loadedNs: Array.from(this.loadedNs, ns),
    };
  }

  restore({ batches, takenNs, loadedNs }: LoaderState): void {
    this.batches = batches;
    this.takenNs.set(takenNs);
    this.loadedNs.set(loadedNs);
  }

  private loadNs(batch: number, atNs: number): number {
    const { batchNs, sigma } = this.config;
    let time: number = batchNs;
    if (sigma > 0) {
      const { normal } = randomStream(this.seed, PURPOSE.loaderJitter, this.rank, batch);
      time *= Math.exp(sigma * normal() - sigma ** 2 / 2);
    }
    for (const { factor, fromNs, untilNs } of this.slowdowns) {
      if (fromNs <= atNs && atNs < untilNs) time *= factor;
    }
    return time;
  }
}

/**
 * Steady time of a step that computes for `computeNs`, without jitter: max(compute, load / min(
 * workers, depth)), or their sum without workers.
 */
export function loaderPeriodNs({ workers, depth, batchNs }: LoaderConfig, computeNs: Ns): Ns {
  if (workers === 0) return ns(computeNs + batchNs);
  return ns(Math.max(computeNs, batchNs / Math.min(workers, depth)));
}

function requireLoader({ workers, depth, batchNs, sigma }: LoaderConfig): void {
  const counts = Number.isInteger(workers) && workers >= 0 && Number.isInteger(depth) && depth >= 1;
  if (counts && batchNs >= 0 && sigma >= 0) return;
  throw new RangeError(
    `loader: ${workers} workers, depth ${depth}, ${batchNs} ns a batch, sigma ${sigma}; workers ` +
      'from 0, a depth from 1, times and sigma from 0 are allowed',
  );
}
