/**
 * @file What a compressor asks of the ranks' channel. A compressor is a generator: it yields one
 * exchange at a time and is resumed with its reply, so the same code runs on a transport that
 * blocks, on one that awaits, and with all ranks in one thread.
 */
import { FLOAT_FORMATS, roundFloats } from '#core/float-formats';

/** The number format in which a dense all-reduce travels and sums. */
export type WireFormat = 'fp32' | 'fp16' | 'bf16';

export type Exchange =
  /** Every rank's payload goes to every rank. The channel may keep or transfer the payload. */
  | { readonly kind: 'allGather'; readonly payload: Uint8Array }
  /** Sum over ranks, every partial sum rounded to `format`; `values` are already of that format. */
  | { readonly kind: 'allReduce'; readonly values: Float32Array; readonly format: WireFormat };

/** All-gather: payloads by rank, one's own among them. All-reduce: the sum, the same on all ranks. */
export type Reply = readonly Uint8Array[] | Float32Array;

export type Exchanges = Generator<Exchange, void, Reply>;

/** Yields an all-gather; returns all ranks' payloads in rank order. */
export function* allGather(payload: Uint8Array): Generator<Exchange, readonly Uint8Array[], Reply> {
  const reply = yield { kind: 'allGather', payload };
  if (reply instanceof Float32Array) {
    throw new TypeError('An all-gather was answered with a sum; a list of payloads is needed.');
  }
  return reply;
}

/** Yields an all-reduce; returns the sum, of the length of `values`. */
export function* allReduce(
  values: Float32Array,
  format: WireFormat = 'fp32',
): Generator<Exchange, Float32Array, Reply> {
  const reply = yield { kind: 'allReduce', values, format };
  if (reply instanceof Float32Array) return reply;
  throw new TypeError('An all-reduce was answered with payloads; the sum is needed.');
}

/** What a transport has to offer; the same calls in the same order on every rank. */
export interface Channel {
  allGather(payload: Uint8Array): readonly Uint8Array[] | Promise<readonly Uint8Array[]>;
  allReduce(values: Float32Array, format: WireFormat): Float32Array | Promise<Float32Array>;
}

const perform = (exchange: Exchange, channel: Channel) =>
  exchange.kind === 'allGather'
    ? channel.allGather(exchange.payload)
    : channel.allReduce(exchange.values, exchange.format);

/** Runs a compressor's exchanges over a channel; returns the payload bytes this rank gave to it. */
export async function drive(exchanges: Exchanges, channel: Channel): Promise<number> {
  let bytes = 0;
  let turn = exchanges.next();
  while (!turn.done) {
    bytes += exchangeBytes(turn.value);
    const reply = perform(turn.value, channel);
    turn = exchanges.next(reply instanceof Promise ? await reply : reply);
  }
  return bytes;
}

/** Bytes of one element on the wire. */
export function formatBytes(format: WireFormat): number {
  return format === 'fp32' ? 4 : FLOAT_FORMATS[format].bytes;
}

/** Payload bytes of one exchange on one rank, before the collective multiplies them. */
export function exchangeBytes(exchange: Exchange): number {
  return exchange.kind === 'allGather'
    ? exchange.payload.byteLength
    : exchange.values.length * formatBytes(exchange.format);
}

/** Rounds `values` in place to what travels. */
export function roundToWire(values: Float32Array, format: WireFormat): void {
  if (format !== 'fp32') roundFloats(FLOAT_FORMATS[format], values);
}

/**
 * target += values in the wire's own arithmetic. Summing two 16-bit numbers in float32 and rounding
 * once more is exact: float32 has at least 2p + 2 bits of either format (Figueroa 1995).
 */
export function addOnWire(target: Float32Array, values: Float32Array, format: WireFormat): void {
  for (let i = 0; i < target.length; i++) target[i] += values[i];
  roundToWire(target, format);
}
