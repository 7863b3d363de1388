/** @file Horovod's adaptive sum over the ranks, by recursive doubling of whole vectors. */
import { adasumOfTwo } from '#core/adasum';
import type { Range, Schedule } from '#core/collective';
import type { Parameter } from '#core/model';
import { pairwiseExchange } from '#core/pairwise';
import type { Plan } from '#core/plan';
import { reductionRanges } from '#core/reduction-ranges';
import type { Endpoint } from '#transport/endpoint';
import type { GradientReduction } from './reduction.ts';

/**
 * Round i: each rank swaps what it has with the rank 2^i away, and both combine the two, tensor by
 * tensor, the lower rank's first. So all ranks end with the bits of core's `adasum`, having sent
 * log2(N) vectors. Throws RangeError for a world that is no power of two.
 */
export function adasumReduction(plan: Plan, endpoint: Endpoint): GradientReduction {
  const { worldSize, model, buckets } = plan;
  const ranges = reductionRanges(model.parameters, buckets);
  const rounds: Schedule[] = [];
  for (let distance = 1; distance < worldSize; distance *= 2) {
    rounds.push(pairwiseExchange(worldSize, distance));
  }
  const { input, output, rank } = endpoint;
  const peer = new Float32Array(model.parameterCount);

  const combineRange = async (range: Range): Promise<number> => {
    const tensors = model.parameters.filter((parameter) => isWithin(parameter, range));
    let bytesSent = 0;
    for (const [round, schedule] of rounds.entries()) {
      const running = endpoint.run(schedule, range);
      bytesSent += (running instanceof Promise ? await running : running).bytesSent;
      peer.set(output.subarray(range.start, range.end), range.start);
      const isLower = (rank & (1 << round)) === 0;
      const [lower, upper] = isLower ? [input, peer] : [peer, input];
      combine(lower, upper, tensors);
      if (!isLower) input.set(peer.subarray(range.start, range.end), range.start);
    }
    return bytesSent;
  };

  return {
    gradient: input,
    average: input,
    async run({ iteration }) {
      let allReduce = 0;
      for (const range of iteration === 0 ? ranges.first : ranges.later) {
        allReduce += await combineRange(range);
      }
      return { allReduce, allGather: 0 };
    },
    commit: () => undefined,
    residualNorm: () => null,
    norms: () => null,
  };
}

const isWithin = ({ offset, length }: Parameter, { start, end }: Range): boolean =>
  offset >= start && offset + length <= end;

/** Into `lower`. A mark in the vector's first element is passed on as a sum would pass it. */
function combine(lower: Float32Array, upper: Float32Array, tensors: readonly Parameter[]): void {
  const mark = (lower[0] ?? 0) + (upper[0] ?? 0);
  for (const { offset, length } of tensors) {
    adasumOfTwo(lower.subarray(offset, offset + length), upper.subarray(offset, offset + length));
  }
  if (tensors.some(({ offset }) => offset === 0) && !Number.isFinite(mark)) lower[0] = mark;
}
