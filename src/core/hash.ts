/**
 * @file Hashes of weights, data files and log lines: 64 bits as two independent 32-bit lanes of
 * multiply-and-rotate, in the manner of MurmurHash3 (whose finaliser is used as it is). They
 * detect disagreement and damage; they are no defence against somebody who forges data.
 */

const SEED_A = 0x9e3779b9;
const SEED_B = 0x243f6a88;
const MULTIPLIER_A = 0xcc9e2d51;
const MULTIPLIER_B = 0x1b873593;

/** MurmurHash3's fmix32: every input bit changes about half of the output bits. */
function avalanche(lane: number): number {
  let h = lane;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

const hex32 = (word: number): string => (word >>> 0).toString(16).padStart(8, '0');

/** Views are kept, so that hashing the same vector again allocates nothing. */
const wordViews = new WeakMap<Float32Array, Int32Array>();

function wordsOf(values: Float32Array): Int32Array {
  let words = wordViews.get(values);
  if (words === undefined) {
    words = new Int32Array(values.buffer, values.byteOffset, values.length);
    wordViews.set(values, words);
  }
  return words;
}

/**
 * A hash under construction. Words are absorbed in order; `toHex` may be asked at any time. The
 * loop below is repeated for words, bytes and characters because a shared one would see three
 * array types and run at half the speed.
 */
export class HashState {
  private a = SEED_A | 0;
  private b = SEED_B | 0;
  private count = 0;

  /** Back to the state of a new hash. */
  reset(): void {
    this.a = SEED_A | 0;
    this.b = SEED_B | 0;
    this.count = 0;
  }

  /** Absorbs the bit patterns of `values`, so -0 differs from 0 and NaN from NaN of other bits. */
  update(values: Float32Array): void {
    const words = wordsOf(values);
    let a = this.a;
    let b = this.b;
    for (let i = 0; i < words.length; i++) {
      const word = words[i];
      a = Math.imul(a ^ word, MULTIPLIER_A);
      a = (a << 15) | (a >>> 17);
      b = Math.imul(((b << 13) | (b >>> 19)) + word, MULTIPLIER_B);
    }
    this.a = a;
    this.b = b;
    this.count += words.length;
  }

  /** Absorbs bytes, one word each. */
  updateBytes(bytes: Uint8Array): void {
    let a = this.a;
    let b = this.b;
    for (let i = 0; i < bytes.length; i++) {
      const word = bytes[i];
      a = Math.imul(a ^ word, MULTIPLIER_A);
      a = (a << 15) | (a >>> 17);
      b = Math.imul(((b << 13) | (b >>> 19)) + word, MULTIPLIER_B);
    }
    this.a = a;
    this.b = b;
    this.count += bytes.length;
  }

  /** Absorbs one 32-bit word. */
  updateWord(word: number): void {
    const a = Math.imul(this.a ^ word, MULTIPLIER_A);
    this.a = (a << 15) | (a >>> 17);
    this.b = Math.imul(((this.b << 13) | (this.b >>> 19)) + word, MULTIPLIER_B);
    this.count++;
  }

  /** Absorbs the present value of another hash: a chain of hashes is a state that folds them. */
  fold(other: HashState): void {
    this.updateWord(other.high());
    this.updateWord(other.low());
  }

  /** First 32 bits of the hash, unsigned. */
  high(): number {
    return avalanche(this.a ^ this.count);
  }

  /** Last 32 bits of the hash, unsigned. */
  low(): number {
    return avalanche(this.b ^ Math.imul(this.count, MULTIPLIER_A));
  }

  /** 16 hexadecimal digits. */
  toHex(): string {
    return hex32(this.high()) + hex32(this.low());
  }
}

/** Hash of the bit patterns of a vector of any length, in 16 hexadecimal digits. */
export function hashFloats(values: Float32Array): string {
  const state = new HashState();
  state.update(values);
  return state.toHex();
}

/** Checksum of a data file, in 16 hexadecimal digits; the packing script computes the same. */
export function hashBytes(bytes: Uint8Array): string {
  const state = new HashState();
  state.updateBytes(bytes);
  return state.toHex();
}

/** Hash of a growing sequence of texts; where one ends and the next begins matters. */
export class RollingHash {
  private readonly state = new HashState();

  /** Absorbs one text by its UTF-16 code units, and its length. */
  update(text: string): void {
    for (let i = 0; i < text.length; i++) this.state.updateWord(text.charCodeAt(i));
    this.state.updateWord(text.length);
  }

  /** 16 hexadecimal digits for all texts so far. */
  toHex(): string {
    return this.state.toHex();
  }
}
