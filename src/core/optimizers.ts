/**
 * @file Optimizers on flat vectors with PyTorch's conventions (torch.optim 1.13, single-tensor
 * code paths). Updates are in place and allocate nothing; all state is in the state object.
 */
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
type AdamConfig = Exclude<OptimizerConfig, SgdConfig>;

const { fround } = Math;

/** w -= rate * (g + decay * w). */
function plainStep(w: Float32Array, g: Float32Array, rate: number, decay: number): void {
  const r = fround(rate);
  const wd = fround(decay);
  if (wd === 0) {
    for (let i = 0; i < w.length; i++) w[i] = fround(w[i] - fround(r * g[i]));
    return;
  }
  for (let i = 0; i < w.length; i++) {
    const d = fround(g[i] + fround(wd * w[i]));
    w[i] = fround(w[i] - fround(r * d));
  }
}

/** d = g + decay * w; m = momentum * m + d; w -= rate * (nesterov ? d + momentum * m : m). */
function momentumStep(
  w: Float32Array,
  g: Float32Array,
  m: Float32Array,
  rate: number,
  { momentum, nesterov, weightDecay }: SgdConfig,
): void {
  const r = fround(rate);
  const mu = fround(momentum);
  const wd = fround(weightDecay);
  for (let i = 0; i < w.length; i++) {
    const d = fround(g[i] + fround(wd * w[i]));
    const velocity = fround(fround(mu * m[i]) + d);
    m[i] = velocity;
    const direction = nesterov ? fround(d + fround(mu * velocity)) : velocity;
    w[i] = fround(w[i] - fround(r * direction));
  }
}

function sgd(config: SgdConfig): Optimizer {
  return {
    // From zeros the first momentum buffer is momentum * 0 + gradient = the gradient, as PyTorch's.
    init: (n) => ({ step: 0, moments: config.momentum === 0 ? [] : [new Float32Array(n)] }),
    update: (state, weights, gradient, learningRate) => {
      const buffer = state.moments[0];
      if (buffer === undefined) plainStep(weights, gradient, learningRate, config.weightDecay);
      else momentumStep(weights, gradient, buffer, learningRate, config);
      state.step++;
    },
  };
}

/** PyTorch keeps bias corrections and step size in doubles, and moments and weights in fp32. */
function adam(config: AdamConfig): Optimizer {
  const { beta1, beta2 } = config;
  const decoupled = config.kind === 'adamw';
  const b1 = fround(beta1);
  const c1 = fround(1 - beta1);
  const b2 = fround(beta2);
  const c2 = fround(1 - beta2);
  const epsilon = fround(config.epsilon);
  const l2 = decoupled ? 0 : fround(config.weightDecay);
  return {
    init: (n) => ({ step: 0, moments: [new Float32Array(n), new Float32Array(n)] }),
    update: (state, w, gradient, learningRate) => {
      const step = ++state.step;
      const [m, v] = state.moments;
      const keep = decoupled ? fround(1 - learningRate * config.weightDecay) : 1;
      const size = fround(learningRate / (1 - beta1 ** step));
      const correction = fround(Math.sqrt(1 - beta2 ** step));
      for (let i = 0; i < w.length; i++) {
        const kept = fround(keep * w[i]);
        const g = fround(gradient[i] + fround(l2 * kept));
        const first = fround(fround(b1 * m[i]) + fround(c1 * g));
        const second = fround(fround(b2 * v[i]) + fround(fround(c2 * g) * g));
        m[i] = first;
        v[i] = second;
        const root = fround(Math.sqrt(second));
        const denominator = fround(fround(root / correction) + epsilon);
        w[i] = fround(kept - fround(fround(size * first) / denominator));
      }
    },
  };
}

/** The optimizer of a plan: SGD [torch.optim.SGD], Adam, or AdamW with decoupled weight decay. */
export function createOptimizer(config: OptimizerConfig): Optimizer {
  return config.kind === 'sgd' ? sgd(config) : adam(config);
}
