import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { chunkRanges } from '#core/chunks';
import type { Schedule } from '#core/collective';
import { type CompressionConfig, createCompressor } from '#core/compression/config';
import { addOnWire, drive } from '#core/compression/exchange';
import { simulateStep } from '#core/compression/simulate';
import { FLOAT_FORMATS, roundFloats } from '#core/float-formats';
import { ALL_REDUCE_NAMES, allReduceSchedule } from '#core/schedules';
import { channelLength, createChannel, type MeteredChannel } from './channel.ts';
import type { Endpoint } from './endpoint.ts';
import { connectPorts, portsEndpoint } from './ports.ts';

const open: Endpoint[] = [];

afterEach(() => {
  for (const endpoint of open.splice(0)) endpoint.close();
});

function channels(schedule: Schedule, length: number): MeteredChannel[] {
  const { worldSize } = schedule;
  const endpoints = connectPorts(worldSize).map((ports, rank) =>
    portsEndpoint(rank, worldSize, channelLength(worldSize, length), ports),
  );
  open.push(...endpoints);
  return endpoints.map((endpoint) => createChannel(endpoint, schedule));
}

/** The schedule on plain arrays with every sum rounded to the format. */
function reduced(
  schedule: Schedule,
  vectors: readonly Float32Array[],
  format: 'fp32' | 'fp16' | 'bf16',
): Float32Array {
  const parts = chunkRanges({ start: 0, end: vectors[0].length }, schedule.chunks);
  const values = vectors.map((vector) => vector.slice());
  for (const messages of schedule.steps) {
    const sent = messages.map(({ from, chunk }) =>
      values[from].slice(parts[chunk].start, parts[chunk].end),
    );
    messages.forEach(({ to, chunk, op }, i) => {
      const target = values[to].subarray(parts[chunk].start, parts[chunk].end);
      if (op === 'copy') target.set(sent[i]);
      else addOnWire(target, sent[i], format);
    });
  }
  return values[0];
}

const noise = (rank: number, length: number): Float32Array =>
  Float32Array.from({ length }, (_, i) => Math.sin(1 + rank * 37 + i * 1.7) / (1 + (i % 5)));

test('TR-21 payloads of any lengths reach every rank, in rounds where memory is short', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat(300), { minLength: 2, maxLength: 5 }),
      fc.nat(40),
      async (lengths, vectorLength) => {
        const schedule = allReduceSchedule('ring', lengths.length);
        const ranks = channels(schedule, vectorLength);
        const payloads = lengths.map((length, rank) =>
          Uint8Array.from({ length }, (_, i) => rank * 50 + i),
        );
        const results = await Promise.all(
          ranks.map((channel, rank) => channel.allGather(payloads[rank])),
        );
        for (const result of results) expect(result).toEqual(payloads);
        // Around the ring a rank passes on all payloads but its successor's own, and all lengths but one.
        const total = lengths.reduce((sum, length) => sum + length, 0);
        ranks.forEach((channel, rank) => {
          const successor = lengths[(rank + 1) % lengths.length];
          expect(channel.takeBytes()).toEqual({
            allReduce: 0,
            allGather: total - successor + 4 * (lengths.length - 1),
          });
        });
      },
    ),
    { numRuns: 25 },
  );
});

test.each(ALL_REDUCE_NAMES)(
  'TR-22 %s sums fp16 and bf16 in the format, and halves the bytes',
  async (name) => {
    for (const format of ['fp32', 'fp16', 'bf16'] as const) {
      const schedule = allReduceSchedule(name, 4, { ranksPerNode: 2 });
      const ranks = channels(schedule, 101);
      const vectors = ranks.map((_, rank) => noise(rank, 101));
      if (format !== 'fp32') for (const v of vectors) roundFloats(FLOAT_FORMATS[format], v);
      const results = await Promise.all(
        ranks.map((channel, rank) => channel.allReduce(vectors[rank], format)),
      );
      const expected = reduced(schedule, vectors, format);
      for (const result of results) expect(result).toEqual(expected);
      const bytes = ranks.reduce((sum, channel) => sum + channel.takeBytes().allReduce, 0);
      // Every all-reduce sums N - 1 times and copies N - 1 times.
      expect(bytes).toBe(6 * 101 * (format === 'fp32' ? 4 : 2));
    }
  },
);

const CONFIGS: readonly CompressionConfig[] = [
  { kind: 'cast', format: 'fp16' },
  { kind: 'topK', ratio: 0.1, errorFeedback: true, scope: 'bucket' },
  { kind: 'randomK', ratio: 0.1, errorFeedback: true, scaled: false, scope: 'bucket' },
  { kind: 'qsgd', levels: 7, bucketSize: 32, coding: 'elias' },
  { kind: 'oneBit', errorFeedback: true },
];

test.each(CONFIGS)(
  'TR-22 $kind over the transport equals the simulation to the bit',
  async (config) => {
    const schedule = allReduceSchedule('ring', 3);
    const ranks = channels(schedule, 90);
    const gradients = ranks.map((_, rank) => noise(rank, 90));
    const compressor = createCompressor(config);
    const states = gradients.map(() => compressor.init(90));
    const next = gradients.map(() => compressor.init(90));
    const context = { seed: 5, step: 3, epoch: 0, learningRate: 0.1, offset: 0 };
    const averages = gradients.map(() => new Float32Array(90));
    await Promise.all(
      ranks.map((channel, rank) => {
        const where = { ...context, rank, worldSize: 3 };
        const update = compressor.update(
          states[rank],
          next[rank],
          gradients[rank],
          averages[rank],
          where,
        );
        return drive(update, channel);
      }),
    );
    const expected = simulateStep(compressor, states, gradients, context, (vectors, format) =>
      reduced(schedule, vectors, format),
    );
    for (const average of averages) expect(average).toEqual(expected.average);
    expect(next).toEqual(expected.states);
  },
);
