/**
 * @file Gradient noise scale [McCandlish et al. 2018, appendix A]: from the squared gradient norms
 * at two batch sizes, how large a batch is worth its samples.
 */

/** Squared norm of the gradient averaged over a batch of `size` samples. */
export interface NormAt {
  readonly size: number;
  readonly squaredNorm: number;
}

/** Unbiased estimates from one step; single ones are noisy and may be negative. */
export interface NoiseEstimate {
  /** |G|^2, of the true gradient. */
  readonly signal: number;
  /** S = tr(Sigma), of one sample's gradient. */
  readonly noise: number;
}

/**
 * |G|^2 = (Bb gb - Bs gs) / (Bb - Bs), S = (gs - gb) / (1/Bs - 1/Bb). Throws RangeError unless the
 * big batch is bigger: with one rank there is no second batch size to compare with.
 */
export function estimateNoise(small: NormAt, big: NormAt): NoiseEstimate {
  if (!(small.size > 0 && big.size > small.size)) {
    throw new RangeError(
      `noise scale: batches of ${small.size} and ${big.size}; two sizes are needed, the second ` +
        'larger, as one rank and all ranks give them from 2 replicas on',
    );
  }
  return {
    signal: (big.size * big.squaredNorm - small.size * small.squaredNorm) / (big.size - small.size),
    noise: (small.squaredNorm - big.squaredNorm) / (1 / small.size - 1 / big.size),
  };
}

/** |g|^2, accumulated in float64. */
export function squaredNorm(gradient: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < gradient.length; i++) sum += gradient[i] * gradient[i];
  return sum;
}

/**
 * One step's estimate from the ranks' own gradients: the small batch is a rank's (mean of the
 * squared norms over ranks), the big one all of them.
 */
export function estimateFromRanks(
  squaredNormPerRank: readonly number[],
  squaredNormOfAverage: number,
  batchPerRank: number,
): NoiseEstimate {
  const ranks = squaredNormPerRank.length;
  const mean = squaredNormPerRank.reduce((sum, value) => sum + value, 0) / ranks;
  return estimateNoise(
    { size: batchPerRank, squaredNorm: mean },
    { size: batchPerRank * ranks, squaredNorm: squaredNormOfAverage },
  );
}

/** Running means of both parts; their ratio is taken last, for a mean of ratios would be biased. */
export interface NoiseAverage extends NoiseEstimate {
  readonly steps: number;
}

export const NO_NOISE: NoiseAverage = { signal: 0, noise: 0, steps: 0 };

/** Takes a step into the exponential means (weights decay^age, corrected for the start at zero). */
export function averageNoise(
  average: NoiseAverage,
  estimate: NoiseEstimate,
  decay: number,
): NoiseAverage {
  const steps = average.steps + 1;
  const weight = decay === 1 ? 1 / steps : (1 - decay) / (1 - decay ** steps);
  const mix = (old: number, value: number): number => old + weight * (value - old);
  return {
    signal: mix(average.signal, estimate.signal),
    noise: mix(average.noise, estimate.noise),
    steps,
  };
}

/** B = S / |G|^2 in samples, or null where the averages are not positive yet. */
export function noiseScale({ signal, noise }: NoiseEstimate): number | null {
  return signal > 0 && noise > 0 ? noise / signal : null;
}

/**
 * What a batch costs against the least possible: steps 1 + B / batch, samples 1 + batch / B, from
 * (S / Smin - 1)(E / Emin - 1) = 1. At batch = B both are 2.
 */
export function batchCost(batch: number, scale: number): { steps: number; samples: number } {
  return { steps: 1 + scale / batch, samples: 1 + batch / scale };
}
