/** @file One step's gradient: computed, in parts where the batch is split, and averaged over the ranks. */
import { segmentOfStep } from '#core/course';
import type { Plan } from '#core/plan';
import type { Batch, GradientResult, Precision } from '#engine/engine';
import type { Activity } from '#protocol/replica';
import type { ChannelBytes } from '#transport/channel';
import { microBatches, type Part } from './micro-batches.ts';
import type { RepeatableExchange } from './normalisation.ts';
import type { StepPrecision } from './precision.ts';
import type { GradientReduction, Round } from './reduction.ts';
import type { Sabotage } from './sabotage.ts';
import type { StepClock } from './step-clock.ts';

/** Computes gradients; the engine behind it may change when a device is lost. */
export type ComputeGradient = (
  weights: Float32Array,
  buffers: Float32Array,
  batch: Batch,
  gradient: Float32Array,
  precision: Precision,
  exchange?: RepeatableExchange,
) => GradientResult | Promise<GradientResult>;

export interface GradientStepOptions {
  readonly plan: Plan;
  readonly batchAt: (step: number) => Batch;
  readonly gradient: ComputeGradient;
  /** What synchronised norms need; null where there are none. */
  readonly exchange: RepeatableExchange | null;
  readonly precision: StepPrecision;
  readonly reduction: GradientReduction;
  readonly clock: StepClock;
  readonly activity: (activity: Activity) => void;
  readonly sabotage: Sabotage | null;
}

/** What the rank has when a step begins. */
export interface StepState {
  readonly step: number;
  readonly weights: Float32Array;
  readonly buffers: Float32Array;
  readonly learningRate: number;
  /** Whether gradients are averaged over the ranks in this step. */
  readonly reduces: boolean;
  /** What the own gradient counts for, as a multiple of 1 / N; 0: it is not computed. */
  readonly weight: number;
}

export interface StepGradient {
  /** Mean loss over the own batch; null where no gradient was computed. */
  readonly loss: number | null;
  /** Of the own batch; 0 where no gradient was computed. */
  readonly samples: number;
  readonly buffers: Float32Array;
  /** Averaged over the ranks, or the own one where the step does not reduce. For reading only. */
  readonly gradient: Float32Array;
  readonly bytes: ChannelBytes;
  /** Of the largest part; see GradientResult. */
  readonly heldBytes: number | null;
}

/**
 * Returns the function that makes a step's gradient. What is done at once is not awaited: with a
 * small model in one replica a step takes some ten microseconds.
 */
export function createGradientStep(options: GradientStepOptions) {
  const { plan, precision, reduction, clock, activity, sabotage, exchange } = options;
  const { microBatches: count, noSync } = plan.accumulation;
  const total = new Float32Array(count > 1 ? plan.model.parameterCount : 0);

  /** Forward and backward of a part, into the reduction's gradient, weighted. */
  const compute = (part: Part, { weights }: StepState, buffers: Float32Array) => {
    activity('computing');
    exchange?.begin();
    const computed = options.gradient(
      weights,
      buffers,
      part.batch,
      reduction.gradient,
      numbers,
      exchange ?? undefined,
    );
    return computed instanceof Promise
      ? computed.then((result) => weigh(part, result))
      : weigh(part, computed);
  };

  const weigh = (part: Part, result: GradientResult): GradientResult => {
    const { gradient } = reduction;
    precision.observe(result);
    const weight = Math.fround(part.weight);
    if (weight !== 1) {
      for (let i = 0; i < gradient.length; i++) gradient[i] = (gradient[i] ?? 0) * weight;
    }
    return result;
  };

  const reduce = (iteration: number, state: StepState): ChannelBytes | Promise<ChannelBytes> => {
    clock.lap('computeMs');
    activity('communicating');
    const { step, learningRate, weight } = state;
    // Only compressors ask, and small models take steps of microseconds.
    const epoch = plan.compression.kind === 'none' ? 0 : segmentOfStep(plan, step).epoch;
    const round: Round = { iteration, epoch, learningRate, weight };
    const running = reduction.run(round);
    const passOn = (bytes: ChannelBytes): ChannelBytes => {
      clock.lap('communicateMs');
      return bytes;
    };
    return running instanceof Promise ? running.then(passOn) : passOn(running);
  };

  /** From the own gradient of the whole batch to the step's. */
  const finish = (state: StepState, result: OwnGradient): StepGradient | Promise<StepGradient> => {
    const isSpoilt = sabotage?.spoilsGradient(state.step) ?? false;
    const own = isSpoilt ? { ...result, loss: Number.NaN } : result;
    if (own.loss !== null) precision.mark(reduction.gradient, own.loss);
    if (!state.reduces) {
      clock.lap('computeMs');
      return { ...own, gradient: reduction.gradient, bytes: NO_BYTES };
    }
    const reducing = reduce(state.step, state);
    const { average } = reduction;
    return reducing instanceof Promise
      ? reducing.then((bytes) => ({ ...own, gradient: average, bytes }))
      : { ...own, gradient: average, bytes: reducing };
  };

  let numbers: Precision = precision.begin();

  /** Takes part in the reduction with nothing. */
  const absent = (state: StepState): StepGradient | Promise<StepGradient> => {
    precision.begin();
    reduction.gradient.fill(0);
    return finish(state, { loss: null, samples: 0, buffers: state.buffers, heldBytes: null });
  };

  /** The batch as it is. */
  const whole = (state: StepState): StepGradient | Promise<StepGradient> => {
    if (state.weight === 0) return absent(state);
    numbers = precision.begin();
    const part = { batch: options.batchAt(state.step), weight: 1 };
    const computing = compute(part, state, state.buffers);
    return computing instanceof Promise
      ? computing.then((result) => finish(state, ownGradient(result, part.batch.size)))
      : finish(state, ownGradient(computing, part.batch.size));
  };

  const add = (part: Float32Array): void => {
    for (let i = 0; i < total.length; i++) total[i] = (total[i] ?? 0) + (part[i] ?? 0);
  };

  /** The batch in parts, each reduced where there is no no_sync. */
  const inParts = async (state: StepState): Promise<StepGradient> => {
    if (state.weight === 0) return absent(state);
    const { step, reduces } = state;
    const batch = options.batchAt(step);
    const samples = batch.size;
    const parts = microBatches(batch, count);
    const reducesParts = reduces && !noSync;
    let [buffers, loss, bytes]: [Float32Array, number, ChannelBytes] = [state.buffers, 0, NO_BYTES];
    let heldBytes: number | null = null;
    numbers = precision.begin();
    total.fill(0);
    for (const [index, part] of parts.entries()) {
      const result = await compute(part, state, buffers);
      buffers = result.buffers;
      loss += part.weight * result.loss;
      if (result.heldBytes !== null) heldBytes = Math.max(heldBytes ?? 0, result.heldBytes);
      if (reducesParts) {
        precision.mark(reduction.gradient, result.loss);
        bytes = sum(bytes, await reduce(step * count + index, state));
        add(reduction.average);
        // The last part's is committed with the step, if the step is.
        const more = index < parts.length - 1;
        if (more && Number.isFinite(reduction.average[0])) reduction.commit();
      } else add(reduction.gradient);
    }
    const own = { loss: Math.fround(loss), samples, buffers, heldBytes };
    if (reducesParts) return { ...own, gradient: total, bytes };
    reduction.gradient.set(total);
    return finish(state, own);
  };

  return count === 1 ? whole : inParts;
}

type OwnGradient = Pick<StepGradient, 'loss' | 'samples' | 'buffers' | 'heldBytes'>;

const ownGradient = (
  { loss, buffers, heldBytes }: GradientResult,
  samples: number,
): OwnGradient => ({
  loss: Math.fround(loss),
  samples,
  buffers,
  heldBytes,
});

const NO_BYTES: ChannelBytes = { allReduce: 0, allGather: 0 };

const sum = (a: ChannelBytes, b: ChannelBytes): ChannelBytes => ({
  allReduce: a.allReduce + b.allReduce,
  allGather: a.allGather + b.allGather,
});
