/** @file Gradients through a compressor, a range of the vector at a time. */
import { firstIterationRanges } from '#core/buckets';
import type { Range, Schedule } from '#core/collective';
import type { Compressor, CompressorState } from '#core/compression/compressor';
import { type CompressionConfig, createCompressor, matricesOf } from '#core/compression/config';
import { drive } from '#core/compression/exchange';
import type { Plan } from '#core/plan';
import { reductionRanges } from '#core/reduction-ranges';
import { type ChannelBytes, createChannel, type MeteredChannel } from '#transport/channel';
import type { Endpoint } from '#transport/endpoint';
import type { GradientReduction, Round } from './reduction.ts';

/** One range with the compressor that works on it. */
interface Segment {
  readonly compressor: Compressor;
  readonly offset: number;
  readonly gradient: Float32Array;
  readonly average: Float32Array;
  state: CompressorState;
  next: CompressorState;
}

/**
 * A compressor for every bucket, or one for the whole vector where it chooses globally. Buckets are
 * those of iteration 1 from the start, so that what is remembered keeps its place.
 */
export function compressedReduction(
  plan: Plan,
  endpoint: Endpoint,
  schedule: Schedule,
): GradientReduction {
  const { seed, worldSize, model, mistakes } = plan;
  const channel = createChannel(endpoint, schedule);
  const gradient = new Float32Array(model.parameterCount);
  const average = new Float32Array(model.parameterCount);
  const segments = rangesOf(plan).map((range) => segmentOf(plan, range, gradient, average));

  const exchange = async (segment: Segment, round: Round): Promise<void> => {
    const { compressor, state, next, offset } = segment;
    const { iteration: step, epoch, learningRate } = round;
    const { rank } = endpoint;
    const context = { seed, rank, worldSize, step, epoch, learningRate, offset };
    await drive(
      compressor.update(state, next, segment.gradient, segment.average, context),
      channel,
    );
  };

  return {
    gradient,
    average,
    async run(round): Promise<ChannelBytes> {
      weigh(gradient, round.weight);
      const mark = await commonMark(channel, gradient[0] ?? 0);
      if (mark !== 0) {
        average[0] = mark;
        return channel.takeBytes();
      }
      for (const segment of segments) await exchange(segment, round);
      if (mistakes.sumNotMean) {
        for (let i = 0; i < average.length; i++) average[i] = (average[i] ?? 0) * worldSize;
      }
      return channel.takeBytes();
    },
    commit() {
      for (const segment of segments) {
        [segment.state, segment.next] = [segment.next, segment.state];
        if (mistakes.noErrorFeedback) residualOf(segment)?.fill(0);
      }
    },
    residualNorm() {
      const residuals = segments.flatMap((segment) => residualOf(segment) ?? []);
      if (residuals.length === 0) return null;
      let sum = 0;
      for (const residual of residuals) for (const value of residual) sum += value * value;
      return Math.sqrt(sum);
    },
    memory: () => segments.flatMap(({ state }) => Object.values(state.vectors)),
    norms: () => null,
  };
}

function weigh(gradient: Float32Array, weight: number): void {
  if (weight === 1) return;
  const factor = Math.fround(weight);
  for (let i = 0; i < gradient.length; i++) gradient[i] = (gradient[i] ?? 0) * factor;
}

function rangesOf({ model, buckets, compression }: Plan): readonly Range[] {
  return isGlobal(compression)
    ? firstIterationRanges(model.parameters)
    : reductionRanges(model.parameters, buckets).later;
}

const isGlobal = (compression: CompressionConfig): boolean =>
  'scope' in compression && compression.scope === 'global';

function segmentOf(
  { model, compression }: Plan,
  range: Range,
  gradient: Float32Array,
  average: Float32Array,
): Segment {
  const { start, end } = range;
  const compressor = createCompressor(compression, matricesOf(model.parameters, range));
  return {
    compressor,
    offset: start,
    gradient: gradient.subarray(start, end),
    average: average.subarray(start, end),
    state: compressor.init(end - start),
    next: compressor.init(end - start),
  };
}

function residualOf({ compressor, state }: Segment): Float32Array | null {
  return compressor.residual === null ? null : (state.vectors[compressor.residual] ?? null);
}

/**
 * 0 if every rank's first element is finite, else what their sum is: infinite or NaN. Codes of few
 * bits would not carry it, and what is kept back would never be rid of it.
 */
async function commonMark(channel: MeteredChannel, own: number): Promise<number> {
  const mark = Float32Array.of(Number.isFinite(own) ? 0 : own);
  const sum = await channel.allReduce(mark, 'fp32');
  return sum[0] ?? 0;
}
