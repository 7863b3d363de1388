/** @file The learning rate of each step. */
import type { LearningRateConfig } from './plan.ts';

/**
 * The rate of step `step` (from 0) of a run of `totalSteps`: base * (step + 1) / warmupSteps while
 * warming up (Goyal et al. 2017), or linearly from `warmupFrom` to base at the end of the warm-up
 * (as Horovod's callback); then base, or base * (1 + cos(pi t)) / 2 with t going from 0 at the end
 * of the warm-up to 1 at the end of the run (Loshchilov and Hutter 2017, one cycle), or base times
 * the factor once for every milestone reached.
 */
export function learningRateAt(
  config: LearningRateConfig,
  step: number,
  totalSteps: number,
): number {
  const { base, warmupSteps, decay } = config;
  if (step < warmupSteps) return warmupRate(config, step);
  switch (decay) {
    case 'none':
      return base;
    case 'cosine': {
      const progress = (step - warmupSteps) / Math.max(1, totalSteps - warmupSteps);
      return (base * (1 + Math.cos(Math.PI * Math.min(1, progress)))) / 2;
    }
    case 'step': {
      const { milestones = [], factor = 0.1 } = config;
      return base * factor ** milestones.filter((milestone) => step >= milestone).length;
    }
  }
}

function warmupRate({ base, warmupSteps, warmupFrom }: LearningRateConfig, step: number): number {
  if (warmupFrom === undefined) return (base * (step + 1)) / warmupSteps;
  return warmupFrom + ((base - warmupFrom) * step) / warmupSteps;
}

/** How the rate follows the batch size, relative to the batch it was tuned for. */
export type ScalingRule = 'none' | 'linear' | 'squareRoot';

/**
 * The rate for a batch `factor` times as large: linear [Goyal et al. 2017: 0.1 for 256 samples, so
 * 0.1 * k n / 256] or by the square root [Krizhevsky 2014; Hoffer et al. 2017].
 */
export function scaleLearningRate(base: number, rule: ScalingRule, factor: number): number {
  switch (rule) {
    case 'none':
      return base;
    case 'linear':
      return base * factor;
    case 'squareRoot':
      return base * Math.sqrt(factor);
  }
}

/**
 * Momentum for the one step in which the rate changes: momentum * new / old, so that velocity
 * gathered at the old rate counts at the new one [Goyal et al. 2017; Horovod's callbacks].
 */
export function correctedMomentum(momentum: number, newRate: number, oldRate: number): number {
  return oldRate === 0 ? momentum : (momentum * newRate) / oldRate;
}
