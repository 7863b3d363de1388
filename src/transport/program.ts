/**
 * @file A schedule compiled for zero-copy execution: what each rank does, and what it must wait
 * for. Receivers read the sender's memory in place, so two orders must hold: a value is read after
 * it was written, and overwritten after it was read. Both are expressed by one counter a rank.
 */
import type { Message, ReceiveOp, Schedule } from '#core/collective';

/** Until `rank` has completed `count` operations of this collective; entering it is the first. */
export interface Wait {
  readonly rank: number;
  readonly count: number;
}

/**
 * One thing a rank does, after its waits. `receive` combines the sender's memory straight into
 * `output`. Where the old value is still to be sent in the same step, `stage` takes the sender's
 * value aside and `commit` combines it once the old value has been read.
 */
export interface Operation {
  readonly kind: 'receive' | 'stage' | 'commit';
  readonly op: ReceiveOp;
  readonly from: number;
  readonly chunk: number;
  /** This rank's value of the chunk is its input still. */
  readonly ownIsInput: boolean;
  /** The sender's value of the chunk is its input still. */
  readonly sourceIsInput: boolean;
  readonly waits: readonly Wait[];
}

export interface RankProgram {
  readonly operations: readonly Operation[];
  /** Chunks that nobody sends to this rank: its output is its input there. */
  readonly untouched: readonly number[];
  /** Peers that may still read this rank's input when its operations are done. */
  readonly inputReaders: readonly Wait[];
  /** Peers that may still read this rank's output when its operations are done. */
  readonly outputReaders: readonly Wait[];
}

export interface Program {
  readonly ranks: readonly RankProgram[];
  /** Operations each rank completes in one collective, entering included. */
  readonly counts: readonly number[];
}

/** Compiles a valid `schedule` (see scheduleFaults) for all ranks; deadlock-free for each of them. */
export function compile(schedule: Schedule): Program {
  const ranks = Array.from({ length: schedule.worldSize }, (_, rank) => new RankCompiler(rank));
  for (const rank of ranks) rank.enter(schedule.worldSize);
  for (const messages of schedule.steps) compileStep(ranks, messages);
  return {
    ranks: ranks.map((rank) => rank.finish(ranks, schedule.chunks)),
    counts: ranks.map((rank) => rank.count),
  };
}

/**
 * First all reads of the step, which need writes of earlier steps only; then the writes that were
 * put off, which need reads of this step only. So there is an order in which all can be done.
 */
function compileStep(ranks: readonly RankCompiler[], messages: readonly Message[]): void {
  const before = ranks.map((rank) => rank.snapshot());
  const putOff = messages.filter((message) => overwritesWhatIsSent(before, messages, message));
  for (const message of messages) {
    const kind = putOff.includes(message) ? 'stage' : 'receive';
    at(ranks, message.to).read(ranks, message, kind, at(before, message.from));
  }
  for (const message of putOff) at(ranks, message.to).commit(ranks, message);
}

/** Whether the receiver also sends this chunk in this step, and from its output. */
function overwritesWhatIsSent(
  before: readonly Written[],
  messages: readonly Message[],
  { to, chunk }: Message,
): boolean {
  return (
    at(before, to).has(chunk) &&
    messages.some((other) => other.from === to && other.chunk === chunk)
  );
}

/** By chunk that this rank has received: its count once the last value was written. */
type Written = ReadonlyMap<number, number>;

/** Builds one rank's program, following what it knows of the others' progress (a vector clock). */
class RankCompiler {
  /** Operations so far, entering included. */
  count = 0;
  readonly #rank: number;
  readonly #operations: Operation[] = [];
  readonly #written = new Map<number, number>();
  /** Peers' reads of the present output value, by chunk. */
  readonly #outputReads = new Map<number, Wait[]>();
  readonly #inputReads: Wait[] = [];
  #clock: number[] = [];
  /** The clock at every count. */
  readonly #clocks: number[][] = [[]];

  constructor(rank: number) {
    this.#rank = rank;
  }

  enter(worldSize: number): void {
    this.#clock = new Array<number>(worldSize).fill(0);
    this.#complete();
  }

  snapshot(): Written {
    return new Map(this.#written);
  }

  read(
    ranks: readonly RankCompiler[],
    message: Message,
    kind: 'receive' | 'stage',
    senderBefore: Written,
  ): void {
    const sender = at(ranks, message.from);
    const writtenAt = senderBefore.get(message.chunk);
    const needed: Wait[] = [{ rank: message.from, count: writtenAt ?? 1 }];
    if (kind === 'receive') needed.push(...this.#takeReaders(message.chunk));
    this.#add(ranks, message, kind, writtenAt === undefined, needed);
    const reading: Wait = { rank: this.#rank, count: this.count };
    if (writtenAt === undefined) sender.#inputReads.push(reading);
    else sender.#noteOutputRead(message.chunk, reading);
  }

  commit(ranks: readonly RankCompiler[], message: Message): void {
    this.#add(ranks, message, 'commit', false, this.#takeReaders(message.chunk));
  }

  finish(ranks: readonly RankCompiler[], chunks: number): RankProgram {
    const untouched: number[] = [];
    for (let chunk = 0; chunk < chunks; chunk++) {
      if (!this.#written.has(chunk)) untouched.push(chunk);
    }
    const inputReaders = this.#learn(ranks, this.#inputReads);
    const outputReaders = this.#learn(ranks, [...this.#outputReads.values()].flat());
    return { operations: this.#operations, untouched, inputReaders, outputReaders };
  }

  #add(
    ranks: readonly RankCompiler[],
    { op, from, chunk }: Message,
    kind: Operation['kind'],
    sourceIsInput: boolean,
    needed: readonly Wait[],
  ): void {
    const waits = this.#learn(ranks, needed);
    const ownIsInput = !this.#written.has(chunk);
    this.#operations.push({ kind, op, from, chunk, ownIsInput, sourceIsInput, waits });
    this.#complete();
    if (kind !== 'stage') this.#written.set(chunk, this.count);
  }

  #complete(): void {
    this.count++;
    this.#clock[this.#rank] = this.count;
    this.#clocks[this.count] = [...this.#clock];
  }

  #noteOutputRead(chunk: number, reading: Wait): void {
    const readers = this.#outputReads.get(chunk);
    if (readers) readers.push(reading);
    else this.#outputReads.set(chunk, [reading]);
  }

  #takeReaders(chunk: number): Wait[] {
    const readers = this.#outputReads.get(chunk) ?? [];
    this.#outputReads.delete(chunk);
    return readers;
  }

  /** Those of `needed` that causality does not guarantee already; from now on it does. */
  #learn(ranks: readonly RankCompiler[], needed: readonly Wait[]): Wait[] {
    const latestFirst = [...needed].sort((a, b) => b.count - a.count);
    return latestFirst.filter(({ rank, count }) => {
      if ((this.#clock[rank] ?? 0) >= count) return false;
      const theirs = at(ranks, rank).#clocks[count] ?? [];
      this.#clock = this.#clock.map((known, i) => Math.max(known, theirs[i] ?? 0));
      return true;
    });
  }
}

function at<T>(list: readonly T[], index: number): T {
  const item = list[index];
  if (item === undefined) throw new RangeError(`index ${index} of ${list.length}`);
  return item;
}
