/**
 * @file The memory that ranks share: one counter and two vectors a rank, and where a server needs them
 * two mailboxes a rank.
 */

/** Words of 4 bytes; keeps counters on cache lines of their own. */
const LINE = 16;
const PAGE_BYTES = 65_536;
const MAGIC = 0x52494e47;
/** Header words. */
const MAGIC_WORD = 0;
const WORLD_SIZE_WORD = 1;
const LENGTH_WORD = 2;
const MAILBOXES_WORD = 3;

/** Counters are even; this bit in one says that the arena was aborted. */
export const ABORTED = 1;
/** What a completed operation adds to a counter. Counters wrap; compare by difference. */
export const TICK = 2;

/**
 * The memory of one epoch. A WebAssembly memory rather than bare shared memory, so that vectors can
 * be added in place by SIMD instructions; it is passed to workers in the same way.
 */
export type Arena = WebAssembly.Memory;

/** A vector on its way to one rank. Its word is a counter, and TICK in it says that it is full. */
export interface Mailbox {
  /** Index in `words`. */
  readonly word: number;
  readonly values: Float32Array<SharedArrayBuffer>;
}

/** The typed views of an arena. */
export interface ArenaLayout {
  readonly memory: Arena;
  readonly worldSize: number;
  readonly vectorLength: number;
  /** All header and counter words. */
  readonly words: Int32Array<SharedArrayBuffer>;
  /** Index of each rank's counter in `words`. */
  readonly counters: readonly number[];
  /** [rank] vectors of `vectorLength`. */
  readonly inputs: readonly Float32Array<SharedArrayBuffer>[];
  readonly outputs: readonly Float32Array<SharedArrayBuffer>[];
  /** [rank] from it to rank 0, and from rank 0 to it; empty in an arena without mailboxes. */
  readonly toServer: readonly Mailbox[];
  readonly fromServer: readonly Mailbox[];
}

function vectorStride(vectorLength: number): number {
  return Math.ceil(vectorLength / LINE) * LINE;
}

/** Vectors, and words to wait on, of one rank. */
const perRank = (mailboxes: boolean): { vectors: number; lines: number } =>
  mailboxes ? { vectors: 4, lines: 3 } : { vectors: 2, lines: 1 };

/**
 * Shared memory for `worldSize` ranks with vectors of `vectorLength` elements; one arena is one
 * epoch. With `mailboxes` single vectors may go to rank 0 and back. Throws RangeError for sizes that
 * make no sense, and where the memory cannot be had.
 */
export function createArena(worldSize: number, vectorLength: number, mailboxes = false): Arena {
  if (!(Number.isInteger(worldSize) && worldSize >= 1)) {
    throw new RangeError(`createArena: world size ${worldSize}; a positive integer is allowed`);
  }
  if (!(Number.isInteger(vectorLength) && vectorLength >= 0)) {
    throw new RangeError(`createArena: vector length ${vectorLength}; 0 or more is allowed`);
  }
  const { vectors, lines } = perRank(mailboxes);
  const words = LINE * (1 + lines * worldSize) + vectors * worldSize * vectorStride(vectorLength);
  const pages = Math.ceil((4 * words) / PAGE_BYTES);
  const arena = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
  const header = new Int32Array(arena.buffer);
  header[MAGIC_WORD] = MAGIC;
  header[WORLD_SIZE_WORD] = worldSize;
  header[LENGTH_WORD] = vectorLength;
  header[MAILBOXES_WORD] = mailboxes ? 1 : 0;
  return arena;
}

/** The views of an arena. Throws RangeError if the memory was not made by createArena. */
export function arenaLayout(arena: Arena): ArenaLayout {
  const buffer = arena.buffer;
  if (!(buffer instanceof SharedArrayBuffer)) {
    throw new RangeError('This memory is not shared; take an arena from createArena.');
  }
  const header = new Int32Array(buffer, 0, LINE);
  if (header[MAGIC_WORD] !== MAGIC) {
    throw new RangeError('This memory is no arena; take one from createArena.');
  }
  const worldSize = header[WORLD_SIZE_WORD] ?? 0;
  const vectorLength = header[LENGTH_WORD] ?? 0;
  const mailboxes = header[MAILBOXES_WORD] === 1;
  const stride = vectorStride(vectorLength);
  const words = LINE * (1 + perRank(mailboxes).lines * worldSize);
  const vector = (index: number) =>
    new Float32Array(buffer, 4 * (words + index * stride), vectorLength);
  const ranks = Array.from({ length: worldSize }, (_, rank) => rank);
  /** The k-th row of mailboxes: words behind the counters, vectors behind inputs and outputs. */
  const row = (k: number): Mailbox[] =>
    (mailboxes ? ranks : []).map((rank) => ({
      word: LINE * (1 + (1 + k) * worldSize + rank),
      values: vector((2 + k) * worldSize + rank),
    }));
  return {
    memory: arena,
    worldSize,
    vectorLength,
    words: new Int32Array(buffer, 0, words),
    counters: ranks.map((rank) => LINE * (1 + rank)),
    inputs: ranks.map((rank) => vector(2 * rank)),
    outputs: ranks.map((rank) => vector(2 * rank + 1)),
    toServer: row(0),
    fromServer: row(1),
  };
}

/**
 * Ends the arena's epoch: every rank's collective, under way or later, throws. Never waits, so
 * any thread may call it.
 */
export function abortArena(arena: Arena): void {
  abortCounters(arenaLayout(arena));
}

/** The mark lies in the very words that are waited on, so no wake-up can be lost. */
export function abortCounters({ words, counters, toServer, fromServer }: ArenaLayout): void {
  const mailboxes = [...toServer, ...fromServer].map(({ word }) => word);
  for (const word of [...counters, ...mailboxes]) {
    Atomics.or(words, word, ABORTED);
    Atomics.notify(words, word);
  }
}
