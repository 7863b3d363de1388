/** @file The server that rank 0 hosts beside its own replica: gathers gradients, updates the weights. */
import type { Plan } from '#core/plan';
import type { StepPrecision } from './precision.ts';
import { createUpdate } from './update.ts';

export interface ParameterServer {
  /** Adds a gradient that makes up `share` of the next update; the shares of an update sum to 1. */
  add(gradient: Float32Array, share: number): void;
  /**
   * Updates the weights with what was added; returns its norm before clipping, where it is clipped. A
   * gradient that is no number leaves NaN in the first weight, and from then on nothing is updated.
   */
  apply(learningRate: number): number | null;
}

/** A server that keeps `weights`, in place. */
export function createParameterServer(
  plan: Plan,
  weights: Float32Array,
  precision: StepPrecision,
): ParameterServer {
  const { update } = createUpdate(plan, precision);
  const mean = new Float32Array(weights.length);
  return {
    add(gradient, share) {
      const factor = Math.fround(share);
      for (let i = 0; i < mean.length; i++) {
        mean[i] = (mean[i] ?? 0) + (gradient[i] ?? 0) * factor;
      }
    },
    apply(learningRate) {
      if (Number.isNaN(weights[0])) return null;
      const updated = update(weights, mean, learningRate);
      mean.fill(0);
      if (updated.kind === 'nonFinite') weights[0] = Number.NaN;
      return updated.kind === 'done' ? updated.gradientNorm : null;
    },
  };
}
