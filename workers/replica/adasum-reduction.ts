/**
 * @file Horovod's adaptive sum over the ranks, by recursive vector halving and distance doubling
 * (horovod/common/ops/adasum/adasum.h), tensor by tensor.
 */
import { adasumSchedules, combinePair, pairSums } from '#core/adasum';
import { chunkRanges } from '#core/chunks';
import type { Range, Schedule } from '#core/collective';
import type { Parameter } from '#core/model';
import { pairwiseExchange } from '#core/pairwise';
import type { Plan } from '#core/plan';
import { reductionRanges } from '#core/reduction-ranges';
import { elementsOf } from '#transport/elements';
import type { Endpoint } from '#transport/endpoint';
import type { GradientReduction } from './reduction.ts';

/** a.b, |a|^2 and |b|^2 of a tensor. */
const SUMS = 3;
const FLOAT64_BYTES = 8;

/**
 * Level i: ranks 2^i apart swap halves of what they still hold; each combines its half of the two.
 * The sums over whole tensors come from all ranks that hold parts of the two vectors. At the end
 * all parts are gathered. Throws RangeError for a world that is no power of two.
 */
export function adasumReduction(plan: Plan, endpoint: Endpoint): GradientReduction {
  const { worldSize, model, buckets } = plan;
  const ranges = reductionRanges(model.parameters, buckets);
  const { halvings, gather } = adasumSchedules(worldSize);
  const { input, output, rank } = endpoint;
  const sumOverGroup = groupSums(endpoint, halvings.length);
  const gradient = new Float32Array(model.parameterCount);
  const average = new Float32Array(model.parameterCount);
  const peer = new Float32Array(model.parameterCount);

  /** Sends what this rank holds of `range`; resolves with the bytes sent. */
  const send = async (schedule: Schedule, range: Range): Promise<number> => {
    input.set(gradient.subarray(range.start, range.end), range.start);
    const running = endpoint.run(schedule, range);
    return (running instanceof Promise ? await running : running).bytesSent;
  };

  const combineLevel = async (level: number, range: Range): Promise<number> => {
    const schedule = halvings[level] as Schedule;
    let bytesSent = await send(schedule, range);
    const held = heldAfter(schedule, range, rank);
    peer.set(output.subarray(held.start, held.end), held.start);
    const [lower, upper] = (rank & (1 << level)) === 0 ? [gradient, peer] : [peer, gradient];
    const parts = partsWithin(model.parameters, range, held);
    const sums = new Float64Array(SUMS * parts.length);
    for (const [i, { start, end }] of parts.entries()) {
      sums.set(pairSums(lower.subarray(start, end), upper.subarray(start, end)), SUMS * i);
    }
    const mark = (lower[0] ?? 0) + (upper[0] ?? 0);
    bytesSent += await sumOverGroup(sums, level);
    for (const [i, { start, end }] of parts.entries()) {
      const [dot = 0, normA = 0, normB = 0] = sums.subarray(SUMS * i);
      const [a, b] = [lower.subarray(start, end), upper.subarray(start, end)];
      combinePair(gradient.subarray(start, end), a, b, [dot, normA, normB]);
    }
    // A mark of overflow or NaN is passed on as a sum would pass it.
    if (held.start === 0 && held.end > 0 && !Number.isFinite(mark)) gradient[0] = mark;
    return bytesSent;
  };

  return {
    gradient,
    average,
    async run({ iteration }) {
      let allReduce = 0;
      for (const range of iteration === 0 ? ranges.first : ranges.later) {
        for (const level of halvings.keys()) allReduce += await combineLevel(level, range);
        allReduce += await send(gather, range);
        average.set(output.subarray(range.start, range.end), range.start);
      }
      return { allReduce, allGather: 0 };
    },
    commit: () => undefined,
    residualNorm: () => null,
    norms: () => null,
    memory: () => [],
  };
}

/** The elements that a rank receives in a level, and alone holds on to after it. */
function heldAfter(schedule: Schedule, range: Range, rank: number): Range {
  const chunks = chunkRanges(range, schedule.chunks);
  const received = (schedule.steps[0] ?? []).filter(({ to }) => to === rank);
  const held = received.map(({ chunk }) => chunks[chunk] as Range);
  return {
    start: Math.min(...held.map(({ start }) => start)),
    end: Math.max(...held.map(({ end }) => end)),
  };
}

/** Each tensor of `range` as far as it lies in `held`; perhaps nothing of it. */
function partsWithin(parameters: readonly Parameter[], range: Range, held: Range): Range[] {
  const tensors = parameters.filter(
    ({ offset, length }) => offset >= range.start && offset + length <= range.end,
  );
  return tensors.map(({ offset, length }) => {
    const start = Math.max(offset, held.start);
    return { start, end: Math.max(start, Math.min(offset + length, held.end)) };
  });
}

/**
 * Adds numbers up over the 2^(level + 1) ranks that combine two vectors in a level, by recursive
 * doubling, so that all of them get the same bits; resolves with the bytes sent.
 */
function groupSums(endpoint: Endpoint, levels: number) {
  const { worldSize } = endpoint;
  const exchanges = Array.from({ length: levels }, (_, i) => pairwiseExchange(worldSize, 2 ** i));
  const input = elementsOf('bytes', endpoint.input);
  const output = elementsOf('bytes', endpoint.output);
  return async (sums: Float64Array, level: number): Promise<number> => {
    const range = { start: 0, end: FLOAT64_BYTES * sums.length };
    let bytesSent = 0;
    for (const schedule of exchanges.slice(0, level + 1)) {
      input.set(new Uint8Array(sums.buffer));
      const running = endpoint.run(schedule, range, { elements: 'bytes' });
      bytesSent += (running instanceof Promise ? await running : running).bytesSent;
      const others = new Float64Array(Uint8Array.from(output.subarray(0, range.end)).buffer);
      for (const [i, other] of others.entries()) sums[i] = (sums[i] ?? 0) + other;
    }
    return bytesSent;
  };
}
