/** @file The shared-memory transport: receivers read the sender's vector in place. */
import type { Range, Schedule } from '#core/collective';
import {
  ABORTED,
  type Arena,
  type ArenaLayout,
  abortCounters,
  arenaLayout,
  TICK,
} from './arena.ts';
import { type Bound, rememberBound } from './bound.ts';
import { type Elements, sumElements } from './elements.ts';
import {
  CollectiveAbortedError,
  type CollectiveReport,
  type Endpoint,
  LONG_WAIT_MS,
  type RunOptions,
} from './endpoint.ts';
import type { Wait } from './program.ts';
import { type SharedMail, sharedMail } from './shared-mail.ts';
import { type BoundOperation, type BoundProgram, bindProgram } from './shared-program.ts';
import { type AddVectors, adderFor } from './simd.ts';

/**
 * Rank `rank`'s end of `arena`; its `run` blocks, so it is for workers only. Throws RangeError for
 * a rank that the arena has no room for.
 */
export function sharedEndpoint(
  arena: Arena,
  rank: number,
  onLongWait: () => void = () => undefined,
): Endpoint {
  return new SharedEndpoint(arenaLayout(arena), rank, onLongWait);
}

class SharedEndpoint implements Endpoint {
  readonly transport = 'shared';
  readonly rank: number;
  readonly worldSize: number;
  readonly input: Float32Array;
  readonly output: Float32Array;
  readonly #layout: ArenaLayout;
  readonly #counter: number;
  readonly #onLongWait: () => void;
  readonly #add: AddVectors;
  readonly #mail: SharedMail;
  readonly #bound: Bound<BoundProgram>;
  /** Every rank's counter when the present collective began, or the last one if none is. */
  readonly #base: Int32Array;
  #previous: BoundProgram | null = null;
  #closed = false;

  constructor(layout: ArenaLayout, rank: number, onLongWait: () => void) {
    const counter = layout.counters[rank];
    const input = layout.inputs[rank];
    const output = layout.outputs[rank];
    if (counter === undefined || input === undefined || output === undefined) {
      throw new RangeError(`rank ${rank}; 0 ... ${layout.worldSize - 1} is allowed in this arena`);
    }
    this.rank = rank;
    this.worldSize = layout.worldSize;
    this.input = input;
    this.output = output;
    this.#layout = layout;
    this.#counter = counter;
    this.#onLongWait = onLongWait;
    this.#add = adderFor(layout.memory);
    this.#mail = sharedMail(layout, rank);
    this.#base = new Int32Array(layout.worldSize);
    this.#bound = rememberBound(layout.worldSize, layout.vectorLength, (call) =>
      bindProgram(layout, rank, call),
    );
  }

  run(schedule: Schedule, range: Range, options?: RunOptions): CollectiveReport {
    const program = this.#bound(schedule, range, options);
    this.#checkOpen();
    this.#tick();
    this.#leavePrevious();
    this.#previous = program;
    for (const operation of program.operations) {
      this.#waitAll(operation.waits);
      this.#apply(program.elements, operation);
      this.#tick();
    }
    for (const { from, to } of program.untouched) to.set(from);
    this.#waitAll(program.inputReaders);
    return program.report;
  }

  send(to: number, values: Float32Array): CollectiveReport {
    this.#checkOpen();
    return this.#mail.send(to, values);
  }

  receive(from: number, into: Float32Array): void {
    this.#checkOpen();
    this.#mail.receive(from, into);
  }

  abort(): void {
    abortCounters(this.#layout);
  }

  close(): void {
    this.#closed = true;
  }

  #checkOpen(): void {
    if (this.#closed || (Atomics.load(this.#layout.words, this.#counter) & ABORTED) !== 0) {
      throw new CollectiveAbortedError();
    }
  }

  #apply(elements: Elements, { op, target, own, source }: BoundOperation): void {
    if (op === 'copy') target.set(source);
    else if (
      target instanceof Float32Array &&
      own instanceof Float32Array &&
      source instanceof Float32Array
    ) {
      this.#add(target, own, source);
    } else sumElements(elements, target, own, source);
  }

  /** Peers may have been reading our output since the last collective; it is about to change. */
  #leavePrevious(): void {
    const previous = this.#previous;
    if (previous === null) return;
    this.#waitAll(previous.outputReaders);
    for (let rank = 0; rank < previous.counts.length; rank++) {
      this.#base[rank] = (this.#base[rank] as number) + TICK * (previous.counts[rank] as number);
    }
  }

  #tick(): void {
    Atomics.add(this.#layout.words, this.#counter, TICK);
    Atomics.notify(this.#layout.words, this.#counter);
  }

  #waitAll(waits: readonly Wait[]): void {
    for (const { rank, count } of waits) this.#wait(rank, count);
  }

  #wait(rank: number, count: number): void {
    const { words, counters } = this.#layout;
    const counter = counters[rank] as number;
    const target = ((this.#base[rank] as number) + TICK * count) | 0;
    let patience: number | undefined = LONG_WAIT_MS;
    for (;;) {
      const seen = Atomics.load(words, counter);
      if ((seen & ABORTED) !== 0) throw new CollectiveAbortedError();
      if (((seen - target) | 0) >= 0) return;
      if (Atomics.wait(words, counter, seen, patience) !== 'timed-out') continue;
      patience = undefined;
      this.#onLongWait();
    }
  }
}
