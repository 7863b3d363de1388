/** @file The gradient noise scale over the steps of a run. */
import { averageNoise, estimateFromRanks, NO_NOISE, type NoiseAverage } from '#core/noise-scale';
import type { RankNorms } from './reduction.ts';

/** Weight of the past in the running means: about the last hundred steps count. */
const DECAY = 0.99;

export interface NoiseMeter {
  /**
   * Takes in a step: its norms, of gradients multiplied by `lossScale`, and each rank's samples.
   * Nothing where there are no norms.
   */
  observe(norms: RankNorms | null, samples: number, lossScale: number): void;
  /** Null before the first measured step. */
  average(): NoiseAverage | null;
}

export function createNoiseMeter(): NoiseMeter {
  let average: NoiseAverage | null = null;
  return {
    observe(norms, samples, lossScale) {
      if (norms === null) return;
      const unscale = 1 / lossScale ** 2;
      const own = norms.own.map((squared) => squared * unscale);
      const estimate = estimateFromRanks(own, norms.mean * unscale, samples);
      average = averageNoise(average ?? NO_NOISE, estimate, DECAY);
    },
    average: () => average,
  };
}
