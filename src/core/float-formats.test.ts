import { expect, test } from 'vitest';
import {
  censusOf,
  createCodes,
  decodeCode,
  decodeFloats,
  encodeFloats,
  FLOAT_FORMAT_NAMES,
  FLOAT_FORMATS,
  type FloatFormat,
  roundFloat,
  roundFloats,
} from './float-formats.ts';
import golden from './golden/floats.json' with { type: 'json' };
import { PURPOSE, randomStream } from './random.ts';

const { fp16, bf16, e4m3, e5m2 } = FLOAT_FORMATS;
const FORMATS = FLOAT_FORMAT_NAMES.map((name) => [name, FLOAT_FORMATS[name]] as const);
const SIXTEEN = FORMATS.filter(([, format]) => format.bytes === 2);

const fromWords = (words: readonly number[]): Float32Array =>
  new Float32Array(Uint32Array.from(words).buffer);
const wordsOf = (values: Float32Array): Uint32Array => new Uint32Array(values.buffer);

function encode(format: FloatFormat, values: Float32Array): number[] {
  const codes = createCodes(format, values.length);
  encodeFloats(format, values, codes);
  return [...codes];
}

/** Every code once. */
function allCodes(format: FloatFormat) {
  const codes = createCodes(format, 2 ** (8 * format.bytes));
  codes.forEach((_, i) => {
    codes[i] = i;
  });
  return codes;
}

/** The first index at which two vectors differ in their bits, or -1; far faster than toEqual. */
function firstDifference(a: ArrayLike<number>, b: ArrayLike<number>): number {
  if (a.length !== b.length) return Math.min(a.length, b.length);
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return i;
  return -1;
}

/** Nearest-even by search over the format's non-negative finite numbers, ascending by code. */
function nearestBySearch(numbers: readonly number[], value: number): number {
  let low = 0;
  let high = numbers.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (numbers[middle] <= value) low = middle;
    else high = middle;
  }
  const [down, up] = [value - numbers[low], numbers[high] - value];
  if (down === up) return low % 2 === 0 ? numbers[low] : numbers[high];
  return down < up ? numbers[low] : numbers[high];
}

/** A sweep of float32: every exponent, and fractions around every bit position, both signs. */
function sweep(): Float32Array {
  const words: number[] = [];
  const stream = randomStream(1, PURPOSE.generation);
  for (let exponent = 0; exponent < 256; exponent++) {
    for (let bit = 0; bit <= 23; bit++) {
      const edge = 2 ** bit;
      for (const fraction of [edge - 1, edge, edge + 1, 3 * edge, 2 ** 23 - edge]) {
        words.push(exponent * 2 ** 23 + (fraction % 2 ** 23));
      }
    }
    for (let i = 0; i < 400; i++) words.push(exponent * 2 ** 23 + stream.below(2 ** 23));
  }
  return fromWords(words.flatMap((word) => [word, word + 2 ** 31]));
}

test('PR-1 float32 to fp16 and bf16 equals PyTorch to the bit', () => {
  const values = fromWords(golden.float32Bits);
  expect(encode(fp16, values)).toEqual(golden.float16Bits);
  expect(encode(bf16, values)).toEqual(golden.bfloat16Bits);
});

test('PR-1 T: fp16 rounds to nearest even, with subnormals and overflow', () => {
  const cases = [
    [65519, 65504],
    [65520, Number.POSITIVE_INFINITY],
    [-65520, Number.NEGATIVE_INFINITY],
    [2 ** -25, 0],
    [1.001 * 2 ** -25, 2 ** -24],
    [2049, 2048],
    [2051, 2052],
    [1 + 2 ** -11, 1],
    [1 + 3 * 2 ** -11, 1 + 2 ** -9],
  ];
  for (const [value, rounded] of cases) expect(roundFloat(fp16, value)).toBe(rounded);
});

test('PR-1 T: bf16 257 -> 256, 259 -> 260', () => {
  expect([257, 259].map((value) => roundFloat(bf16, value))).toEqual([256, 260]);
});

test('PR-1 T: limits of the formats', () => {
  expect([fp16.maxFinite, fp16.minNormal, fp16.minSubnormal]).toEqual([65504, 2 ** -14, 2 ** -24]);
  expect([e4m3.maxFinite, e4m3.minSubnormal]).toEqual([448, 2 ** -9]);
  expect([e5m2.maxFinite, e5m2.minSubnormal]).toEqual([57344, 2 ** -16]);
});

test.each(FORMATS)('PR-1 %s: limits are those of its codes', (_, format) => {
  const finite = [...allCodes(format)].map((code) => decodeCode(format, code));
  const positive = finite.filter((value) => value > 0 && value < Number.POSITIVE_INFINITY);
  expect(Math.max(...positive)).toBe(format.maxFinite);
  expect(Math.min(...positive)).toBe(format.minSubnormal);
  expect(roundFloat(format, format.minSubnormal / 2)).toBe(0);
  expect(Object.is(roundFloat(format, -format.minSubnormal / 2), -0)).toBe(true);
});

test('PR-2 e4m3 has no infinity: overflow is NaN, and 464 still rounds to 448', () => {
  expect(roundFloat(e4m3, 464)).toBe(448);
  expect(roundFloat(e4m3, 464.1)).toBeNaN();
  expect(roundFloat(e4m3, Number.POSITIVE_INFINITY)).toBeNaN();
  expect(encode(e4m3, Float32Array.of(-1e9, 448, -448, Number.NaN))).toEqual([
    0x7f, 0x7e, 0xfe, 0x7f,
  ]);
});

test('PR-2 e5m2 overflows to infinity from 61440 on', () => {
  expect(roundFloat(e5m2, 61439)).toBe(57344);
  expect(roundFloat(e5m2, 61440)).toBe(Number.POSITIVE_INFINITY);
  expect(encode(e5m2, Float32Array.of(-1e9, Number.NaN))).toEqual([0xfc, 0x7f]);
});

test.each(FORMATS)('PR-3 %s: encode inverts decode for every code', (_, format) => {
  const codes = allCodes(format);
  const values = new Float32Array(codes.length);
  decodeFloats(format, codes, values);
  const expected = codes.map((code, i) => (Number.isNaN(values[i]) ? format.nanCode : code));
  expect(firstDifference(encode(format, values), expected)).toBe(-1);
});

test.each(FORMATS)('PR-3 %s: every half-way case goes to the even code', (_, format) => {
  const top = format.bytes === 2 ? 0x7fff : 0x7f;
  for (let code = 0; code < top; code++) {
    const [low, high] = [decodeCode(format, code), decodeCode(format, code + 1)];
    if (!Number.isFinite(low) || !Number.isFinite(high)) continue;
    const middle = (low + high) / 2;
    const even = code % 2 === 0 ? low : high;
    if (roundFloat(format, middle) !== even || roundFloat(format, -middle) !== -even) {
      expect.fail(`${middle} goes to ${roundFloat(format, middle)}, not to ${even}`);
    }
  }
});

test.each(FORMATS)('PR-3 %s: a sweep of float32 equals a search for the nearest', (_, format) => {
  const top = format.bytes === 2 ? 0x7fff : 0x7f;
  const numbers = Array.from({ length: top + 1 }, (__, code) => decodeCode(format, code)).filter(
    Number.isFinite,
  );
  const values = sweep();
  const rounded = values.slice();
  roundFloats(format, rounded);
  values.forEach((value, i) => {
    const magnitude = Math.abs(value);
    if (!(magnitude <= format.maxFinite)) return;
    const expected = Math.sign(value) * nearestBySearch(numbers, magnitude);
    if (rounded[i] !== expected) expect.fail(`${value} goes to ${rounded[i]}, not ${expected}`);
  });
});

test.each(FORMATS)('PR-3 %s: rounding equals encoding and decoding, to the bit', (_, format) => {
  const values = sweep();
  const codes = createCodes(format, values.length);
  encodeFloats(format, values, codes);
  const [rounded, decoded] = [values.slice(), values.slice()];
  roundFloats(format, rounded);
  decodeFloats(format, codes, decoded);
  expect(firstDifference(wordsOf(rounded), wordsOf(decoded))).toBe(-1);
});

test('PR-4 T: at w = 1 an update of 2^-11 is lost in fp16 and 2^-10 is kept', () => {
  expect(roundFloat(fp16, 1 + 2 ** -11)).toBe(1);
  expect(roundFloat(fp16, 1 + 2 ** -10)).toBe(1 + 2 ** -10);
});

test('PR-4 T: 1000 x (+1e-4) from 1: fp16 stays 1.0, the fp32 master reaches 1.1000166', () => {
  let half = 1;
  const master = Float32Array.of(1);
  const update = Math.fround(1e-4);
  for (let i = 0; i < 1000; i++) {
    half = roundFloat(fp16, half + roundFloat(fp16, update));
    master[0] += update;
  }
  expect(half).toBe(1);
  expect(master[0]).toBeCloseTo(1.1000166, 7);
});

test('PR-5 the census counts each fate once', () => {
  const values = Float32Array.of(
    0,
    -0,
    2 ** -25, // lost
    -1e-12, // lost
    2 ** -24, // subnormal
    -(2 ** -15), // subnormal
    2 ** -14, // normal
    65504, // normal
    -65520, // overflow
    1e20, // overflow
    Number.NaN,
    Number.NEGATIVE_INFINITY,
  );
  const counts = { total: 12, zero: 2, underflowed: 2, subnormal: 2, overflowed: 2, nonFinite: 2 };
  expect(censusOf(fp16, values)).toEqual(counts);
});

test('PR-5 T (0.11): zeros that fp32 already had are no underflow', () => {
  const values = Float32Array.of(0, 0, 1e-9, 1);
  expect(censusOf(fp16, values)).toMatchObject({ zero: 2, underflowed: 1 });
});

test.each(FORMATS)('PR-5 %s: the census agrees with rounding each element', (_, format) => {
  const values = sweep();
  const expected = { zero: 0, underflowed: 0, subnormal: 0, overflowed: 0, nonFinite: 0 };
  for (const value of values) {
    const rounded = Math.abs(roundFloat(format, value));
    if (value === 0) expected.zero++;
    else if (!Number.isFinite(value)) expected.nonFinite++;
    else if (!Number.isFinite(rounded)) expected.overflowed++;
    else if (rounded === 0) expected.underflowed++;
    else if (rounded < format.minNormal) expected.subnormal++;
  }
  expect(censusOf(format, values)).toEqual({ total: values.length, ...expected });
});

test.each(SIXTEEN)('PR-6 %s: a float32 sum rounded once is the sum in the format', (_, format) => {
  // The double rounding is innocent: float32 has at least 2p + 2 bits for both formats.
  const stream = randomStream(2, PURPOSE.generation);
  for (let i = 0; i < 20_000; i++) {
    const a = decodeCode(format, stream.below(0x7c00));
    const b = -decodeCode(format, stream.below(0x7c00));
    const exact = a + b;
    const once = roundFloat(format, Math.fround(exact));
    const below = roundFloat(format, exact - Math.abs(exact) * 2 ** -40);
    const above = roundFloat(format, exact + Math.abs(exact) * 2 ** -40);
    if (once !== below && once !== above) expect.fail(`${a} + ${b} gives ${once}`);
  }
});
