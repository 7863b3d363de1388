/** @file The learning rate of each step. */
import type { LearningRateConfig } from './plan.ts';

/**
 * The rate of step `step` (from 0) of a run of `totalSteps`: base * (step + 1) / warmupSteps while
 * warming up (Goyal et al. 2017), then base, or base * (1 + cos(pi t)) / 2 with t going from 0 at
 * the end of the warm-up to 1 at the end of the run (Loshchilov and Hutter 2017, one cycle).
 */
export function learningRateAt(
  config: LearningRateConfig,
  step: number,
  totalSteps: number,
): number {
  const { base, warmupSteps, decay } = config;
  if (step < warmupSteps) return (base * (step + 1)) / warmupSteps;
  if (decay === 'none') return base;
  const progress = (step - warmupSteps) / Math.max(1, totalSteps - warmupSteps);
  return (base * (1 + Math.cos(Math.PI * Math.min(1, progress)))) / 2;
}
