/**
 * @file Optimizers on flat vectors with PyTorch's conventions (torch.optim 1.13, single-tensor
 * code paths). Updates are in place and allocate nothing; all state is in the state object.
 * Hyperparameters are fp32 and results are rounded where PyTorch's CPU kernels round: a product
 * and the sum it goes into stay unrounded together, as in a fused multiply-add. So the golden
 * trajectories come out to the bit.
 */
import type { Range } from './collective.ts';
import { lamb } from './lamb.ts';
import { lars } from './lars.ts';
import type { OptimizerConfig } from './plan.ts';

/** Everything an optimizer remembers, for checkpoints: one vector of length n a moment. */
export interface OptimizerState {
  /** Completed updates. */
  step: number;
  /** SGD: [momentum buffer], or [] without momentum. Adam: [first moment, second moment]. */
  readonly moments: readonly Float32Array[];
}

export interface Optimizer {
  /** The state before the first update of `n` weights. */
  init(n: number): OptimizerState;
  /** Changes `state` and `weights` by one step along `gradient`; all of one length. */
  update(
    state: OptimizerState,
    weights: Float32Array,
    gradient: Float32Array,
    learningRate: number,
  ): void;
}

type SgdConfig = Extract<OptimizerConfig, { kind: 'sgd' }>;
type AdamConfig = Extract<OptimizerConfig, { kind: 'adam' | 'adamw' }>;
export type LambConfig = Extract<OptimizerConfig, { kind: 'lamb' }>;
export type LarsConfig = Extract<OptimizerConfig, { kind: 'lars' }>;

const { fround } = Math;

/** d = g + decay * w; m = momentum * m + d; w -= rate * (nesterov ? d + momentum * m : m). */
function momentumStep(
  w: Float32Array,
  g: Float32Array,
  m: Float32Array,
  learningRate: number,
  { momentum, nesterov, weightDecay }: SgdConfig,
): void {
  const rate = fround(learningRate);
  const mu = fround(momentum);
  const decay = fround(weightDecay);
  for (let i = 0; i < w.length; i++) {
    const weight = w[i];
    const d = fround(g[i] + decay * weight);
    const velocity = fround(fround(mu * m[i]) + d);
    m[i] = velocity;
    w[i] = weight - rate * (nesterov ? fround(d + mu * velocity) : velocity);
  }
}

/** w -= rate * (g + decay * w). */
function plainStep(
  w: Float32Array,
  g: Float32Array,
  learningRate: number,
  weightDecay: number,
): void {
  const rate = fround(learningRate);
  const decay = fround(weightDecay);
  for (let i = 0; i < w.length; i++) {
    const weight = w[i];
    w[i] = weight - rate * fround(g[i] + decay * weight);
  }
}

function sgd(config: SgdConfig): Optimizer {
  return {
    // From zeros the first momentum buffer is momentum * 0 + gradient = the gradient, as PyTorch's.
    init: (n) => ({ step: 0, moments: config.momentum === 0 ? [] : [new Float32Array(n)] }),
    update: (state, weights, gradient, learningRate) => {
      if (config.momentum === 0) plainStep(weights, gradient, learningRate, config.weightDecay);
      else momentumStep(weights, gradient, state.moments[0], learningRate, config);
      state.step++;
    },
  };
}

/**
 * g' = g (+ decay * w for Adam); m, v = moving means of g' and its square;
 * w -= rate / (1 - beta1^t) * m / (sqrt(v / (1 - beta2^t)) + epsilon) [Kingma and Ba 2015].
 * AdamW first multiplies w by 1 - rate * decay [Loshchilov and Hutter 2019].
 */
function adam(config: AdamConfig): Optimizer {
  const { beta1, beta2 } = config;
  const decoupled = config.kind === 'adamw';
  const [b1, c1, b2, c2] = [beta1, 1 - beta1, beta2, 1 - beta2].map(fround);
  const epsilon = fround(config.epsilon);
  const l2 = decoupled ? 0 : fround(config.weightDecay);
  return {
    init: (n) => ({ step: 0, moments: [new Float32Array(n), new Float32Array(n)] }),
    update: (state, w, gradient, learningRate) => {
      const step = ++state.step;
      const [m, v] = state.moments;
      const keep = decoupled ? fround(1 - learningRate * config.weightDecay) : 1;
      const rate = fround(learningRate / (1 - beta1 ** step));
      const correction = fround(Math.sqrt(1 - beta2 ** step));
      for (let i = 0; i < w.length; i++) {
        const weight = fround(keep * w[i]);
        const g = fround(gradient[i] + l2 * weight);
        const mean = fround(fround(b1 * m[i]) + c1 * g);
        const square = fround(fround(b2 * v[i]) + c2 * g * g);
        m[i] = mean;
        v[i] = square;
        const deviation = fround(fround(Math.sqrt(square)) / correction + epsilon);
        w[i] = weight - (rate * mean) / deviation;
      }
    },
  };
}

/**
 * The optimizer of a plan: SGD [torch.optim.SGD], Adam, AdamW with decoupled weight decay, LAMB or
 * LARS. The last two treat each of `layers` (the parameters' ranges) on its own; without them the
 * whole vector is one layer.
 */
export function createOptimizer(config: OptimizerConfig, layers?: readonly Range[]): Optimizer {
  switch (config.kind) {
    case 'sgd':
      return sgd(config);
    case 'adam':
    case 'adamw':
      return adam(config);
    case 'lamb':
      return lamb(config, layers);
    case 'lars':
      return lars(config, layers);
  }
}
