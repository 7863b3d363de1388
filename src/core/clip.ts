/** @file Gradient clipping by norm, after unscaling. */
import { rangeNorm } from './layer-norms.ts';

/** PyTorch adds it to the norm, so that a zero gradient divides by something. */
const EPSILON = 1e-6;

/**
 * Multiplies `gradient`, in place, by maxNorm / (norm + 1e-6) if that is below 1; returns the norm
 * before [torch.nn.utils.clip_grad_norm_, norm type 2]. As there, a norm that is not finite makes
 * the gradient NaN or zero: ask the scaler first.
 */
export function clipGradientNorm(gradient: Float32Array, maxNorm: number): number {
  const norm = rangeNorm(gradient, { start: 0, end: gradient.length });
  const coefficient = Math.fround(Math.min(1, maxNorm / (norm + EPSILON)));
  // Negated, so that NaN takes part.
  if (!(coefficient >= 1)) for (let i = 0; i < gradient.length; i++) gradient[i] *= coefficient;
  return norm;
}
