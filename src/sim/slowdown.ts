/** @file What makes a rank slow, as data, and how fast it is at a moment. */
import { PURPOSE, type RandomStream, randomStream } from '#core/random';
import { Thermal, type ThermalConfig, type ThermalState } from './thermal.ts';
import { type Ns, ns } from './time.ts';

/** Kinds of slow compute; a factor multiplies the time that work takes. */
export type SlowdownCause =
  /** Always. */
  | { readonly kind: 'constant'; readonly factor: number }
  /** A factor drawn for each step, 1 + deviation z. */
  | { readonly kind: 'normal'; readonly deviation: number }
  /** exp(sigma z - sigma^2 / 2), so that the mean is 1. */
  | { readonly kind: 'lognormal'; readonly sigma: number }
  /** 1 + mean e, e exponential with mean 1: rare, long delays. */
  | { readonly kind: 'exponential'; readonly mean: number }
  /** Nothing happens for `pauseNs`, at `offsetNs` and then every `periodNs`. */
  | {
      readonly kind: 'hiccup';
      readonly periodNs: Ns;
      readonly pauseNs: Ns;
      readonly offsetNs: Ns;
    }
  | { readonly kind: 'thermal'; readonly thermal: ThermalConfig };

/** A cause that concerns some ranks for some time; several may hold at once and multiply. */
export interface Slowdown {
  readonly ranks: readonly number[] | 'all';
  readonly cause: SlowdownCause;
  /** Draws belong to the step that begins in this time. Heat does not end. */
  readonly fromNs: Ns;
  readonly untilNs: Ns;
}

/** A normal draw cannot make a step take less than this share of its time. */
const LEAST_FACTOR = 0.05;

/** How much longer work takes at a moment, and until when that holds. */
interface Pace {
  factor: number;
  untilNs: number;
}

/**
 * The compute of one rank: turns work, in nanoseconds at full speed, into time. Draws come from
 * (seed, computeJitter, rank, step), in the order of the causes.
 */
export class RankCompute {
  private readonly seed: number;
  private readonly rank: number;
  private slowdowns: readonly Slowdown[] = [];
  private thermal: Thermal | undefined;
  /** Product of this step's draws. */
  private drawn = 1;
  private readonly pace: Pace = { factor: 1, untilNs: 0 };

  constructor(seed: number, rank: number) {
    this.seed = seed;
    this.rank = rank;
  }

  /** Adds a cause, also during a run. Throws RangeError for one that cannot be, or a second heat. */
  add(slowdown: Slowdown): void {
    requireCause(slowdown.cause);
    if (slowdown.cause.kind !== 'thermal') {
      this.slowdowns = [...this.slowdowns, slowdown];
      return;
    }
    if (this.thermal !== undefined) throw new RangeError(`rank ${this.rank} has one heat model`);
    this.thermal = new Thermal(slowdown.cause.thermal);
  }

  /** Ends every cause at `timeNs`, but for heat; they go on drawing, so that later draws stay. */
  relieve(timeNs: Ns): void {
    this.slowdowns = this.slowdowns.map((each) => endedBy(each, timeNs));
  }

  /** Degrees Celsius, or null where heat is not modelled. */
  get celsius(): number | null {
    return this.thermal?.celsius ?? null;
  }

  /** Draws the factors of `step`, which begins at `timeNs`. */
  beginStep(step: number, timeNs: number): void {
    this.drawn = 1;
    if (this.slowdowns.length === 0) return;
    const stream = randomStream(this.seed, PURPOSE.computeJitter, this.rank, step);
    for (const { cause, fromNs, untilNs } of this.slowdowns) {
      // Every cause draws, so that one that comes or goes leaves the others as they are.
      const factor = draw(cause, stream);
      if (fromNs <= timeNs && timeNs < untilNs) this.drawn *= factor;
    }
  }

  /** When work of `workNs` that begins at `startNs` is done. Calls must come in order of time. */
  finishNs(startNs: number, workNs: number): number {
    this.thermal?.advance(startNs, false);
    if (this.slowdowns.length === 0 && this.thermal === undefined) return startNs + workNs;
    let now = startNs;
    let left = workNs;
    while (left > 0) {
      const { factor, untilNs } = this.paceAt(now);
      const end = now + left * factor;
      const next = Math.min(end, untilNs);
      this.thermal?.advance(next, Number.isFinite(factor));
      if (end <= untilNs) return end;
      left -= (untilNs - now) / factor;
      now = next;
    }
    return now;
  }

  snapshot(): ThermalState | null {
    return this.thermal?.snapshot() ?? null;
  }

  restore(state: ThermalState | null): void {
    if (state !== null) this.thermal?.restore(state);
  }

  private paceAt(now: number): Pace {
    const { pace } = this;
    pace.factor = this.drawn;
    pace.untilNs = Number.POSITIVE_INFINITY;
    for (const slowdown of this.slowdowns) apply(slowdown, now, pace);
    if (this.thermal !== undefined) {
      pace.factor /= this.thermal.frequency;
      pace.untilNs = Math.min(pace.untilNs, this.thermal.frequencyUntilNs());
    }
    return pace;
  }
}

/** The causes that change within a step. */
function apply({ cause, fromNs, untilNs }: Slowdown, now: number, pace: Pace): void {
  if (now >= untilNs) return;
  if (now < fromNs) {
    pace.untilNs = Math.min(pace.untilNs, fromNs);
    return;
  }
  if (cause.kind === 'constant') {
    pace.factor *= cause.factor;
    pace.untilNs = Math.min(pace.untilNs, untilNs);
  } else if (cause.kind === 'hiccup') {
    const { periodNs, pauseNs, offsetNs } = cause;
    let begins = offsetNs + Math.floor((now - offsetNs) / periodNs) * periodNs;
    // A quotient may be rounded down to the period that is over.
    if (begins + periodNs <= now) begins += periodNs;
    const pauses = begins >= offsetNs && now < begins + pauseNs;
    if (pauses) pace.factor = Number.POSITIVE_INFINITY;
    const change = pauses ? begins + pauseNs : begins + periodNs;
    pace.untilNs = Math.min(pace.untilNs, change, untilNs);
  }
}

function draw(cause: SlowdownCause, stream: RandomStream): number {
  switch (cause.kind) {
    case 'normal':
      return Math.max(LEAST_FACTOR, 1 + cause.deviation * stream.normal());
    case 'lognormal':
      return Math.exp(cause.sigma * stream.normal() - cause.sigma ** 2 / 2);
    case 'exponential':
      return 1 - cause.mean * Math.log(1 - stream.uniform());
    case 'constant':
    case 'hiccup':
    case 'thermal':
      return 1;
  }
}

function requireCause(cause: SlowdownCause): void {
  const reason = causeFault(cause);
  if (reason !== null) throw new RangeError(`${cause.kind} slow-down: ${reason}`);
}

function causeFault(cause: SlowdownCause): string | null {
  switch (cause.kind) {
    case 'constant':
      return cause.factor > 0 && Number.isFinite(cause.factor)
        ? null
        : `factor ${cause.factor}; a finite number above 0 is allowed`;
    case 'normal':
      return atLeastZero('deviation', cause.deviation);
    case 'lognormal':
      return atLeastZero('sigma', cause.sigma);
    case 'exponential':
      return atLeastZero('mean', cause.mean);
    case 'hiccup':
      return cause.pauseNs >= 0 && cause.periodNs > cause.pauseNs && cause.offsetNs >= 0
        ? null
        : `a pause of ${cause.pauseNs} ns every ${cause.periodNs} ns; it must be shorter than the period`;
    case 'thermal':
      return null;
  }
}

function atLeastZero(name: string, value: number): string | null {
  return value >= 0 && Number.isFinite(value) ? null : `${name} ${value}; 0 or more is allowed`;
}

/** The same, over by `timeNs` at the latest. */
export function endedBy<T extends { readonly untilNs: Ns }>(slowdown: T, timeNs: Ns): T {
  return { ...slowdown, untilNs: ns(Math.min(slowdown.untilNs, timeNs)) };
}

/** Always, for a `Slowdown`. */
export const ALWAYS = { fromNs: ns(0), untilNs: ns(Number.POSITIVE_INFINITY) } as const;
