/**
 * @file The cluster clock of data-parallel training, step by step: every rank's batch, forward,
 * backward, collectives and update in cluster time. Queues and heat outlast a step.
 */
import { Communicator, type Counters } from './communicator.ts';
import { Loader, type LoaderConfig, type LoaderSlowdown, type LoaderState } from './loader.ts';
import { type LinkObserver, type LinkSlowdown, Network } from './network.ts';
import { RankCompute, type Slowdown } from './slowdown.ts';
import type { Span, SpanKind } from './spans.ts';
import {
  type BackwardPieces,
  backwardPieces,
  type LayerCost,
  passWork,
  type StepJob,
} from './step-job.ts';
import { streamSpans } from './stream-spans.ts';
import type { ThermalState } from './thermal.ts';
import { type Ns, ns } from './time.ts';
import type { Topology } from './topology.ts';

export interface ClockConfig {
  readonly topology: Topology;
  readonly job: StepJob;
  /** Null where a rank always has its data. */
  readonly loader: LoaderConfig | null;
  /**
   * Whether each collective, and the step after an exchange, begins when the last rank is done with
   * the one before. Else each rank goes on alone, and what follows overlaps by a few messages.
   */
  readonly lockstep: boolean;
  readonly seed: number;
  /** Hears of all messages; for the monitor's counters. */
  readonly observer?: LinkObserver;
}

/** What a step's buckets carry: gradients during backward, weights after the update, or nothing. */
export type ExchangeKind = 'gradients' | 'weights' | 'none';

export interface StepInput {
  /** 'gradients' if absent; local SGD takes 'none' and, every H steps, 'weights'. */
  readonly exchange?: ExchangeKind;
  /** Each rank's share of the job's compute, as after balancing; 1 for all if absent. */
  readonly work?: readonly number[];
}

export interface ClusterStep {
  readonly step: number;
  /** [rank]: when it asked for its batch, and when it was done with its weights. */
  readonly startNs: readonly Ns[];
  readonly endNs: readonly Ns[];
  /** What the ranks did; of a rank and stream in order of start. */
  readonly spans: readonly Span[];
  /** [rank]: degrees Celsius, or null where heat is not modelled. */
  readonly celsius: readonly (number | null)[];
}

/** All that a checkpoint needs to go on with. */
export interface ClockState {
  readonly step: number;
  readonly nowNs: Ns;
  /** [rank]: when its next step begins. */
  readonly startNs: readonly Ns[];
  readonly linkFreeNs: readonly Ns[];
  readonly thermal: readonly (ThermalState | null)[];
  readonly loaders: readonly LoaderState[];
}

/** What a rank did up to the end of its last backward. */
interface Computed {
  readonly spans: readonly Span[];
  readonly readyNs: number[];
  readonly backwardEndNs: number;
}

/**
 * Runs steps one after the other; all messages of a step go before those of the next one. What
 * makes ranks, links and loaders slow may be added at any time.
 */
export class StepClock {
  private readonly worldSize: number;
  private readonly network: Network;
  private readonly communicator: Communicator;
  private readonly computes: readonly RankCompute[];
  private readonly loaders: readonly Loader[];
  private readonly lockstep: boolean;
  private job: StepJob;
  private pass: LayerCost;
  private pieces: BackwardPieces;
  /** [rank]: when its next step begins. */
  private readonly startNs: Float64Array;
  private latestNs = 0;
  private nextStep = 0;

  constructor({ topology, job, loader, lockstep, seed, observer }: ClockConfig) {
    const ranks = Array.from({ length: topology.worldSize }, (_, rank) => rank);
    this.worldSize = topology.worldSize;
    this.network = new Network(topology, observer);
    this.communicator = new Communicator(this.network, lockstep);
    this.computes = ranks.map((rank) => new RankCompute(seed, rank));
    this.loaders = loader === null ? [] : ranks.map((rank) => new Loader(loader, seed, rank));
    this.startNs = new Float64Array(topology.worldSize);
    this.lockstep = lockstep;
    this.job = job;
    this.pass = passWork(job);
    this.pieces = backwardPieces(job);
    this.communicator.prepare(job.buckets);
  }

  /** Events of the simulation so far. */
  get events(): number {
    return this.communicator.events;
  }

  get counters(): Counters {
    return this.communicator.counters;
  }

  /** The steps that follow cost this: other precision, compression, batch or buckets. */
  change(job: StepJob): void {
    if (job.buckets !== this.job.buckets) this.communicator.prepare(job.buckets);
    this.job = job;
    this.pass = passWork(job);
    this.pieces = backwardPieces(job);
  }

  /** Slow compute, from now on or in its time. Throws RangeError for a rank that is not there. */
  slow(slowdown: Slowdown): void {
    for (const rank of this.ranksOf(slowdown.ranks)) this.computes[rank].add(slowdown);
  }

  slowLink(slowdown: LinkSlowdown): void {
    this.network.slow(slowdown);
  }

  /** Throws RangeError for a rank that is not there or has no loader. */
  slowLoader(ranks: readonly number[] | 'all', slowdown: LoaderSlowdown): void {
    for (const rank of this.ranksOf(ranks)) {
      const loader = this.loaders[rank];
      if (loader === undefined) throw new RangeError(`slow loader: rank ${rank} has no loader`);
      loader.slow(slowdown);
    }
  }

  /** The moment at which the last rank was done; what is added by hand may begin here. */
  get nowNs(): Ns {
    return ns(this.latestNs);
  }

  /** Ends at `timeNs` all that makes these ranks, their links and loaders slow, but for heat. */
  relieve(ranks: readonly number[] | 'all', timeNs: Ns): void {
    for (const rank of this.ranksOf(ranks)) {
      this.computes[rank].relieve(timeNs);
      this.network.relieve(rank, timeNs);
      this.loaders[rank]?.relieve(timeNs);
    }
  }

  /** Runs the next step on all ranks. Throws RangeError for another number of shares than ranks. */
  step({ exchange = 'gradients', work }: StepInput = {}): ClusterStep {
    if (work !== undefined && work.length !== this.worldSize) {
      throw new RangeError(`step: work of ${work.length} ranks; there are ${this.worldSize}`);
    }
    const step = this.nextStep++;
    const startNs = Array.from(this.startNs, ns);
    const computed = startNs.map((start, rank) =>
      this.compute(rank, step, start, work?.[rank] ?? 1),
    );
    const spans = computed.flatMap((each) => each.spans);
    const endNs =
      exchange === 'gradients'
        ? this.exchangeThenUpdate(computed, spans)
        : this.updateThenExchange(computed, spans, exchange === 'weights');
    this.startNs.set(endNs);
    this.latestNs = endNs.reduce((latest, time) => Math.max(latest, time), this.latestNs);
    if (this.lockstep && exchange !== 'none') this.startNs.fill(this.latestNs);
    return {
      step,
      startNs,
      endNs: endNs.map(ns),
      spans: spans.filter((span) => span.endNs > span.startNs),
      celsius: this.computes.map(({ celsius }) => celsius),
    };
  }

  /** Batches that wait in each rank's loader when its next step begins; empty without loaders. */
  queued(): number[] {
    return this.loaders.map((loader, rank) => loader.waiting(this.startNs[rank]));
  }

  snapshot(): ClockState {
    return {
      step: this.nextStep,
      nowNs: this.nowNs,
      startNs: Array.from(this.startNs, ns),
      linkFreeNs: this.network.snapshot(),
      thermal: this.computes.map((compute) => compute.snapshot()),
      loaders: this.loaders.map((loader) => loader.snapshot()),
    };
  }

  /** Goes on from a state of a clock with the same config and the same slow-downs. */
  restore(state: ClockState): void {
    this.nextStep = state.step;
    this.startNs.set(state.startNs);
    this.latestNs = state.nowNs;
    this.network.restore(state.linkFreeNs);
    state.thermal.forEach((each, rank) => {
      this.computes[rank].restore(each);
    });
    state.loaders.forEach((each, rank) => {
      this.loaders[rank].restore(each);
    });
  }

  /** When each rank is done. */
  private exchangeThenUpdate(computed: readonly Computed[], spans: Span[]): number[] {
    const doneNs = this.communicate((bucket, rank) => computed[rank].readyNs[bucket], spans);
    return computed.map(({ backwardEndNs }, rank) =>
      this.update(rank, Math.max(backwardEndNs, doneNs[rank]), spans),
    );
  }

  private updateThenExchange(
    computed: readonly Computed[],
    spans: Span[],
    exchanges: boolean,
  ): number[] {
    const updatedNs = computed.map((each, rank) => this.update(rank, each.backwardEndNs, spans));
    if (!exchanges) return updatedNs;
    const doneNs = this.communicate((_bucket, rank) => updatedNs[rank], spans);
    return updatedNs.map((updated, rank) => Math.max(updated, doneNs[rank]));
  }

  private compute(rank: number, step: number, startNs: Ns, work: number): Computed {
    const { forwardNs, backwardNs } = this.pass;
    const compute = this.computes[rank];
    const spans: Span[] = [];
    let now: number = startNs;
    const spend = (kind: SpanKind, endNs: number) => {
      spans.push({ rank, kind, startNs: ns(now), endNs: ns(endNs), bucket: null });
      now = endNs;
    };
    const run = (kind: SpanKind, workNs: number) => {
      spend(kind, compute.finishNs(now, work * workNs));
    };

    spend('data', this.loaders[rank]?.take(now) ?? now);
    compute.beginStep(step, now);
    for (let micro = 1; micro < this.job.microBatches; micro++) {
      run('forward', forwardNs);
      run('backward', backwardNs);
    }
    run('forward', forwardNs);
    const backwardStartNs = now;
    const readyNs = this.pieces.untilReadyNs.map((piece) => {
      now = compute.finishNs(now, work * piece);
      return now;
    });
    const backwardEndNs = compute.finishNs(now, work * this.pieces.restNs);
    now = backwardStartNs;
    spend('backward', backwardEndNs);
    return { spans, readyNs, backwardEndNs };
  }

  /** Runs all buckets; returns when each rank has the last of them (0 if there are none). */
  private communicate(
    readyNs: (bucket: number, rank: number) => number,
    spans: Span[],
  ): ArrayLike<number> {
    const { buckets } = this.job;
    const ranks = this.computes.map((_, rank) => rank);
    const exchange = this.communicator.run(
      buckets.map((_, bucket) => ranks.map((rank) => readyNs(bucket, rank))),
    );
    spans.push(...streamSpans(buckets, exchange));
    return exchange.doneNs.at(-1) ?? new Float64Array(this.worldSize);
  }

  /** When the optimizer is done that starts at `startNs`. */
  private update(rank: number, startNs: number, spans: Span[]): number {
    const endNs = this.computes[rank].finishNs(startNs, this.job.optimizerNs);
    const bucket = null;
    spans.push({ rank, kind: 'optimizer', startNs: ns(startNs), endNs: ns(endNs), bucket });
    return endNs;
  }

  private ranksOf(ranks: readonly number[] | 'all'): readonly number[] {
    if (ranks === 'all') return this.computes.map((_, rank) => rank);
    const absent = ranks.find((rank) => this.computes[rank] === undefined);
    if (absent === undefined) return ranks;
    throw new RangeError(`rank ${absent}; 0 ... ${this.worldSize - 1} is allowed`);
  }
}
