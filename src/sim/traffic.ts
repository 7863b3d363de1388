/**
 * @file A schedule made ready for the cluster clock: the same messages in flat arrays, 12 bytes a
 * message and 16 a turn, in the order of the schedule, so that millions are cheap.
 */
import { chunkRanges } from '#core/chunks';
import type { Message, Schedule } from '#core/collective';

/** No turn, or no message. */
export const NONE = -1;

/**
 * Who sends what, turn by turn. A turn is a step of the schedule in which a rank sends or receives;
 * its messages carry what the rank has when its turn before is over, all of it received.
 */
export interface Traffic {
  readonly worldSize: number;
  readonly chunks: number;
  /** The first turn of each rank, or NONE. */
  readonly firstTurn: Int32Array;
  /** Of each turn: whose it is, that rank's next one, its first message, those it waits for. */
  readonly rank: Int32Array;
  readonly nextTurn: Int32Array;
  readonly firstSend: Int32Array;
  readonly receives: Int32Array;
  /** Of each message: the receiver's turn, its turn's next message, what it carries. */
  readonly toTurn: Int32Array;
  readonly nextSend: Int32Array;
  /** A chunk, or `chunks` + the number of a group of chunks. */
  readonly parcel: Int32Array;
  /** Messages of several chunks. */
  readonly groups: readonly (readonly number[])[];
}

/**
 * Messages that follow each other in a step from one rank to one other become one message of all
 * their chunks. Throws RangeError for a rank or chunk that is not there.
 */
export function trafficOf(schedule: Schedule): Traffic {
  const draft = new Draft(schedule);
  schedule.steps.forEach((messages, step) => {
    for (const message of messages) draft.add(message, step);
  });
  return draft.finish();
}

/** Bytes of each parcel when `chunkBytes` [chunk] travel. Throws RangeError for another count. */
export function parcelBytes(traffic: Traffic, chunkBytes: ArrayLike<number>): Float64Array {
  const { chunks, groups } = traffic;
  if (chunkBytes.length !== chunks) {
    throw new RangeError(`parcelBytes: ${chunkBytes.length} chunks; ${chunks} are needed`);
  }
  const bytes = new Float64Array(chunks + groups.length);
  for (let chunk = 0; chunk < chunks; chunk++) bytes[chunk] = chunkBytes[chunk];
  groups.forEach((group, i) => {
    for (const chunk of group) bytes[chunks + i] += chunkBytes[chunk];
  });
  return bytes;
}

/** Bytes of each chunk of a vector of `elements`, cut as the replicas cut it (CL-1). */
export function evenChunkBytes(
  chunks: number,
  elements: number,
  bytesPerElement: number,
): Float64Array {
  const ranges = chunkRanges({ start: 0, end: elements }, chunks);
  return Float64Array.from(ranges, ({ start, end }) => bytesPerElement * (end - start));
}

/** Messages that each turn waits for; those without bytes are not sent (TR-5). */
export function receivesOf(traffic: Traffic, bytes: Float64Array): Int32Array {
  if (!bytes.includes(0)) return traffic.receives;
  const receives = new Int32Array(traffic.receives.length);
  traffic.toTurn.forEach((turn, message) => {
    if (bytes[traffic.parcel[message]] > 0) receives[turn]++;
  });
  return receives;
}

class Draft {
  private readonly schedule: Schedule;
  private readonly firstTurn: Int32Array;
  private readonly rank: Int32Array;
  private readonly nextTurn: Int32Array;
  private readonly firstSend: Int32Array;
  private readonly receives: Int32Array;
  private readonly toTurn: Int32Array;
  private readonly nextSend: Int32Array;
  private readonly parcel: Int32Array;
  private readonly groups: number[][] = [];
  private messages = 0;
  private turns = 0;
  /** Of each rank: its last turn, the step of that, and the message that it sent last. */
  private readonly lastTurn: Int32Array;
  private readonly lastStep: Int32Array;
  private readonly lastSend: Int32Array;

  constructor(schedule: Schedule) {
    const { worldSize, steps } = schedule;
    const messages = steps.reduce((sum, { length }) => sum + length, 0);
    const turns = steps.reduce((sum, { length }) => sum + Math.min(2 * length, worldSize), 0);
    this.schedule = schedule;
    this.firstTurn = new Int32Array(worldSize).fill(NONE);
    this.rank = new Int32Array(turns);
    this.nextTurn = new Int32Array(turns).fill(NONE);
    this.firstSend = new Int32Array(turns).fill(NONE);
    this.receives = new Int32Array(turns);
    this.toTurn = new Int32Array(messages);
    this.nextSend = new Int32Array(messages).fill(NONE);
    this.parcel = new Int32Array(messages);
    this.lastTurn = new Int32Array(worldSize).fill(NONE);
    this.lastStep = new Int32Array(worldSize).fill(NONE);
    this.lastSend = new Int32Array(worldSize).fill(NONE);
  }

  add(message: Message, step: number): void {
    this.require(message, step);
    const fromTurn = this.turnIn(message.from, step);
    const toTurn = this.turnIn(message.to, step);
    const isFirst = this.firstSend[fromTurn] === NONE;
    const last = this.lastSend[message.from];
    if (!isFirst && this.toTurn[last] === toTurn) {
      this.join(last, message.chunk);
      return;
    }
    const index = this.messages++;
    if (isFirst) this.firstSend[fromTurn] = index;
    else this.nextSend[last] = index;
    this.toTurn[index] = toTurn;
    this.parcel[index] = message.chunk;
    this.receives[toTurn]++;
    this.lastSend[message.from] = index;
  }

  finish(): Traffic {
    const { worldSize, chunks } = this.schedule;
    const { turns, messages } = this;
    return {
      worldSize,
      chunks,
      firstTurn: this.firstTurn,
      rank: this.rank.subarray(0, turns),
      nextTurn: this.nextTurn.subarray(0, turns),
      firstSend: this.firstSend.subarray(0, turns),
      receives: this.receives.subarray(0, turns),
      toTurn: this.toTurn.subarray(0, messages),
      nextSend: this.nextSend.subarray(0, messages),
      parcel: this.parcel.subarray(0, messages),
      groups: this.groups,
    };
  }

  private join(message: number, chunk: number): void {
    const { chunks } = this.schedule;
    const parcel = this.parcel[message];
    if (parcel >= chunks) this.groups[parcel - chunks].push(chunk);
    else this.parcel[message] = chunks + this.groups.push([parcel, chunk]) - 1;
  }

  private turnIn(rank: number, step: number): number {
    const last = this.lastTurn[rank];
    if (this.lastStep[rank] === step) return last;
    const turn = this.turns++;
    if (last === NONE) this.firstTurn[rank] = turn;
    else this.nextTurn[last] = turn;
    this.rank[turn] = rank;
    this.lastTurn[rank] = turn;
    this.lastStep[rank] = step;
    return turn;
  }

  private require({ from, to, chunk }: Message, step: number): void {
    const { name, worldSize, chunks } = this.schedule;
    if (isIndex(from, worldSize) && isIndex(to, worldSize) && isIndex(chunk, chunks)) return;
    throw new RangeError(
      `trafficOf: step ${step} of ${name} sends chunk ${chunk} from rank ${from} to ${to}; there ` +
        `are ${worldSize} ranks and ${chunks} chunks`,
    );
  }
}

function isIndex(value: number, length: number): boolean {
  return value >= 0 && value < length;
}
