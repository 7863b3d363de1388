/** @file How the ranks' gradients become one: DDP's all-reduce of buckets, or a compressor's exchange. */
import type { Range, Schedule } from '#core/collective';
import type { Plan } from '#core/plan';
import { reductionRanges } from '#core/reduction-ranges';
import { allReduceSchedule } from '#core/schedules';
import type { ChannelBytes } from '#transport/channel';
import type { Endpoint } from '#transport/endpoint';
import { adasumReduction } from './adasum-reduction.ts';
import { compressedReduction } from './compressed-reduction.ts';
import { measuredReduction } from './measured-reduction.ts';

/** Where a reduction stands in the run. */
export interface Round {
  /** Reductions before this one; with micro-batches there may be several a step. */
  readonly iteration: number;
  readonly epoch: number;
  readonly learningRate: number;
  /** What the own gradient counts for, as a multiple of 1 / N. */
  readonly weight: number;
}

/** Squared norms of the gradients of one reduction, as scaled as they are. */
export interface RankNorms {
  /** Of each rank's own gradient. */
  readonly own: readonly number[];
  /** Of the ranks' mean. */
  readonly mean: number;
}

export interface GradientReduction {
  /** This rank's gradient is written here; `run` may overwrite it. */
  readonly gradient: Float32Array;
  /** The ranks' mean after `run`. For reading only: peers may be reading it too. */
  readonly average: Float32Array;
  /**
   * Averages over the ranks; resolves with the bytes this rank sent. A first element that is
   * infinite or NaN on one rank is so on all afterwards.
   */
  run(round: Round): ChannelBytes | Promise<ChannelBytes>;
  /** Keeps what the compressor remembers; not called where the step is given up. */
  commit(): void;
  /** Norm of what is kept back, or null where nothing is. */
  residualNorm(): number | null;
  /** What the compressor remembers, as it lives; the same number of vectors at any time. */
  memory(): readonly Float32Array[];
  /** What the last reduction measured; null where nothing is. */
  norms(): RankNorms | null;
}

/** The all-reduce that the plan names. */
export function scheduleOf({ collective, worldSize }: Plan): Schedule {
  const { ranksPerNode } = collective;
  return allReduceSchedule(collective.name, worldSize, { ranksPerNode });
}

/** The reduction of a plan. */
export function createReduction(plan: Plan, endpoint: Endpoint): GradientReduction {
  if (plan.compression.kind !== 'none') {
    return compressedReduction(plan, endpoint, scheduleOf(plan));
  }
  if (plan.collective.combine === 'adasum') return adasumReduction(plan, endpoint);
  const plain = plainReduction(plan, endpoint);
  const measures = plan.measuresNoise && plan.worldSize > 1;
  return measures ? measuredReduction(plan, endpoint, plain) : plain;
}

const NOTHING_SENT: ChannelBytes = { allReduce: 0, allGather: 0 };

/** DDP without a hook: multiplied by 1/N before the sum (reducer.cpp), a bucket at a time. */
function plainReduction(plan: Plan, endpoint: Endpoint): GradientReduction {
  const { worldSize, model, buckets, mistakes } = plan;
  const schedule = scheduleOf(plan);
  const { first, later } = reductionRanges(model.parameters, buckets);
  const ranks = mistakes.sumNotMean ? 1 : worldSize;
  const alone = worldSize === 1;
  // The endpoint's vectors may be longer.
  const input = endpoint.input.subarray(0, model.parameterCount);
  const output = endpoint.output.subarray(0, model.parameterCount);

  const reduceAll = async (ranges: readonly Range[]): Promise<ChannelBytes> => {
    let allReduce = 0;
    for (const range of ranges) {
      const running = endpoint.run(schedule, range);
      allReduce += (running instanceof Promise ? await running : running).bytesSent;
    }
    return { allReduce, allGather: 0 };
  };

  return {
    gradient: input,
    average: alone ? input : output,
    run({ iteration, weight }) {
      const share = Math.fround(weight / ranks);
      if (share !== 1) for (let i = 0; i < input.length; i++) input[i] = (input[i] ?? 0) * share;
      return alone ? NOTHING_SENT : reduceAll(iteration === 0 ? first : later);
    },
    commit: () => undefined,
    residualNorm: () => null,
    memory: () => [],
    norms: () => null,
  };
}
