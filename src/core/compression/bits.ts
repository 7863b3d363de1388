/** @file Fields of a few bits, packed into bytes from the lowest bit up. */

/** Packs fields one after the other; grows as needed. */
export class BitWriter {
  private bytes: Uint8Array;
  private count = 0;
  /** Bits that do not fill a byte yet: fewer than 8 of them between two writes. */
  private pending = 0;
  private pendingBits = 0;

  /** `bits` is a guess of the final size. */
  constructor(bits: number) {
    this.bytes = new Uint8Array(Math.ceil(bits / 8) + 8);
  }

  /** Appends the low `width` bits of `value`; width is 0 ... 24. */
  write(value: number, width: number): void {
    if (this.count + 4 > this.bytes.length) this.grow();
    let pending = this.pending | ((value & ((1 << width) - 1)) << this.pendingBits);
    let bits = this.pendingBits + width;
    while (bits >= 8) {
      this.bytes[this.count++] = pending;
      pending >>>= 8;
      bits -= 8;
    }
    this.pending = pending;
    this.pendingBits = bits;
  }

  private grow(): void {
    const larger = new Uint8Array(this.bytes.length * 2);
    larger.set(this.bytes);
    this.bytes = larger;
  }

  /** The packed bytes, the last one filled up with zeros. Nothing may be written after. */
  finish(): Uint8Array {
    if (this.pendingBits > 0) this.write(0, 8 - this.pendingBits);
    return this.bytes.slice(0, this.count);
  }
}

/** Reads fields in the order in which they were written. */
export class BitReader {
  private readonly bytes: Uint8Array;
  private position = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  /** The next `width` bits, 0 ... 24; past the end they are zeros. */
  read(width: number): number {
    const index = this.position >>> 3;
    const { bytes } = this;
    // Not shifts alone: the offset and 24 bits make up to 31, and the fourth byte reaches the sign.
    const low =
      (bytes[index] ?? 0) | ((bytes[index + 1] ?? 0) << 8) | ((bytes[index + 2] ?? 0) << 16);
    const word = (low | ((bytes[index + 3] ?? 0) << 24)) >>> (this.position & 7);
    this.position += width;
    return word & ((1 << width) - 1);
  }
}

/** One bit an element, 1 where the value is negative; -0 and NaN count as not negative. */
export function packNegatives(values: Float32Array, bytes: Uint8Array): void {
  bytes.fill(0);
  for (let i = 0; i < values.length; i++) {
    if (values[i] < 0) bytes[i >>> 3] |= 1 << (i & 7);
  }
}

/** Whether bit `i` is set. */
export function hasBit(bytes: Uint8Array, i: number): boolean {
  return ((bytes[i >>> 3] >>> (i & 7)) & 1) === 1;
}

/** Float32s of a payload at a byte offset: a view where it is aligned, else a copy. */
export function floatsAt(payload: Uint8Array, offset: number, length: number): Float32Array {
  const start = payload.byteOffset + offset;
  if (start % 4 === 0) return new Float32Array(payload.buffer, start, length);
  return new Float32Array(payload.slice(offset, offset + 4 * length).buffer);
}

/** The same for unsigned 32-bit integers. */
export function wordsAt(payload: Uint8Array, offset: number, length: number): Uint32Array {
  const start = payload.byteOffset + offset;
  if (start % 4 === 0) return new Uint32Array(payload.buffer, start, length);
  return new Uint32Array(payload.slice(offset, offset + 4 * length).buffer);
}
