/**
 * @file Collectives on the cluster clock: the very schedules that the replicas execute, message by
 * message. One communication stream a rank carries them in a fixed order.
 */
import type { Schedule } from '#core/collective';
import { EventQueue } from './event-queue.ts';
import { type Flight, Flights } from './flights.ts';
import type { Network } from './network.ts';
import { type Ns, ns } from './time.ts';
import { NONE, parcelBytes, receivesOf, type Traffic, trafficOf } from './traffic.ts';

/** One collective, as of one bucket. */
export interface Collective {
  readonly schedule: Schedule;
  /** Bytes of each chunk of the schedule on the wire. */
  readonly chunkBytes: ArrayLike<number>;
  /** On the stream, before the first and after the last message: compression, casts. */
  readonly encodeNs: Ns;
  readonly decodeNs: Ns;
}

/** [collective][rank], in order of launch. */
export interface Exchange {
  /** The stream took the collective up: it was ready and the one before was over. */
  readonly launchNs: readonly Float64Array[];
  /** The rank has all of it, decoded. */
  readonly doneNs: readonly Float64Array[];
}

/** Bytes through each rank's ports since the communicator was made. */
export interface Counters {
  readonly sentBytes: Float64Array;
  readonly receivedBytes: Float64Array;
}

/** A collective prepared for any number of exchanges. */
interface Prepared {
  readonly traffic: Traffic;
  readonly bytes: Float64Array;
  readonly receives: Int32Array;
  readonly encodeNs: number;
  readonly decodeNs: number;
  /** Messages that each turn still waits for, and when the last one so far came. */
  readonly missing: Int32Array;
  readonly arrivedNs: Float64Array;
}

/** What a rank's stream waits for. */
const READY = 0;
const ENCODED = 1;
const MESSAGES = 2;
const DECODED = 3;

/**
 * Runs exchanges over `network`. Messages of an earlier exchange go before those of a later one;
 * within one they are served in the order of time, and at one time in the order of the schedule.
 */
export class Communicator {
  readonly counters: Counters;
  private readonly network: Network;
  private readonly lockstep: boolean;
  private readonly queue = new EventQueue();
  private readonly flights: Flights;
  /** The message in hand. */
  private readonly flight: Flight = {
    from: 0,
    to: 0,
    bytes: 0,
    collective: 0,
    message: 0,
    hop: 0,
    headNs: 0,
    tailNs: 0,
  };
  private collectives: readonly Prepared[] = [];
  private readyNs: readonly ArrayLike<number>[] = [];
  private launchNs: Float64Array[] = [];
  private doneNs: Float64Array[] = [];
  /** Of each rank's stream: the collective, the turn in it, and what it waits for. */
  private readonly current: Int32Array;
  private readonly turn: Int32Array;
  private readonly phase: Int32Array;
  /** Ranks that are done with the collective in hand, where they wait for each other. */
  private done = 0;

  /**
   * With `lockstep` a collective is over for every rank when it is for the last one, and the next
   * begins then, as closed forms assume; else each rank goes on alone, and collectives that follow
   * each other overlap a little.
   */
  constructor(network: Network, lockstep = false) {
    const { worldSize } = network.topology;
    this.network = network;
    this.lockstep = lockstep;
    this.flights = new Flights(network);
    this.current = new Int32Array(worldSize);
    this.turn = new Int32Array(worldSize);
    this.phase = new Int32Array(worldSize);
    this.counters = {
      sentBytes: new Float64Array(worldSize),
      receivedBytes: new Float64Array(worldSize),
    };
  }

  /** Events so far. */
  get events(): number {
    return this.queue.total;
  }

  /**
   * Chooses the collectives of the exchanges that follow. Collectives with one schedule object
   * share its preparation. Throws RangeError for a world of another size or a schedule with faults.
   */
  prepare(collectives: readonly Collective[]): void {
    const known = new Map<Schedule, Traffic>();
    this.collectives = collectives.map(({ schedule, chunkBytes, encodeNs, decodeNs }) => {
      this.requireWorld(schedule);
      const traffic = known.get(schedule) ?? trafficOf(schedule);
      known.set(schedule, traffic);
      const bytes = parcelBytes(traffic, chunkBytes);
      const receives = receivesOf(traffic, bytes);
      const missing = new Int32Array(receives.length);
      return {
        traffic,
        bytes,
        receives,
        encodeNs,
        decodeNs,
        missing,
        arrivedNs: new Float64Array(receives.length),
      };
    });
    this.flights.prepare([...known.values()]);
  }

  /** Runs all prepared collectives; `readyNs` [collective][rank] says when each may be launched. */
  run(readyNs: readonly ArrayLike<number>[]): Exchange {
    const { worldSize } = this.network.topology;
    if (readyNs.length !== this.collectives.length) {
      throw new RangeError(
        `Communicator: times for ${readyNs.length} collectives; ${this.collectives.length} are prepared`,
      );
    }
    this.readyNs = readyNs;
    this.launchNs = this.collectives.map(() => new Float64Array(worldSize));
    this.doneNs = this.collectives.map(() => new Float64Array(worldSize));
    for (const { missing, receives, arrivedNs } of this.collectives) {
      missing.set(receives);
      arrivedNs.fill(0);
    }
    this.current.fill(0);
    this.phase.fill(READY);
    this.queue.clear();
    for (let rank = 0; rank < worldSize; rank++) this.awaitReady(rank, Number.NEGATIVE_INFINITY);
    while (this.queue.size > 0) this.handle(this.queue.pop());
    return { launchNs: this.launchNs, doneNs: this.doneNs };
  }

  /** Events are ranks to wake, as -1 - rank, or messages whose head is at a link. */
  private handle(event: number): void {
    if (event < 0) {
      this.wake(-1 - event, this.queue.nowNs);
    } else {
      this.flights.take(event, this.flight);
      this.carry();
    }
  }

  /** Goes on with a rank's stream as far as the present allows. */
  private wake(rank: number, now: number): void {
    const { phase } = this;
    if (phase[rank] === READY) this.launch(rank, now);
    else if (phase[rank] === ENCODED) this.begin(rank, now);
    else if (phase[rank] === MESSAGES) this.takeTurns(rank, this.nextTurn(rank), now);
    else this.finish(rank, now);
  }

  private awaitReady(rank: number, now: number): void {
    const index = this.current[rank];
    if (index === this.collectives.length) return;
    this.phase[rank] = READY;
    this.queue.push(Math.max(now, this.readyNs[index][rank]), -1 - rank);
  }

  private launch(rank: number, now: number): void {
    const index = this.current[rank];
    this.launchNs[index][rank] = now;
    const { encodeNs } = this.collectives[index];
    if (encodeNs === 0) {
      this.begin(rank, now);
      return;
    }
    this.phase[rank] = ENCODED;
    this.queue.push(now + encodeNs, -1 - rank);
  }

  private begin(rank: number, now: number): void {
    this.phase[rank] = MESSAGES;
    const { traffic } = this.collectives[this.current[rank]];
    this.takeTurns(rank, traffic.firstTurn[rank], now);
  }

  private nextTurn(rank: number): number {
    return this.collectives[this.current[rank]].traffic.nextTurn[this.turn[rank]];
  }

  /** Sends turn after turn from `first` on, until one has to wait for messages. */
  private takeTurns(rank: number, first: number, now: number): void {
    const { traffic, missing, arrivedNs } = this.collectives[this.current[rank]];
    for (let turn = first; turn !== NONE; turn = traffic.nextTurn[turn]) {
      this.turn[rank] = turn;
      this.send(rank, turn, now);
      if (missing[turn] > 0) return;
      if (arrivedNs[turn] > now) {
        this.queue.push(arrivedNs[turn], -1 - rank);
        return;
      }
    }
    this.decode(rank, now);
  }

  private decode(rank: number, now: number): void {
    const { decodeNs } = this.collectives[this.current[rank]];
    this.phase[rank] = DECODED;
    if (decodeNs === 0) this.finish(rank, now);
    else this.queue.push(now + decodeNs, -1 - rank);
  }

  private finish(rank: number, now: number): void {
    const index = this.current[rank]++;
    this.doneNs[index][rank] = now;
    if (!this.lockstep) {
      this.awaitReady(rank, now);
    } else if (++this.done === this.current.length) {
      this.done = 0;
      this.doneNs[index].fill(now);
      for (let each = 0; each < this.current.length; each++) this.awaitReady(each, now);
    }
  }

  private send(rank: number, turn: number, now: number): void {
    const { flight } = this;
    const index = this.current[rank];
    const { traffic, bytes } = this.collectives[index];
    for (let m = traffic.firstSend[turn]; m !== NONE; m = traffic.nextSend[m]) {
      const size = bytes[traffic.parcel[m]];
      if (size === 0) continue;
      this.counters.sentBytes[rank] += size;
      flight.from = rank;
      flight.to = traffic.rank[traffic.toTurn[m]];
      flight.bytes = size;
      flight.collective = index;
      flight.message = m;
      flight.hop = 0;
      flight.headNs = now;
      flight.tailNs = now;
      this.carry();
    }
  }

  /** Moves the message in hand as far as it can go without waiting for others. */
  private carry(): void {
    const { flight, flights } = this;
    if (flights.advance(flight)) this.deliver(flight);
    else this.queue.push(flight.headNs, flights.keep(flight));
  }

  private deliver({ to, bytes, collective, message, tailNs }: Flight): void {
    const { traffic, missing, arrivedNs } = this.collectives[collective];
    const turn = traffic.toTurn[message];
    this.counters.receivedBytes[to] += bytes;
    const latestNs = Math.max(arrivedNs[turn], tailNs);
    arrivedNs[turn] = latestNs;
    const left = --missing[turn];
    const waits =
      left === 0 &&
      this.current[to] === collective &&
      this.phase[to] === MESSAGES &&
      this.turn[to] === turn;
    if (waits) this.queue.push(latestNs, -1 - to);
  }

  private requireWorld({ name, worldSize }: Schedule): void {
    const expected = this.network.topology.worldSize;
    if (worldSize === expected) return;
    throw new RangeError(`Communicator: ${name} of ${worldSize} ranks; there are ${expected}`);
  }
}

/** The moment at which the last rank has collective `index`. */
export function endNs({ doneNs }: Exchange, index: number): Ns {
  return ns(doneNs[index].reduce((latest, time) => Math.max(latest, time), 0));
}
