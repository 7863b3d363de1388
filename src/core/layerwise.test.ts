import { expect, test } from 'vitest';
import { createOptimizer } from './optimizers.ts';
import type { OptimizerConfig } from './plan.ts';

const LAMB = {
  kind: 'lamb',
  beta1: 0.9,
  beta2: 0.999,
  epsilon: 1e-6,
  weightDecay: 0,
} as const;
const LARS = { kind: 'lars', momentum: 0, weightDecay: 0, trustCoefficient: 0.1 } as const;
const LAYERS = [
  { start: 0, end: 2 },
  { start: 2, end: 4 },
];

function after(config: OptimizerConfig, weights: number[], gradients: number[][], rate: number) {
  const optimizer = createOptimizer(config, LAYERS);
  const w = Float32Array.from(weights);
  const state = optimizer.init(w.length);
  for (const gradient of gradients) optimizer.update(state, w, Float32Array.from(gradient), rate);
  return { w: [...w].map((value) => Math.round(value * 1e5) / 1e5), state };
}

test('OP-9 LARS moves each layer by its own trust ratio', () => {
  // Layer 1: |w| = 5, |g| = 1: ratio 0.1 * 5. Layer 2: |w| = 1, |g| = 10: ratio 0.1 / 10.
  const { w } = after(LARS, [3, 4, 1, 0], [[1, 0, 0, 10]], 1);
  expect(w).toEqual([2.5, 4, 1, -0.1]);
});

test('OP-9 LARS with decay and momentum: trust = c |w| / (|g| + decay |w|)', () => {
  const config = { ...LARS, momentum: 0.9, weightDecay: 0.2 };
  // |w| = 5, |g| = 1: trust 0.1 * 5 / (1 + 1) = 0.25; g + decay w = [1.6, .8].
  const { w, state } = after(config, [3, 4, 0, 0], [[1, 0, 0, 0]], 1);
  expect(w).toEqual([2.6, 3.8, 0, 0]);
  expect([...state.moments[0]].map((v) => Math.round(v * 1e5) / 1e5)).toEqual([0.4, 0.2, 0, 0]);
});

test('OP-9 LARS: a layer of zero weights takes the plain rate, so that it can leave zero', () => {
  expect(after(LARS, [0, 0, 1, 0], [[1, 2, 0, 0]], 0.1).w).toEqual([-0.1, -0.2, 1, 0]);
});

test('OP-10 LAMB: the first step has length rate * |w| in every layer, whatever the gradient', () => {
  // Adam's direction at step 1 is the sign: |r| = sqrt(2).
  const { w } = after(LAMB, [3, 4, 0.1, 0], [[1e-2, -1e-2, 1e3, 1e3]], 0.1);
  const [big, small] = [(0.1 * 5) / Math.SQRT2, (0.1 * 0.1) / Math.SQRT2];
  const expected = [3 - big, 4 + big, 0.1 - small, -small];
  w.forEach((value, i) => {
    expect(value).toBeCloseTo(expected[i], 3);
  });
});

test('OP-10 LAMB with trust 1 is AdamW without decay: layers of norm |r|', () => {
  const gradients = [
    [0.3, -0.2, 0.1, 0.4],
    [0.1, 0.2, -0.3, 0.2],
  ];
  const { w } = after(LAMB, [0, 0, 0, 0], gradients.slice(0, 1), 0.01);
  const adam = after({ ...LAMB, kind: 'adamw' }, [0, 0, 0, 0], gradients.slice(0, 1), 0.01);
  expect(w).toEqual(adam.w);
});

test('OP-10 without layers the whole vector is one', () => {
  const optimizer = createOptimizer(LARS);
  const w = Float32Array.of(3, 4);
  optimizer.update(optimizer.init(2), w, Float32Array.of(0, 1), 1);
  expect([...w]).toEqual([3, 3.5]);
});

test('OP-9 OP-10 the state resumes and the gradient stays', () => {
  for (const config of [LAMB, { ...LARS, momentum: 0.9 }] as const) {
    const gradient = Float32Array.of(1, -2, 3, 0.5);
    const run = (copies: boolean): Float32Array => {
      const optimizer = createOptimizer(config, LAYERS);
      const w = Float32Array.of(1, 2, 3, 4);
      let state = optimizer.init(4);
      for (let step = 0; step < 5; step++) {
        if (copies) state = { step: state.step, moments: state.moments.map((m) => m.slice()) };
        optimizer.update(state, w, gradient, 0.1);
      }
      expect(state.step).toBe(5);
      return w;
    };
    expect(run(true)).toEqual(run(false));
    expect([...gradient]).toEqual([1, -2, 3, 0.5]);
  }
});
