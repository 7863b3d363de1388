/** @file Unbiased quantisers: QSGD and TernGrad. Both raise the variance and need no residual. */
import { BitReader, BitWriter, floatsAt } from './bits.ts';
import type { Codec } from './codec.ts';
import { rankStream } from './compressor.ts';

export interface QsgdOptions {
  /** s: levels above zero. */
  readonly levels: number;
  /** Elements that share a norm; 0 is the whole range. */
  readonly bucketSize: number;
  /** Sign and level in fields of fixed width, or Elias codes: fewer bits for small levels. */
  readonly coding: 'fixed' | 'elias';
}

/** Bits of a level 0 ... `levels`. */
export function levelBits(levels: number): number {
  return 32 - Math.clz32(levels);
}

/** Elias's recursive (omega) code of n >= 1. */
function writeElias(writer: BitWriter, n: number): void {
  if (n > 1) writeEliasPrefix(writer, n);
  writer.write(0, 1);
}

function writeEliasPrefix(writer: BitWriter, n: number): void {
  const width = 32 - Math.clz32(n);
  if (width > 2) writeEliasPrefix(writer, width - 1);
  // The top bit, always 1, goes first: it tells the reader that a group follows.
  writer.write(1, 1);
  writer.write(n, width - 1);
}

function readElias(reader: BitReader): number {
  let n = 1;
  while (reader.read(1) === 1) n = (1 << n) | reader.read(n);
  return n;
}

function writeLevel(
  writer: BitWriter,
  level: number,
  coding: QsgdOptions['coding'],
  bits: number,
): void {
  const magnitude = Math.abs(level);
  if (coding === 'fixed') writer.write(magnitude, bits);
  else writeElias(writer, magnitude + 1);
  if (coding === 'fixed' || magnitude > 0) writer.write(level < 0 ? 1 : 0, 1);
}

function readLevel(reader: BitReader, coding: QsgdOptions['coding'], bits: number): number {
  const magnitude = coding === 'fixed' ? reader.read(bits) : readElias(reader) - 1;
  const negative = (coding === 'fixed' || magnitude > 0) && reader.read(1) === 1;
  return negative ? -magnitude : magnitude;
}

function normOf(values: Float32Array, start: number, end: number): number {
  let sum = 0;
  for (let i = start; i < end; i++) sum += values[i] * values[i];
  return Math.fround(Math.sqrt(sum));
}

/**
 * QSGD [Alistarh et al. 2017]: level floor(s |v_i| / |v|) goes up by one with the probability of
 * the fraction; decoded as |v| * sign * level / s. Payload: a float32 norm a bucket, then a sign and
 * a level an element. A zero bucket decodes to zero,
 * one that holds NaN or infinity to NaN.
 */
export function qsgdCodec({ levels, bucketSize, coding }: QsgdOptions): Codec {
  const bits = levelBits(levels);
  const bucketOf = (length: number): number =>
    bucketSize === 0 ? Math.max(1, length) : bucketSize;
  return {
    encode: (values, context) => {
      const stream = rankStream(context);
      const size = bucketOf(values.length);
      const norms = new Float32Array(Math.ceil(values.length / size));
      const writer = new BitWriter(values.length * (bits + 1));
      for (let bucket = 0; bucket < norms.length; bucket++) {
        const start = bucket * size;
        const end = Math.min(values.length, start + size);
        norms[bucket] = normOf(values, start, end);
        const factor = norms[bucket] > 0 ? levels / norms[bucket] : 0;
        for (let i = start; i < end; i++) {
          const exact = factor * Math.abs(values[i]);
          const floor = Math.floor(exact);
          const level = Math.min(levels, floor + (stream.uniform() < exact - floor ? 1 : 0));
          writeLevel(writer, values[i] < 0 ? -level : level, coding, bits);
        }
      }
      return concatenate(norms, writer.finish());
    },
    decodeInto: (payload, target, factor) => {
      const size = bucketOf(target.length);
      const norms = floatsAt(payload, 0, Math.ceil(target.length / size));
      const reader = new BitReader(payload.subarray(norms.byteLength));
      for (let i = 0; i < target.length; i++) {
        const level = readLevel(reader, coding, bits);
        const norm = norms[Math.floor(i / size)];
        if (level !== 0) target[i] += factor * Math.fround((norm / levels) * level);
        // A level cannot say it, but a bucket that was not finite must not pass as zeros.
        else if (!Number.isFinite(norm)) target[i] = Number.NaN;
      }
    },
  };
}

function concatenate(head: Float32Array, tail: Uint8Array): Uint8Array {
  const payload = new Uint8Array(head.byteLength + tail.byteLength);
  payload.set(new Uint8Array(head.buffer, head.byteOffset, head.byteLength));
  payload.set(tail, head.byteLength);
  return payload;
}

/** Two bits an element in TernGrad. */
const TERNARY = { zero: 0, positive: 1, negative: 2 } as const;

function deviation(values: Float32Array): number {
  let sum = 0;
  for (const value of values) sum += value;
  const mean = sum / values.length;
  let squares = 0;
  for (const value of values) squares += (value - mean) ** 2;
  return Math.sqrt(squares / values.length);
}

function largest(values: Float32Array): number {
  let most = 0;
  for (const value of values) most = Math.max(most, Math.abs(value));
  return most;
}

/**
 * TernGrad [Wen et al. 2017]: values clipped to `clipDeviations` standard deviations (0: not), then
 * s * sign(v) with probability |v| / s, s the largest magnitude. Payload: float32 s, then two bits
 * an element. Unbiased but for the clipping.
 */
export function ternGradCodec(clipDeviations: number): Codec {
  return {
    encode: (values, context) => {
      const stream = rankStream(context);
      const limit = clipDeviations === 0 ? Infinity : clipDeviations * deviation(values);
      const top = Math.fround(Math.min(limit, largest(values)));
      const writer = new BitWriter(2 * values.length);
      for (const value of values) {
        const kept = stream.uniform() * top < Math.min(Math.abs(value), top);
        const sign = value < 0 ? TERNARY.negative : TERNARY.positive;
        writer.write(kept ? sign : TERNARY.zero, 2);
      }
      return concatenate(Float32Array.of(top), writer.finish());
    },
    decodeInto: (payload, target, factor) => {
      const step = factor * floatsAt(payload, 0, 1)[0];
      const reader = new BitReader(payload.subarray(4));
      for (let i = 0; i < target.length; i++) {
        const code = reader.read(2);
        if (code === TERNARY.positive) target[i] += step;
        else if (code === TERNARY.negative) target[i] -= step;
        else if (!Number.isFinite(step)) target[i] = Number.NaN;
      }
    },
  };
}
