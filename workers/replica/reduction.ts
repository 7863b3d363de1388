/** @file How the ranks' gradients become one: DDP's all-reduce of buckets, or a compressor's exchange. */
import { bucketRanges, firstIterationRanges } from '#core/buckets';
import type { Range, Schedule } from '#core/collective';
import type { Plan } from '#core/plan';
import { allReduceSchedule } from '#core/schedules';
import type { ChannelBytes } from '#transport/channel';
import type { Endpoint } from '#transport/endpoint';
import { compressedReduction } from './compressed-reduction.ts';

/** Where a reduction stands in the run. */
export interface Round {
  /** Reductions before this one; with micro-batches there may be several a step. */
  readonly iteration: number;
  readonly epoch: number;
  readonly learningRate: number;
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
}

/** The all-reduce that the plan names. */
export function scheduleOf({ collective, worldSize }: Plan): Schedule {
  const { ranksPerNode } = collective;
  return allReduceSchedule(collective.name, worldSize, { ranksPerNode });
}

/** The reduction of a plan. */
export function createReduction(plan: Plan, endpoint: Endpoint): GradientReduction {
  return plan.compression.kind === 'none'
    ? plainReduction(plan, endpoint)
    : compressedReduction(plan, endpoint, scheduleOf(plan));
}

const NOTHING_SENT: ChannelBytes = { allReduce: 0, allGather: 0 };

/** DDP without a hook: multiplied by 1/N before the sum (reducer.cpp), a bucket at a time. */
function plainReduction(plan: Plan, endpoint: Endpoint): GradientReduction {
  const { worldSize, model, buckets, mistakes } = plan;
  const schedule = scheduleOf(plan);
  const first: readonly Range[] = firstIterationRanges(model.parameters);
  const later: readonly Range[] = bucketRanges(model.parameters, buckets);
  // The endpoint may be longer, for other exchanges.
  const gradient = endpoint.input.subarray(0, model.parameterCount);
  const average = endpoint.output.subarray(0, model.parameterCount);
  const share = mistakes.sumNotMean ? 1 : Math.fround(1 / worldSize);
  const alone = worldSize === 1;

  const reduceAll = async (ranges: readonly Range[]): Promise<ChannelBytes> => {
    let allReduce = 0;
    for (const range of ranges) {
      const running = endpoint.run(schedule, range);
      allReduce += (running instanceof Promise ? await running : running).bytesSent;
    }
    return { allReduce, allGather: 0 };
  };

  return {
    gradient,
    average: alone ? gradient : average,
    run({ iteration }) {
      if (share !== 1) {
        for (let i = 0; i < gradient.length; i++) gradient[i] = (gradient[i] ?? 0) * share;
      }
      return alone ? NOTHING_SENT : reduceAll(iteration === 0 ? first : later);
    },
    commit: () => undefined,
    residualNorm: () => null,
  };
}
