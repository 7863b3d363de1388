/**
 * @file The narrow float formats of mixed precision: fp16 [IEEE 754], bf16, and fp8 e4m3 and e5m2
 * [Micikevicius et al. 2022]. A float32 is rounded by integer operations on its bits: to nearest,
 * ties to even, subnormals kept. Overflow becomes infinity, or NaN in e4m3, which has no infinity.
 * Every NaN becomes the format's one positive quiet NaN.
 */

export const FLOAT_FORMAT_NAMES = ['fp16', 'bf16', 'e4m3', 'e5m2'] as const;
export type FloatFormatName = (typeof FLOAT_FORMAT_NAMES)[number];

/** "Word" is a float32's bits, "code" the format's; both without sign. */
export interface FloatFormat {
  readonly name: FloatFormatName;
  readonly bytes: 1 | 2;
  /** Mantissa bits that float32 has more. */
  readonly droppedBits: number;
  /** Float32 exponent field below which bits are lost one by one; 0 where float32's own are kept. */
  readonly minExponent: number;
  /** What turns the word of a normal number into its code, before the dropped bits go. */
  readonly rebias: number;
  /** Greatest word that does not overflow. */
  readonly limitWord: number;
  readonly overflowWord: number;
  readonly overflowCode: number;
  readonly nanCode: number;
  readonly maxFinite: number;
  readonly minNormal: number;
  readonly minSubnormal: number;
}

const SIGN = 0x80000000;
const MAGNITUDE = 0x7fffffff;
const FRACTION = 0x007fffff;
const IMPLICIT_ONE = 0x00800000;
const INFINITY_WORD = 0x7f800000;
const NAN_WORD = 0x7fc00000;

export const FLOAT_FORMATS: Readonly<Record<FloatFormatName, FloatFormat>> = {
  fp16: {
    name: 'fp16',
    bytes: 2,
    droppedBits: 13,
    minExponent: 113,
    rebias: 112 << 23,
    limitWord: 0x477fefff,
    overflowWord: INFINITY_WORD,
    overflowCode: 0x7c00,
    nanCode: 0x7e00,
    maxFinite: 65504,
    minNormal: 2 ** -14,
    minSubnormal: 2 ** -24,
  },
  bf16: {
    name: 'bf16',
    bytes: 2,
    droppedBits: 16,
    minExponent: 0,
    rebias: 0,
    limitWord: 0x7f7f7fff,
    overflowWord: INFINITY_WORD,
    overflowCode: 0x7f80,
    nanCode: 0x7fc0,
    maxFinite: (2 - 2 ** -7) * 2 ** 127,
    minNormal: 2 ** -126,
    minSubnormal: 2 ** -133,
  },
  e4m3: {
    name: 'e4m3',
    bytes: 1,
    droppedBits: 20,
    minExponent: 121,
    rebias: 120 << 23,
    // 464 lies half way between 448 and the code that is NaN; the tie goes to 448, which is even.
    limitWord: 0x43e80000,
    overflowWord: NAN_WORD,
    overflowCode: 0x7f,
    nanCode: 0x7f,
    maxFinite: 448,
    minNormal: 2 ** -6,
    minSubnormal: 2 ** -9,
  },
  e5m2: {
    name: 'e5m2',
    bytes: 1,
    droppedBits: 21,
    minExponent: 113,
    rebias: 112 << 23,
    limitWord: 0x476fffff,
    overflowWord: INFINITY_WORD,
    overflowCode: 0x7c,
    nanCode: 0x7f,
    maxFinite: 57344,
    minNormal: 2 ** -14,
    minSubnormal: 2 ** -16,
  },
};

/** The word of the format's number nearest to `word`, with its sign. */
function roundWord(format: FloatFormat, word: number): number {
  const magnitude = word & MAGNITUDE;
  if (magnitude > format.limitWord) {
    if (magnitude > INFINITY_WORD || format.overflowWord === NAN_WORD) return NAN_WORD;
    return (word & SIGN) | INFINITY_WORD;
  }
  const below = format.minExponent - (magnitude >>> 23);
  const shift = format.droppedBits + Math.max(below, 0);
  if (shift > 23) return (word & SIGN) | roundTiny(magnitude, shift);
  // At 23 the bit that decides a tie is float32's implicit one.
  const odd = shift === 23 ? 1 : (magnitude >>> shift) & 1;
  const rounded = ((magnitude + (1 << (shift - 1)) - 1 + odd) >>> shift) << shift;
  return (word & SIGN) | rounded;
}

/** Below the smallest subnormal: up to it from beyond its half, else to zero. */
function roundTiny(magnitude: number, shift: number): number {
  const beyondHalf = shift === 24 && (magnitude & FRACTION) !== 0;
  return beyondHalf ? (magnitude & INFINITY_WORD) + IMPLICIT_ONE : 0;
}

/** The code of a word that `roundWord` returned. */
function packWord(format: FloatFormat, word: number): number {
  const magnitude = word & MAGNITUDE;
  if (magnitude > INFINITY_WORD) return format.nanCode;
  const sign = (word & SIGN) >>> (format.bytes === 2 ? 16 : 24);
  if (magnitude === INFINITY_WORD) return sign | format.overflowCode;
  const below = format.minExponent - (magnitude >>> 23);
  if (below <= 0) return sign | ((magnitude - format.rebias) >>> format.droppedBits);
  if (magnitude === 0) return sign;
  return sign | (((magnitude & FRACTION) | IMPLICIT_ONE) >>> (format.droppedBits + below));
}

/** The number that `code` stands for. */
export function decodeCode(format: FloatFormat, code: number): number {
  const mantissaBits = 23 - format.droppedBits;
  const signBit = format.bytes === 2 ? 0x8000 : 0x80;
  const magnitude = code & (signBit - 1);
  const sign = code & signBit ? -1 : 1;
  if (magnitude >= format.overflowCode) {
    return magnitude === format.overflowCode && format.overflowWord === INFINITY_WORD
      ? sign * Number.POSITIVE_INFINITY
      : Number.NaN;
  }
  const exponent = magnitude >>> mantissaBits;
  const fraction = magnitude & ((1 << mantissaBits) - 1);
  if (exponent === 0) return sign * fraction * format.minSubnormal;
  const significand = 1 + fraction / (1 << mantissaBits);
  return sign * significand * 2 ** (exponent - 1) * format.minNormal;
}

const wordsOf = (values: Float32Array): Int32Array =>
  new Int32Array(values.buffer, values.byteOffset, values.length);

export type FloatCodes = Uint8Array | Uint16Array;

/** Room for `length` codes of the format: Uint16Array or Uint8Array. */
export function createCodes(format: FloatFormat, length: number): FloatCodes {
  return format.bytes === 2 ? new Uint16Array(length) : new Uint8Array(length);
}

function checkCodes(format: FloatFormat, codes: FloatCodes, values: Float32Array): void {
  if (codes.BYTES_PER_ELEMENT === format.bytes && codes.length === values.length) return;
  throw new RangeError(
    `${format.name}: ${codes.length} codes of ${codes.BYTES_PER_ELEMENT} bytes for ${values.length} ` +
      `values; as many codes of ${format.bytes} bytes are needed, as createCodes makes them`,
  );
}

/** Rounds `values` to the format's codes. Throws RangeError for codes of another size or length. */
export function encodeFloats(format: FloatFormat, values: Float32Array, codes: FloatCodes): void {
  checkCodes(format, codes, values);
  const words = wordsOf(values);
  const { droppedBits, limitWord, rebias } = format;
  const belowHalf = (1 << (droppedBits - 1)) - 1;
  const leastNormal = format.minExponent << 23;
  const signShift = format.bytes === 2 ? 16 : 24;
  for (let i = 0; i < words.length; i++) {
    const word = words[i];
    const magnitude = word & MAGNITUDE;
    if (magnitude >= leastNormal && magnitude <= limitWord) {
      const rounded = magnitude + belowHalf + ((magnitude >>> droppedBits) & 1) - rebias;
      codes[i] = ((word & SIGN) >>> signShift) | (rounded >>> droppedBits);
    } else codes[i] = packWord(format, roundWord(format, word));
  }
}

/**
 * Rounds `values` in place, by the same steps on every platform. In the common range the dropped
 * bits are rounded as integers; among the subnormals, adding a number whose last place is theirs
 * and taking it away again lets float32's own addition round.
 */
export function roundFloats(format: FloatFormat, values: Float32Array): void {
  if (format.name === 'fp16') {
    roundHalves(values);
    return;
  }
  const words = wordsOf(values);
  const { droppedBits, limitWord } = format;
  const belowHalf = (1 << (droppedBits - 1)) - 1;
  const keptBits = -1 << droppedBits;
  const leastNormal = format.minExponent << 23;
  const aligner = format.minSubnormal * 2 ** 23;
  for (let i = 0; i < words.length; i++) {
    const word = words[i];
    const magnitude = word & MAGNITUDE;
    if (magnitude > limitWord) words[i] = roundWord(format, word);
    else if (magnitude >= leastNormal) {
      words[i] = (word + belowHalf + ((word >>> droppedBits) & 1)) & keptBits;
    } else {
      const rounded = Math.fround(Math.abs(values[i]) + aligner) - aligner;
      values[i] = word < 0 ? -rounded : rounded;
    }
  }
}

/** The same with fp16's numbers in place of names, for which compilers make far faster code. */
function roundHalves(values: Float32Array): void {
  const words = wordsOf(values);
  for (let i = 0; i < words.length; i++) {
    const word = words[i];
    const magnitude = word & 0x7fffffff;
    if (magnitude > 0x477fefff) words[i] = roundWord(FLOAT_FORMATS.fp16, word);
    else if (magnitude >= 0x38800000) {
      words[i] = (word + 0xfff + ((word >>> 13) & 1)) & 0xffffe000;
    } else {
      const rounded = Math.fround(Math.abs(values[i]) + 0.5) - 0.5;
      values[i] = word < 0 ? -rounded : rounded;
    }
  }
}

const tables = new Map<FloatFormatName, Float32Array>();

function tableOf(format: FloatFormat): Float32Array {
  let table = tables.get(format.name);
  if (table === undefined) {
    table = new Float32Array(format.bytes === 2 ? 0x10000 : 0x100);
    for (let code = 0; code < table.length; code++) table[code] = decodeCode(format, code);
    tables.set(format.name, table);
  }
  return table;
}

/** The numbers of `codes`, exact in float32, into `values`. Throws RangeError for other sizes. */
export function decodeFloats(format: FloatFormat, codes: FloatCodes, values: Float32Array): void {
  checkCodes(format, codes, values);
  const table = tableOf(format);
  for (let i = 0; i < codes.length; i++) values[i] = table[codes[i]];
}

const oneValue = new Float32Array(1);

/** One number, taken as float32, rounded to the format. */
export function roundFloat(format: FloatFormat, value: number): number {
  oneValue[0] = value;
  roundFloats(format, oneValue);
  return oneValue[0];
}

/** How a vector fares in a format. Each element counts once; the rest are normal numbers. */
export interface FloatCensus {
  readonly total: number;
  /** Zero before any rounding. */
  readonly zero: number;
  /** Not zero, but rounded to zero. */
  readonly underflowed: number;
  /** Rounded to a number below the format's smallest normal one: kept with fewer bits. */
  readonly subnormal: number;
  /** Finite, but beyond the format's range. */
  readonly overflowed: number;
  /** Infinite or NaN before any rounding. */
  readonly nonFinite: number;
}

/** Both counted together; null counts nothing. */
export function addCensus(a: FloatCensus | null, b: FloatCensus | null): FloatCensus | null {
  if (a === null || b === null) return a ?? b;
  return {
    total: a.total + b.total,
    zero: a.zero + b.zero,
    underflowed: a.underflowed + b.underflowed,
    subnormal: a.subnormal + b.subnormal,
    overflowed: a.overflowed + b.overflowed,
    nonFinite: a.nonFinite + b.nonFinite,
  };
}

/** Counts what rounding `values` to the format would do; `values` stay as they are. */
export function censusOf(format: FloatFormat, values: Float32Array): FloatCensus {
  const words = wordsOf(values);
  let [zero, underflowed, subnormal, overflowed, nonFinite] = [0, 0, 0, 0, 0];
  const minNormalWord = Math.max(format.minExponent, 1) << 23;
  for (let i = 0; i < words.length; i++) {
    const magnitude = words[i] & MAGNITUDE;
    if (magnitude === 0) zero++;
    else if (magnitude >= INFINITY_WORD) nonFinite++;
    else if (magnitude > format.limitWord) overflowed++;
    else if (magnitude < minNormalWord) {
      const rounded = roundWord(format, magnitude);
      if (rounded === 0) underflowed++;
      else if (rounded < minNormalWord) subnormal++;
    }
  }
  return { total: values.length, zero, underflowed, subnormal, overflowed, nonFinite };
}
