/** @file Links at work: each carries one message at a time, first come first served. */
import { endedBy } from './slowdown.ts';
import { type Ns, ns } from './time.ts';
import type { Topology } from './topology.ts';

/** A rank's ports, both directions, are worse for a while. */
export interface LinkSlowdown {
  readonly rank: number;
  /** Serialisation takes so many times as long. */
  readonly factor: number;
  readonly extraLatencyNs: Ns;
  readonly fromNs: Ns;
  readonly untilNs: Ns;
}

/** Hears of every message that a link begins to carry, in the order of its queue. */
export type LinkObserver = (service: {
  readonly link: number;
  readonly bytes: number;
  /** When its head came to the link. */
  readonly headNs: number;
  readonly startNs: number;
  readonly freeNs: number;
}) => void;

const NONE: readonly LinkSlowdown[] = [];

/**
 * The state of all links. Serialisation (bytes / bandwidth) occupies a link; latency does not, and
 * follows it. Messages cut through: a link may begin when the head has come, and its end is never
 * before the end has come. A switch holds what has to wait, so no queue stops another one.
 */
export class Network {
  readonly topology: Topology;
  /** When each link has carried what was given to it so far. */
  private readonly freeNs: Float64Array;
  private readonly slowdowns = new Map<number, LinkSlowdown[]>();
  private readonly observer: LinkObserver | undefined;

  constructor(topology: Topology, observer?: LinkObserver) {
    this.topology = topology;
    this.freeNs = new Float64Array(topology.latencyNs.length);
    this.observer = observer;
  }

  /** Queues a message whose head is at `link`; returns when the link begins to carry it. */
  serve(link: number, headNs: number, bytes: number): number {
    const startNs = Math.max(headNs, this.freeNs[link]);
    const freeNs = startNs + this.serialisationNs(link, startNs, bytes);
    this.freeNs[link] = freeNs;
    this.observer?.({ link, bytes, headNs, startNs, freeNs });
    return startNs;
  }

  /** When `link` has carried what it was given so far. */
  freeFromNs(link: number): number {
    return this.freeNs[link];
  }

  private serialisationNs(link: number, startNs: number, bytes: number): number {
    const plain = bytes * this.topology.nsPerByte[link];
    if (this.slowdowns.size === 0) return plain;
    return this.active(link, startNs).reduce((time, { factor }) => time * factor, plain);
  }

  /** How long after `link` began to carry a message its head is at the next one. */
  latencyNs(link: number, startNs: number): number {
    const plain = this.topology.latencyNs[link];
    if (this.slowdowns.size === 0) return plain;
    // The way in has no latency of its own, so each end of a message adds what its rank has.
    return this.active(link, startNs).reduce(
      (time, { extraLatencyNs }) => time + extraLatencyNs,
      plain,
    );
  }

  /** Throws RangeError for a rank that is not there, a factor not above 0 or a latency below 0. */
  slow(slowdown: LinkSlowdown): void {
    const { rank, factor, extraLatencyNs } = slowdown;
    if (!(Number.isInteger(rank) && rank >= 0 && rank < this.topology.worldSize)) {
      throw new RangeError(
        `slow link: rank ${rank}; 0 ... ${this.topology.worldSize - 1} is allowed`,
      );
    }
    if (!(factor > 0 && factor < Number.POSITIVE_INFINITY && extraLatencyNs >= 0)) {
      throw new RangeError(
        `slow link: factor ${factor}, ${extraLatencyNs} ns more; a finite factor above 0 and 0 ns or more are allowed`,
      );
    }
    for (const link of this.topology.portsOf(rank)) {
      this.slowdowns.set(link, [...(this.slowdowns.get(link) ?? []), slowdown]);
    }
  }

  /** Messages that begin from `timeNs` on pass the rank's ports as usual. */
  relieve(rank: number, timeNs: Ns): void {
    for (const link of this.topology.portsOf(rank)) {
      const slowdowns = this.slowdowns.get(link);
      if (slowdowns === undefined) continue;
      const relieved = slowdowns.map((each) => (each.rank === rank ? endedBy(each, timeNs) : each));
      this.slowdowns.set(link, relieved);
    }
  }

  /** When each link is free again, in the topology's order. */
  snapshot(): Ns[] {
    return Array.from(this.freeNs, ns);
  }

  restore(freeNs: readonly Ns[]): void {
    this.freeNs.set(freeNs);
  }

  private active(link: number, atNs: number): readonly LinkSlowdown[] {
    const all = this.slowdowns.get(link);
    if (all === undefined) return NONE;
    return all.filter(({ fromNs, untilNs }) => fromNs <= atNs && atNs < untilNs);
  }
}
