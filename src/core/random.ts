/**
 * @file Counter-based random numbers: a stream is named by (seed, purpose, rank, step), so any
 * draw can be repeated without the ones before it. Philox4x32-10 (Salmon et al., SC 2011).
 */

/** What a stream is for; two purposes never share numbers. */
export const PURPOSE = {
  initialWeights: 1,
  pointsTrain: 2,
  pointsTest: 3,
  generation: 4,
  augmentation: 5,
  compression: 16,
  sharedCompression: 17,
  computeJitter: 48,
  loaderJitter: 49,
  computationJitter: 40,
} as const;
export type Purpose = (typeof PURPOSE)[keyof typeof PURPOSE];

const MULTIPLIER_0 = 0xd2511f53;
const MULTIPLIER_1 = 0xcd9e8d57;
const WEYL_0 = 0x9e3779b9;
const WEYL_1 = 0xbb67ae85;
const ROUNDS = 10;

/** High 32 bits of the unsigned 64-bit product, as an int32; integers alone, which engines do fast. */
function multiplyHigh(a: number, b: number): number {
  const aLow = a & 0xffff;
  const aHigh = a >>> 16;
  const bLow = b & 0xffff;
  const bHigh = b >>> 16;
  const middle = (Math.imul(aHigh, bLow) + (Math.imul(aLow, bLow) >>> 16)) >>> 0;
  const cross = (Math.imul(aLow, bHigh) + (middle & 0xffff)) >>> 0;
  return (Math.imul(aHigh, bHigh) + (middle >>> 16) + (cross >>> 16)) | 0;
}

/** Ten rounds of Philox4x32 over `counter` (4 words) and `key` (2 words), into `out` (4 words). */
export function philox(
  counter: Uint32Array,
  key: readonly [number, number],
  out: Uint32Array,
): void {
  let c0 = counter[0] | 0;
  let c1 = counter[1] | 0;
  let c2 = counter[2] | 0;
  let c3 = counter[3] | 0;
  let k0 = key[0] | 0;
  let k1 = key[1] | 0;
  for (let round = 0; round < ROUNDS; round++) {
    const high0 = multiplyHigh(MULTIPLIER_0, c0);
    const high1 = multiplyHigh(MULTIPLIER_1, c2);
    const low0 = Math.imul(MULTIPLIER_0, c0);
    const low1 = Math.imul(MULTIPLIER_1, c2);
    c0 = high1 ^ c1 ^ k0;
    c1 = low1;
    c2 = high0 ^ c3 ^ k1;
    c3 = low0;
    k0 = (k0 + WEYL_0) | 0;
    k1 = (k1 + WEYL_1) | 0;
  }
  out[0] = c0;
  out[1] = c1;
  out[2] = c2;
  out[3] = c3;
}

export interface RandomStream {
  /** Uniform integer in [0, 2^32). */
  u32(): number;
  /** Uniform in [0, 1) with 24 bits, so it is exact in fp32. */
  uniform(): number;
  /** Standard normal (Box-Muller, first of each pair). */
  normal(): number;
  /** Uniform integer in [0, n), without bias. Throws RangeError unless 1 <= n <= 2^32. */
  below(n: number): number;
}

/**
 * The stream named by its key; rank and step are 0 where they have no meaning. It begins at block
 * `firstBlock` (4 words a block), so that parts of one vector can draw apart from each other.
 */
export function randomStream(
  seed: number,
  purpose: Purpose,
  rank = 0,
  step = 0,
  firstBlock = 0,
): RandomStream {
  const key: readonly [number, number] = [seed >>> 0, purpose >>> 0];
  const counter = new Uint32Array([firstBlock, 0, rank, step]);
  const block = new Uint32Array(4);
  let used = 4;

  const u32 = (): number => {
    if (used === 4) {
      philox(counter, key, block);
      counter[0]++;
      if (counter[0] === 0) counter[1]++;
      used = 0;
    }
    return block[used++];
  };
  const uniform = (): number => (u32() >>> 8) / 0x1000000;
  const normal = (): number => {
    const radius = Math.sqrt(-2 * Math.log(1 - uniform()));
    return radius * Math.cos(2 * Math.PI * uniform());
  };
  const below = (n: number): number => {
    if (!(n >= 1 && n <= 0x100000000)) throw new RangeError(`below(${n}): 1 ... 2^32 is allowed`);
    const limit = 0x100000000 - (0x100000000 % n);
    let draw = u32();
    while (draw >= limit) draw = u32();
    return draw % n;
  };
  return { u32, uniform, normal, below };
}
