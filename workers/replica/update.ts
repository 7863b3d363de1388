/** @file From a mean gradient to new weights: unscaled, clipped, through the optimizer, rounded. */
import { clipGradientNorm } from '#core/clip';
import type { Parameter } from '#core/model';
import { createOptimizer, type OptimizerState } from '#core/optimizers';
import type { Plan } from '#core/plan';
import type { StepPrecision } from './precision.ts';

/** What became of an update; the norm is that before clipping, null where nothing is clipped. */
export type Updated =
  | { readonly kind: 'done'; readonly gradientNorm: number | null }
  /** Some gradient overflowed under loss scaling: weights stay as they are. */
  | { readonly kind: 'skip' }
  | { readonly kind: 'nonFinite' };

/** Moves `weights`, in place, along `gradient`, which is for reading only. */
export type Update = (
  weights: Float32Array,
  gradient: Float32Array,
  learningRate: number,
) => Updated;

/** The update of a plan, and its optimizer's state as it lives. */
export function createUpdate(
  plan: Plan,
  precision: StepPrecision,
): { readonly update: Update; readonly state: OptimizerState } {
  const { model } = plan;
  const optimizer = createOptimizer(plan.optimizer, model.parameters.map(rangeOf));
  const state = optimizer.init(model.parameterCount);
  const clip = createClipping(plan);
  const { clipBeforeUnscale } = plan.mistakes;
  const update: Update = (weights, mean, learningRate) => {
    // An overflow stays as it is, for the scaler to see.
    const early = clipBeforeUnscale && Number.isFinite(mean[0]) ? clip(mean) : null;
    const received = precision.receive(early === null ? mean : early.gradient);
    if (received.kind !== 'usable') return received;
    const { gradient, norm } =
      early === null ? clip(received.gradient) : { gradient: received.gradient, norm: early.norm };
    optimizer.update(state, weights, gradient, learningRate);
    precision.settle(weights);
    return { kind: 'done', gradientNorm: norm };
  };
  return { update, state };
}

const rangeOf = ({ offset, length }: Parameter) => ({ start: offset, end: offset + length });

/** Clipping to the plan's norm, on a copy, for peers may still read the average. */
function createClipping({ clipNorm, model }: Plan) {
  const clipped = new Float32Array(clipNorm > 0 ? model.parameterCount : 0);
  return (gradient: Float32Array): { gradient: Float32Array; norm: number | null } => {
    if (clipNorm === 0) return { gradient, norm: null };
    clipped.set(gradient);
    return { gradient: clipped, norm: clipGradientNorm(clipped, clipNorm) };
  };
}
