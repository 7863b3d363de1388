/** @file Squared gradient norms around a reduction, from which the noise scale is estimated. */
import { ringAllGather } from '#core/all-gather';
import { squaredNorm } from '#core/noise-scale';
import type { Plan } from '#core/plan';
import type { ChannelBytes } from '#transport/channel';
import { elementsOf } from '#transport/elements';
import type { Endpoint } from '#transport/endpoint';
import type { GradientReduction, RankNorms } from './reduction.ts';

/** One float64. */
const NUMBER_BYTES = 8;

/**
 * `reduction`, and before it an all-gather of one number a rank: the squared norm of its own
 * gradient. The endpoint must have room for a number of each rank.
 */
export function measuredReduction(
  plan: Plan,
  endpoint: Endpoint,
  reduction: GradientReduction,
): GradientReduction {
  const { mistakes, worldSize } = plan;
  const gather = numberGathering(endpoint);
  // A sum that was not divided is N times as long.
  const excess = mistakes.sumNotMean ? worldSize * worldSize : 1;
  let norms: RankNorms | null = null;
  return {
    ...reduction,
    async run(round): Promise<ChannelBytes> {
      const { numbers, bytesSent } = await gather(squaredNorm(reduction.gradient));
      const running = reduction.run(round);
      const bytes = running instanceof Promise ? await running : running;
      norms = { own: numbers, mean: squaredNorm(reduction.average) / excess };
      return { ...bytes, allGather: bytes.allGather + bytesSent };
    },
    norms: () => norms,
  };
}

/** Gathers one number a rank, in rank order; the endpoint's input is as before afterwards. */
function numberGathering(endpoint: Endpoint) {
  const { rank, worldSize } = endpoint;
  const schedule = ringAllGather(worldSize);
  const range = { start: 0, end: NUMBER_BYTES * worldSize };
  const input = elementsOf('bytes', endpoint.input).subarray(0, range.end);
  const output = elementsOf('bytes', endpoint.output).subarray(0, range.end);
  return async (own: number): Promise<{ numbers: readonly number[]; bytesSent: number }> => {
    const kept = input.slice();
    input.set(new Uint8Array(Float64Array.of(own).buffer), NUMBER_BYTES * rank);
    const running = endpoint.run(schedule, range, { elements: 'bytes' });
    const { bytesSent } = running instanceof Promise ? await running : running;
    input.set(kept);
    const bytes = Uint8Array.from(output);
    return { numbers: [...new Float64Array(bytes.buffer)], bytesSent };
  };
}
