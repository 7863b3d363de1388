/**
 * @file Rules of synchronisation beyond the all-reduce of every step. They decide; who calls them,
 * and in which order events come, is given from outside (by the cluster clock, or a list in tests).
 */
import { createOptimizer, type OptimizerState } from './optimizers.ts';
import type { SyncConfig } from './plan.ts';

/** Local SGD [Stich 2019]: ranks average their weights after every `period` steps. */
export function averagesAfterStep(step: number, period: number): boolean {
  requireWhole('local SGD period', period, 1);
  return (step + 1) % period === 0;
}

/**
 * Post-local SGD [Lin et al. 2020; PyTorch PeriodicModelAverager]: gradients are all-reduced for
 * `warmupSteps` steps; from then on weights are averaged at the warm-up's end and every `period`
 * steps after it. `step` is PyTorch's counter before it goes up.
 */
export function postLocalAverages(step: number, warmupSteps: number, period: number): boolean {
  requireWhole('post-local SGD period', period, 1);
  return step >= warmupSteps && (step - warmupSteps) % period === 0;
}

/** Mean of the ranks' weights in rank order, into `out`; divided after the sum, in float32. */
export function meanOf(vectors: readonly Float32Array[], out: Float32Array): void {
  out.set(vectors[0]);
  for (const vector of vectors.slice(1)) for (let i = 0; i < out.length; i++) out[i] += vector[i];
  for (let i = 0; i < out.length; i++) out[i] /= vectors.length;
}

export interface DilocoConfig {
  /** Douillard et al.: 0.7. */
  readonly outerRate: number;
  /** Nesterov momentum; 0.9. */
  readonly outerMomentum: number;
}

export interface DilocoOuter {
  init(length: number): OptimizerState;
  /** Moves `global`, in place, by one outer step towards `mean`, the mean of the ranks' weights. */
  update(state: OptimizerState, global: Float32Array, mean: Float32Array): void;
}

/**
 * DiLoCo [Douillard et al. 2023]: after H inner steps the outer gradient old - mean goes through SGD
 * with Nesterov momentum. With rate 1 and no momentum it is local SGD.
 */
export function dilocoOuter({ outerRate, outerMomentum }: DilocoConfig): DilocoOuter {
  const optimizer = createOptimizer({
    kind: 'sgd',
    momentum: outerMomentum,
    nesterov: outerMomentum > 0,
    weightDecay: 0,
  });
  return {
    init: (length) => optimizer.init(length),
    update: (state, global, mean) => {
      const outerGradient = global.map((value, i) => value - mean[i]);
      optimizer.update(state, global, outerGradient, outerRate);
    },
  };
}

/** Updates of the server between the weights a gradient was computed from and its arrival. */
export function stalenessOf(serverClock: number, gradientClock: number): number {
  if (gradientClock <= serverClock) return serverClock - gradientClock;
  throw new RangeError(
    `gradient of clock ${gradientClock} at server clock ${serverClock}: it cannot come from the future`,
  );
}

/** Staleness-aware rate [Zhang et al. 2016]: rate / staleness, the rate itself at staleness 0. */
export function stalenessAwareRate(rate: number, staleness: number): number {
  return rate / Math.max(1, staleness);
}

/** n-softsync [Zhang et al. 2016]: gradients that the server gathers for one update, floor(workers / n). */
export function softsyncCount(workers: number, splits: number): number {
  requireWhole('softsync splits', splits, 1);
  if (splits > workers) {
    throw new RangeError(`softsync: ${splits} splits of ${workers} workers; at most one a worker`);
  }
  return Math.floor(workers / splits);
}

/** Whether rank 0 keeps the weights, and the others push gradients when they are done. */
export function hasServer(sync: SyncConfig): sync is Extract<SyncConfig, { splits: number }> {
  return sync.kind === 'async' || sync.kind === 'ssp';
}

/** Whether batches go by the ranks' speeds, so that not all gradients count alike. */
export function isBalanced(sync: SyncConfig): boolean {
  return sync.kind === 'allReduce' && sync.balance === 'speeds';
}

/** Gradients that one step of a run is made of; `splits` beyond the workers count as one each. */
export function gradientsAStep(sync: SyncConfig, workers: number): number {
  if (sync.kind === 'backup') return workers - sync.backups;
  if (!hasServer(sync)) return workers;
  return softsyncCount(workers, Math.min(sync.splits, workers));
}

/** An asynchronous parameter server: which gradients go into which update, by clocks alone. */
export interface ServerState {
  /** Updates made so far. */
  readonly clock: number;
  /** Staleness of the gradients that wait for the next update, in order of arrival. */
  readonly waiting: readonly number[];
}

export const EMPTY_SERVER: ServerState = { clock: 0, waiting: [] };

export interface ServerPush {
  readonly state: ServerState;
  readonly staleness: number;
  /** The waiting gradients, this one last, are averaged and applied now. */
  readonly applies: boolean;
}

/** A gradient computed from the weights of `gradientClock` arrives; `count` gradients make an update. */
export function serverPush(state: ServerState, gradientClock: number, count: number): ServerPush {
  requireWhole('gradients an update', count, 1);
  const staleness = stalenessOf(state.clock, gradientClock);
  const waiting = [...state.waiting, staleness];
  const applies = waiting.length >= count;
  const next = applies ? { clock: state.clock + 1, waiting: [] } : { clock: state.clock, waiting };
  return { state: next, staleness, applies };
}

/**
 * Stale synchronous parallel [Ho et al. 2013]: a worker may begin its next step unless its clock
 * (completed steps) exceeds the slowest one's by more than `bound`. Bound 0 is BSP.
 */
export function sspAdmits(clocks: readonly number[], worker: number, bound: number): boolean {
  requireWhole('SSP bound', bound, 0);
  return clocks[worker] - Math.min(...clocks) <= bound;
}

/** The arrival of one rank's gradient, in whatever unit of time. */
export interface Arrival {
  readonly rank: number;
  readonly time: number;
}

/** Who takes part in a step with backup workers. */
export interface BackupChoice {
  /** Ranks whose gradients are averaged, ascending. */
  readonly kept: readonly number[];
  /** Ranks whose gradients are dropped, ascending. */
  readonly dropped: readonly number[];
  /** When the last one that counts is there. */
  readonly time: number;
}

/**
 * Backup workers [Chen et al. 2016]: the step takes the first `needed` gradients and drops the
 * rest; of equal times the lower rank goes first. Throws RangeError if there are not so many.
 */
export function firstArrivals(arrivals: readonly Arrival[], needed: number): BackupChoice {
  requireWhole('gradients needed', needed, 1);
  if (needed > arrivals.length) {
    throw new RangeError(
      `backup workers: ${needed} of ${arrivals.length} gradients needed; at most all`,
    );
  }
  const order = arrivals.toSorted((a, b) => a.time - b.time || a.rank - b.rank);
  const ranks = (part: readonly Arrival[]): number[] =>
    part.map(({ rank }) => rank).sort((a, b) => a - b);
  return {
    kept: ranks(order.slice(0, needed)),
    dropped: ranks(order.slice(needed)),
    time: order[needed - 1].time,
  };
}

/** Gradients a unit of time of each worker, from how many times slower it is; 1 where the list ends. */
export function speedsOf(slowdowns: readonly number[], workers: number): readonly number[] {
  return Array.from({ length: workers }, (_, rank) => 1 / (slowdowns[rank] ?? 1));
}

/**
 * Load-balanced bulk synchronous parallel [Chen et al. 2020]: shares of `total` samples in
 * proportion to the workers' speeds; what rounding leaves goes to the largest remainders, the lower
 * rank first. A rank's gradient then counts with weight share / total.
 */
export function balancedBatches(total: number, speeds: readonly number[]): number[] {
  const sum = speeds.reduce((all, speed) => all + speed, 0);
  const exact = speeds.map((speed) => (total * speed) / sum);
  const shares = exact.map(Math.floor);
  const missing = total - shares.reduce((all, share) => all + share, 0);
  const order = [...exact.keys()].sort(
    (a, b) => exact[b] - shares[b] - (exact[a] - shares[a]) || a - b,
  );
  for (const rank of order.slice(0, missing)) shares[rank]++;
  return shares;
}

function requireWhole(what: string, value: number, least: number): void {
  if (Number.isInteger(value) && value >= least) return;
  throw new RangeError(`${what}: ${value}; whole numbers from ${least} on are allowed`);
}
