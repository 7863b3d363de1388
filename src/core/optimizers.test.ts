import { expect, test } from 'vitest';
import golden from './golden/optim.json' with { type: 'json' };
import { createOptimizer } from './optimizers.ts';
import type { OptimizerConfig } from './plan.ts';

const SGD = { kind: 'sgd', momentum: 0, nesterov: false, weightDecay: 0 } as const;
const ADAM = { beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weightDecay: 0 } as const;

const CASES: readonly (readonly [keyof typeof golden.trajectories, OptimizerConfig, number])[] = [
  ['sgd', SGD, 0.1],
  ['sgd_momentum', { ...SGD, momentum: 0.9 }, 0.1],
  ['sgd_momentum_wd', { ...SGD, momentum: 0.9, weightDecay: 0.01 }, 0.1],
  ['sgd_nesterov', { ...SGD, momentum: 0.9, nesterov: true }, 0.1],
  ['adam', { kind: 'adam', ...ADAM }, 0.01],
  ['adamw', { kind: 'adamw', ...ADAM, weightDecay: 0.1 }, 0.01],
];

test.each(CASES)(
  'OP-1 %s equals PyTorch to the bit for ten steps',
  (name, config, learningRate) => {
    const optimizer = createOptimizer(config);
    const weights = Float32Array.from(golden.w0);
    const state = optimizer.init(weights.length);
    golden.trajectories[name].forEach((expected, step) => {
      optimizer.update(state, weights, Float32Array.from(golden.grads[step]), learningRate);
      expect(weights).toEqual(Float32Array.from(expected));
      expect(state.step).toBe(step + 1);
    });
  },
);

test('OP-2 the first momentum buffer is the gradient', () => {
  const optimizer = createOptimizer({ ...SGD, momentum: 0.9 });
  const state = optimizer.init(2);
  optimizer.update(state, Float32Array.of(1, 1), Float32Array.of(0.5, -2), 0.1);
  expect([...state.moments[0]]).toEqual([0.5, -2]);
});

test('OP-3 Adam adds decay to the gradient, AdamW takes it from the weights', () => {
  const after = (kind: 'adam' | 'adamw'): number => {
    const optimizer = createOptimizer({ kind, ...ADAM, weightDecay: 0.5 });
    const weights = Float32Array.of(1);
    optimizer.update(optimizer.init(1), weights, Float32Array.of(0), 0.1);
    return weights[0];
  };
  // Adam: gradient 0.5, step -0.1 whatever its size. AdamW: 1 - 0.1 * 0.5, and no step.
  expect(after('adam')).toBeCloseTo(0.9, 6);
  expect(after('adamw')).toBeCloseTo(0.95, 6);
});

test('OP-4 a run interrupted and resumed from a copied state goes on to the same bits', () => {
  for (const [, config, learningRate] of CASES) {
    const optimizer = createOptimizer(config);
    const weights = Float32Array.from(golden.w0);
    let state = optimizer.init(weights.length);
    for (const gradient of golden.grads) {
      state = { step: state.step, moments: state.moments.map((moment) => moment.slice()) };
      optimizer.update(state, weights, Float32Array.from(gradient), learningRate);
    }
    const straight = Float32Array.from(golden.w0);
    const straightState = optimizer.init(straight.length);
    for (const gradient of golden.grads) {
      optimizer.update(straightState, straight, Float32Array.from(gradient), learningRate);
    }
    expect(weights).toEqual(straight);
  }
});

test('OP-4 the gradient stays as it was', () => {
  for (const [, config] of CASES) {
    const optimizer = createOptimizer(config);
    const gradient = Float32Array.of(1, 2, 3);
    optimizer.update(optimizer.init(3), Float32Array.of(4, 5, 6), gradient, 0.1);
    expect([...gradient]).toEqual([1, 2, 3]);
  }
});
