/** @file The exchanges that compressors ask for, on top of an endpoint, and what they really sent. */
import { ringAllGather } from '#core/all-gather';
import { momentsLength } from '#core/batch-norm';
import type { Range, Schedule } from '#core/collective';
import type { Channel, WireFormat } from '#core/compression/exchange';
import { decodeFloats, encodeFloats, FLOAT_FORMATS } from '#core/float-formats';
import type { Plan } from '#core/plan';
import { elementsOf } from './elements.ts';
import type { Endpoint, RunOptions } from './endpoint.ts';

/** Bytes of a payload's length, sent before it. */
const LENGTH_BYTES = 4;

/** Bytes that this rank sent, by collective. */
export interface ChannelBytes {
  readonly allReduce: number;
  readonly allGather: number;
}

export interface MeteredChannel extends Channel {
  /** What was sent since the last call. */
  takeBytes(): ChannelBytes;
}

/** Elements of float32 that an endpoint needs for a channel over vectors of `length`. */
export function channelLength(worldSize: number, length: number): number {
  return Math.max(length, 4 * worldSize);
}

/**
 * Elements of float32 that the endpoints of a plan have: the gradient, all ranks' statistics of a
 * synchronised norm, Adasum's three numbers of eight bytes a tensor, and what compressed runs need to
 * make a channel of them and measured ones to gather numbers in them.
 */
export function vectorLengthOf(plan: Plan): number {
  const { collective, compression, measuresNoise, model, worldSize } = plan;
  const length = Math.max(model.parameterCount, momentsLength(model, worldSize));
  if (collective.combine === 'adasum') return Math.max(length, 6 * model.parameters.length);
  const isPlain = compression.kind === 'none' && !measuresNoise;
  return isPlain ? length : channelLength(worldSize, length);
}

/**
 * A channel whose all-reduces follow `schedule` and whose payloads are gathered around the ring:
 * first their lengths, then, in as many rounds as the endpoint's memory takes, their bytes. It
 * overwrites the endpoint's input. Its calls throw RangeError for a vector that does not fit.
 */
export function createChannel(endpoint: Endpoint, schedule: Schedule): MeteredChannel {
  const { rank, worldSize } = endpoint;
  const gather = ringAllGather(worldSize);
  const sent = { allReduce: 0, allGather: 0 };

  const run = async (
    kind: keyof ChannelBytes,
    which: Schedule,
    range: Range,
    options: RunOptions,
  ): Promise<void> => {
    const running = endpoint.run(which, range, options);
    sent[kind] += (running instanceof Promise ? await running : running).bytesSent;
  };

  const gatherLengths = async (own: number): Promise<Uint32Array> => {
    const input = elementsOf('bytes', endpoint.input);
    input.set(bytesOf(Uint32Array.of(own)), LENGTH_BYTES * rank);
    const range = { start: 0, end: LENGTH_BYTES * worldSize };
    await run('allGather', gather, range, { elements: 'bytes' });
    const output = elementsOf('bytes', endpoint.output);
    return new Uint32Array(Uint8Array.from(output.subarray(0, range.end)).buffer);
  };

  return {
    takeBytes() {
      const bytes = { ...sent };
      Object.assign(sent, { allReduce: 0, allGather: 0 });
      return bytes;
    },
    async allGather(payload) {
      if (worldSize === 1) return [payload];
      const lengths = await gatherLengths(payload.length);
      const payloads = Array.from(lengths, (length) => new Uint8Array(length));
      const input = elementsOf('bytes', endpoint.input);
      const output = elementsOf('bytes', endpoint.output);
      const piece = Math.floor(input.length / worldSize);
      for (let from = 0; from < Math.max(...lengths); from += piece) {
        const chunks = pieces(lengths, from, piece);
        const own = chunks[rank] as Range;
        input.set(payload.subarray(from, from + own.end - own.start), own.start);
        const range = { start: 0, end: input.length };
        await run('allGather', gather, range, { elements: 'bytes', chunks });
        for (const [peer, { start, end }] of chunks.entries()) {
          payloads[peer]?.set(output.subarray(start, end), Math.min(from, lengths[peer] as number));
        }
      }
      return payloads;
    },
    async allReduce(values, format) {
      const range = { start: 0, end: values.length };
      if (worldSize === 1) return values;
      const input = elementsOf(format, endpoint.input);
      const output = elementsOf(format, endpoint.output);
      if (values.length > input.length) {
        throw new RangeError(
          `all-reduce of ${values.length} values; this channel takes ${input.length}`,
        );
      }
      encode(format, values, input.subarray(0, values.length));
      await run('allReduce', schedule, range, { elements: format });
      return decoded(format, output.subarray(0, values.length));
    },
  };
}

/** One rank after the other: bytes [from, from + piece) of each payload, as far as it has them. */
function pieces(lengths: Uint32Array, from: number, piece: number): Range[] {
  let start = 0;
  return Array.from(lengths, (length) => {
    const size = Math.min(piece, Math.max(0, length - from));
    const range = { start, end: start + size };
    start += size;
    return range;
  });
}

const bytesOf = (words: Uint32Array): Uint8Array => new Uint8Array(words.buffer);

function encode(
  format: WireFormat,
  values: Float32Array,
  into: ReturnType<typeof elementsOf>,
): void {
  if (into instanceof Float32Array) into.set(values);
  else if (format !== 'fp32') encodeFloats(FLOAT_FORMATS[format], values, into);
}

/** A copy: the endpoint's output will be written again. */
function decoded(format: WireFormat, codes: ReturnType<typeof elementsOf>): Float32Array {
  if (format === 'fp32' || codes instanceof Float32Array) return Float32Array.from(codes);
  const values = new Float32Array(codes.length);
  decodeFloats(FLOAT_FORMATS[format], codes, values);
  return values;
}
