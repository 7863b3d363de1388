/** @file Buffers that came in and may go out again. */

/** A ring needs one at a time; a second covers a send that comes before the receive. */
const KEPT_OF_A_SIZE = 2;

/** Keeps a few buffers of each size, so that a steady collective allocates nothing. */
export class BufferPool {
  readonly #free = new Map<number, ArrayBuffer[]>();

  take(bytes: number): ArrayBuffer {
    return this.#free.get(bytes)?.pop() ?? new ArrayBuffer(bytes);
  }

  give(buffer: ArrayBuffer): void {
    const kept = this.#free.get(buffer.byteLength);
    if (!kept) this.#free.set(buffer.byteLength, [buffer]);
    else if (kept.length < KEPT_OF_A_SIZE) kept.push(buffer);
  }
}
