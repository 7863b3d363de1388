/**
 * @file Which samples a step takes, at which learning rate, in a run whose ranks may become fewer or
 * be replaced on the way. The order of samples is that of the whole run: whoever takes over goes on
 * at the first sample that nobody has used [Horovod's ElasticSampler].
 */
import { learningRateAt } from './learning-rate.ts';
import type { Plan } from './plan.ts';

/** Where the ranks of a plan took over from others. Counts are those of the whole run. */
export interface Resumption {
  readonly step: number;
  readonly epoch: number;
  /** Samples of the epoch's order that were used before; below the plan's `trainCount`. */
  readonly position: number;
  /** Samples used before, the sampler's padding included. */
  readonly samples: number;
  /** The step of the undisturbed run that had used as many; may have a fraction. */
  readonly rateStep: number;
  /** Steps of the undisturbed run that one of these stands for: its ranks over theirs, inverted. */
  readonly rateStride: number;
  readonly rateTotal: number;
}

/** Steps that share one order of samples and one division of it among the ranks. */
export interface CourseSegment {
  readonly epoch: number;
  readonly firstStep: number;
  /** Samples of the epoch's order that were used before it. */
  readonly position: number;
}

type Sizes = Pick<Plan, 'worldSize' | 'batchPerRank' | 'trainCount' | 'stepsPerEpoch' | 'resumed'>;

/** Steps that `count` samples make: each rank's share, in batches. */
function stepsFor(count: number, { worldSize, batchPerRank }: Sizes): number {
  return Math.ceil(Math.ceil(count / worldSize) / batchPerRank);
}

/** The segment that `step` lies in. */
export function segmentOfStep(plan: Sizes, step: number): CourseSegment {
  const { stepsPerEpoch, resumed, trainCount } = plan;
  if (resumed === null) {
    const epoch = Math.floor(step / stepsPerEpoch);
    return { epoch, firstStep: epoch * stepsPerEpoch, position: 0 };
  }
  const { epoch, position } = resumed;
  const nextEpoch = resumed.step + stepsFor(trainCount - position, plan);
  if (step < nextEpoch) return { epoch, firstStep: resumed.step, position };
  const whole = Math.floor((step - nextEpoch) / stepsPerEpoch);
  return {
    epoch: epoch + 1 + whole,
    firstStep: nextEpoch + whole * stepsPerEpoch,
    position: 0,
  };
}

/**
 * The segment that a rank's batch number `index` lies in. It is the step's where every rank has a
 * batch in every step; under an asynchronous server ranks go through theirs at their own pace.
 */
export function segmentOfBatch(plan: Sizes, index: number): CourseSegment {
  const stepsPerEpoch = stepsFor(plan.trainCount, plan);
  return segmentOfStep({ ...plan, stepsPerEpoch }, index);
}

/** Samples of all ranks together before `step`, the sampler's padding included. */
export function samplesBefore(plan: Sizes, step: number): number {
  const { worldSize, batchPerRank, trainCount, resumed } = plan;
  const { epoch, firstStep, position } = segmentOfStep(plan, step);
  const share = (count: number): number => Math.ceil(count / worldSize);
  const within = Math.min((step - firstStep) * batchPerRank, share(trainCount - position));
  const first = resumed === null ? 0 : resumed.epoch;
  const before = resumed === null ? 0 : resumed.samples;
  if (resumed === null || epoch === first) {
    return before + worldSize * ((epoch - first) * share(trainCount) + within);
  }
  const rest = share(trainCount - resumed.position);
  return before + worldSize * (rest + (epoch - first - 1) * share(trainCount) + within);
}

/** The learning rate of a step. Fewer ranks go through the schedule more slowly, sample by sample. */
export function learningRateOfStep(plan: Plan, step: number): number {
  const { resumed, learningRate, totalSteps } = plan;
  if (resumed === null) return learningRateAt(learningRate, step, totalSteps);
  const rateStep = resumed.rateStep + (step - resumed.step) * resumed.rateStride;
  return learningRateAt(learningRate, rateStep, resumed.rateTotal);
}

/** The first sample, by epoch and place in its order, that no step before `step` has used. */
function placeOf(plan: Sizes, step: number): { readonly epoch: number; readonly position: number } {
  const { epoch, firstStep, position } = segmentOfStep(plan, step);
  const used = position + (step - firstStep) * plan.worldSize * plan.batchPerRank;
  return used >= plan.trainCount ? { epoch: epoch + 1, position: 0 } : { epoch, position: used };
}

/**
 * The plan of `worldSize` ranks that take over before `step`. They go on with the samples that are
 * left and end where the old plan would have ended. Throws RangeError for no ranks, or for steps
 * that the old plan does not have.
 */
export function resumePlan(plan: Plan, worldSize: number, step: number): Plan {
  if (!(worldSize >= 1)) throw new RangeError(`${worldSize} ranks; at least 1 must be left`);
  const begun = plan.resumed?.step ?? 0;
  if (step < begun || step > plan.totalSteps) {
    throw new RangeError(`step ${step}: the plan has steps ${begun} ... ${plan.totalSteps}`);
  }
  const start = placeOf(plan, step);
  const end = placeOf(plan, plan.totalSteps);
  const old = plan.resumed;
  const resumed: Resumption = {
    ...start,
    step,
    samples: samplesBefore(plan, step),
    rateStep: old === null ? step : old.rateStep + (step - old.step) * old.rateStride,
    rateStride: ((old?.rateStride ?? 1) * worldSize) / plan.worldSize,
    rateTotal: old?.rateTotal ?? plan.totalSteps,
  };
  const sizes = { ...plan, worldSize, resumed };
  const stepsPerEpoch = stepsFor(plan.trainCount, sizes);
  const left = stepsBetween(start, end, { ...sizes, stepsPerEpoch });
  return { ...sizes, stepsPerEpoch, totalSteps: step + left };
}

type Place = ReturnType<typeof placeOf>;

function stepsBetween(start: Place, end: Place, plan: Sizes): number {
  if (start.epoch === end.epoch) return stepsFor(end.position - start.position, plan);
  const rest = stepsFor(plan.trainCount - start.position, plan);
  const whole = end.epoch - start.epoch - 1;
  return rest + whole * plan.stepsPerEpoch + stepsFor(end.position, plan);
}
