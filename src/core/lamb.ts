/** @file LAMB [You et al. 2020, algorithm 2]: Adam's direction, scaled layer by layer. */
import type { Range } from './collective.ts';
import { layersOf, rangeNorm } from './layer-norms.ts';
import type { LambConfig, Optimizer } from './optimizers.ts';

/**
 * r = m / (1 - beta1^t) / (sqrt(v / (1 - beta2^t)) + epsilon) + decay * w;
 * w -= rate * |w| / |r| * r, norms of the layer; the ratio is 1 where one of them is 0.
 */
export function lamb(config: LambConfig, layers?: readonly Range[]): Optimizer {
  const { beta1, beta2, epsilon, weightDecay } = config;
  let direction = new Float32Array(0);
  return {
    init: (n) => ({ step: 0, moments: [new Float32Array(n), new Float32Array(n)] }),
    update: (state, w, gradient, learningRate) => {
      const step = ++state.step;
      const [m, v] = state.moments;
      if (direction.length !== w.length) direction = new Float32Array(w.length);
      const [meanCorrection, squareCorrection] = [1 - beta1 ** step, 1 - beta2 ** step];
      for (let i = 0; i < w.length; i++) {
        const g = gradient[i];
        m[i] = beta1 * m[i] + (1 - beta1) * g;
        v[i] = beta2 * v[i] + (1 - beta2) * g * g;
        const deviation = Math.sqrt(v[i] / squareCorrection) + epsilon;
        direction[i] = m[i] / meanCorrection / deviation + weightDecay * w[i];
      }
      for (const layer of layersOf(layers, w.length)) {
        const [weightNorm, stepNorm] = [rangeNorm(w, layer), rangeNorm(direction, layer)];
        const trust = weightNorm > 0 && stepNorm > 0 ? weightNorm / stepNorm : 1;
        const rate = learningRate * trust;
        for (let i = layer.start; i < layer.end; i++) w[i] -= rate * direction[i];
      }
    },
  };
}
