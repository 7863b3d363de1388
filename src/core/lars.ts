/** @file LARS [You et al. 2017, algorithm 1]: SGD with momentum and a rate for each layer. */
import type { Range } from './collective.ts';
import { layersOf, rangeNorm } from './layer-norms.ts';
import type { LarsConfig, Optimizer } from './optimizers.ts';

/**
 * trust = coefficient * |w| / (|g| + decay * |w|), norms of the layer; 1 where one of them is 0.
 * v = momentum * v + rate * trust * (g + decay * w); w -= v.
 */
export function lars(config: LarsConfig, layers?: readonly Range[]): Optimizer {
  const { momentum, weightDecay, trustCoefficient } = config;
  return {
    init: (n) => ({ step: 0, moments: [new Float32Array(n)] }),
    update: (state, w, gradient, learningRate) => {
      const [velocity] = state.moments;
      for (const layer of layersOf(layers, w.length)) {
        const [weightNorm, gradientNorm] = [rangeNorm(w, layer), rangeNorm(gradient, layer)];
        const both = weightNorm > 0 && gradientNorm > 0;
        const trust = both
          ? (trustCoefficient * weightNorm) / (gradientNorm + weightDecay * weightNorm)
          : 1;
        const rate = learningRate * trust;
        for (let i = layer.start; i < layer.end; i++) {
          velocity[i] = momentum * velocity[i] + rate * (gradient[i] + weightDecay * w[i]);
          w[i] -= velocity[i];
        }
      }
      state.step++;
    },
  };
}
