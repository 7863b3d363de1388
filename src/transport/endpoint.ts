/** @file One rank's end of the data plane. Gradients go from worker to worker over it. */
import type { Range, Schedule } from '#core/collective';
import type { Elements } from './elements.ts';

export type TransportName = 'shared' | 'ports';

export interface CollectiveReport {
  /** Payload bytes this rank really sent. */
  readonly bytesSent: number;
  readonly messagesSent: number;
}

/** What a collective moves where it is not float32 in equal chunks. */
export interface RunOptions {
  /** The vectors' memory is taken as these; fp32 where left out. */
  readonly elements?: Elements;
  /** Where each chunk lies, instead of a cut into equal parts: for chunks of differing lengths. */
  readonly chunks?: readonly Range[];
}

/**
 * `input` and `output` have the length of the flat vector. A collective reads `input`, writes
 * `output` in the given range only, and leaves `input` as it was, so that survivors can redo it.
 * `input` may be written again once `run` is over. `output` is for reading only: peers may still be
 * taking it from here.
 */
export interface Endpoint {
  readonly transport: TransportName;
  readonly rank: number;
  readonly worldSize: number;
  readonly input: Float32Array;
  readonly output: Float32Array;
  /**
   * Runs this rank's part of `schedule` over elements [start, end) of the vector, elements of
   * `options.elements`. Every rank must call it with the same arguments in the same order. Blocks (shared) or awaits (ports).
   * Throws CollectiveAbortedError once the collective's epoch is over.
   */
  run(
    schedule: Schedule,
    range: Range,
    options?: RunOptions,
  ): CollectiveReport | Promise<CollectiveReport>;
  /**
   * Sends `values`, of the vector's length, to one rank, which must `receive` it at the same place
   * among the calls that both take part in. Other ranks have no part in it. One of both is rank 0.
   * Blocks (shared) while what was sent before still lies there. Throws as `run` does.
   */
  send(to: number, values: Float32Array): CollectiveReport | Promise<CollectiveReport>;
  /** Writes what `from` sends next to this rank into `into`. Blocks (shared) or awaits (ports). */
  receive(from: number, into: Float32Array): void | Promise<void>;
  /** Gives up whatever is under way and every later call. */
  abort(): void;
  close(): void;
}

/** Wall ms after which a wait counts as long: its rank then has time to say so. */
export const LONG_WAIT_MS = 100;

/** The epoch of a collective is over: make new links, then repeat it from the untouched input. */
export class CollectiveAbortedError extends Error {
  override readonly name = 'CollectiveAbortedError';

  constructor() {
    super('The collective was given up; its links are dead. Make new ones and repeat it.');
  }
}
