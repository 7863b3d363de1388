/** @file Messages on their way over links, in flat arrays. */
import type { Network } from './network.ts';
import { NO_LINK } from './topology.ts';
import type { Traffic } from './traffic.ts';

const FIRST_CAPACITY = 256;
/** A link that several links lead to. */
const SHARED = -2;
/** A link that none leads to yet. */
const UNUSED = -1;

/** What a message is, and how far it has come. */
export interface Flight {
  from: number;
  to: number;
  bytes: number;
  /** Which collective of the exchange, and which message of it. */
  collective: number;
  message: number;
  /** Links passed. */
  hop: number;
  /** When its head and its end are at the next link, or at the receiver. */
  headNs: number;
  tailNs: number;
}

export class Flights {
  private readonly network: Network;
  /**
   * The one link before each link, or SHARED. Where it is the only one, its order is the order
   * here too, so a message need not come as an event of its own.
   */
  private readonly feeder: Int32Array;
  /** Numbers that are free again, and how many numbers there are. */
  private readonly landed: number[] = [];
  private used = 0;
  private integers = new Int32Array(5 * FIRST_CAPACITY);
  private times = new Float64Array(3 * FIRST_CAPACITY);

  constructor(network: Network) {
    this.network = network;
    this.feeder = new Int32Array(network.topology.latencyNs.length).fill(UNUSED);
  }

  /** Finds out which links the messages of these collectives share. */
  prepare(traffics: readonly Traffic[]): void {
    this.feeder.fill(UNUSED);
    const lastReceiver = new Int32Array(this.network.topology.worldSize).fill(UNUSED);
    for (const { rank, firstSend, nextSend, toTurn } of traffics) {
      for (let turn = 0; turn < rank.length; turn++) {
        const from = rank[turn];
        for (let message = firstSend[turn]; message >= 0; message = nextSend[message]) {
          const to = rank[toTurn[message]];
          if (lastReceiver[from] !== to) this.mark(from, to);
          lastReceiver[from] = to;
        }
      }
    }
  }

  /**
   * Moves a message over links, up to one that others lead to as well; returns whether it is with
   * the receiver.
   */
  advance(flight: Flight): boolean {
    const { network, feeder } = this;
    const { topology } = network;
    let link = topology.linkAt(flight.from, flight.to, flight.hop);
    for (;;) {
      const startNs = network.serve(link, flight.headNs, flight.bytes);
      const latencyNs = network.latencyNs(link, startNs);
      flight.tailNs = Math.max(network.freeFromNs(link), flight.tailNs) + latencyNs;
      flight.headNs = startNs + latencyNs;
      flight.hop++;
      link = topology.linkAt(flight.from, flight.to, flight.hop);
      if (link === NO_LINK) return true;
      if (feeder[link] === SHARED) return false;
    }
  }

  /** Keeps a message until its head is at the next link; returns its number. */
  keep(flight: Flight): number {
    const index = this.landed.pop() ?? this.used++;
    if (3 * this.used > this.times.length) this.grow();
    this.integers.set(
      [flight.from, flight.to, flight.collective, flight.message, flight.hop],
      5 * index,
    );
    this.times.set([flight.bytes, flight.headNs, flight.tailNs], 3 * index);
    return index;
  }

  /** Takes a kept message up again, into `flight`; its number is free for another one. */
  take(index: number, flight: Flight): void {
    const { integers, times } = this;
    flight.from = integers[5 * index];
    flight.to = integers[5 * index + 1];
    flight.collective = integers[5 * index + 2];
    flight.message = integers[5 * index + 3];
    flight.hop = integers[5 * index + 4];
    flight.bytes = times[3 * index];
    flight.headNs = times[3 * index + 1];
    flight.tailNs = times[3 * index + 2];
    this.landed.push(index);
  }

  private mark(from: number, to: number): void {
    const { topology } = this.network;
    let before = topology.linkAt(from, to, 0);
    for (let hop = 1; ; hop++) {
      const link = topology.linkAt(from, to, hop);
      if (link === NO_LINK) return;
      const known = this.feeder[link];
      if (known === UNUSED) this.feeder[link] = before;
      else if (known !== before) this.feeder[link] = SHARED;
      before = link;
    }
  }

  private grow(): void {
    const integers = new Int32Array(2 * this.integers.length);
    integers.set(this.integers);
    this.integers = integers;
    const times = new Float64Array(2 * this.times.length);
    times.set(this.times);
    this.times = times;
  }
}
