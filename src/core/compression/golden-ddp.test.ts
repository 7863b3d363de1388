import { expect, test } from 'vitest';
import { createOptimizer } from '#core/optimizers';
import { createCompressor } from './config.ts';
import { addOnWire } from './exchange.ts';
import golden from './golden/ddp_fp16.json' with { type: 'json' };
import { type RankSum, simulateStep } from './simulate.ts';

// Linear(8, 16) - tanh - Linear(16, 4), mean cross-entropy, in PyTorch's layout and order.
const [INPUTS, HIDDEN, CLASSES] = [8, 16, 4];
const AT = { w1: 0, b1: 128, w2: 144, b2: 208, end: 212 };

type ByName = typeof golden.init;
const flat = (values: ByName): Float32Array =>
  Float32Array.from([
    ...values['fc1.weight'].flat(),
    ...values['fc1.bias'],
    ...values['fc2.weight'].flat(),
    ...values['fc2.bias'],
  ]);

function softmax(logits: readonly number[]): number[] {
  const top = Math.max(...logits);
  const powers = logits.map((logit) => Math.exp(logit - top));
  const sum = powers.reduce((all, power) => all + power, 0);
  return powers.map((power) => power / sum);
}

/** Mean loss of a batch; adds its gradient to `gradient`. Plain loops in float64. */
function backward(
  w: Float32Array,
  xs: readonly (readonly number[])[],
  ys: readonly number[],
  gradient: Float64Array,
): number {
  let loss = 0;
  xs.forEach((x, sample) => {
    const hidden = Array.from({ length: HIDDEN }, (_, j) => {
      const row = AT.w1 + j * INPUTS;
      return Math.tanh(x.reduce((sum, value, i) => sum + w[row + i] * value, w[AT.b1 + j]));
    });
    const logits = Array.from({ length: CLASSES }, (_, c) => {
      const row = AT.w2 + c * HIDDEN;
      return hidden.reduce((sum, value, j) => sum + w[row + j] * value, w[AT.b2 + c]);
    });
    const dLogits = softmax(logits);
    loss -= Math.log(dLogits[ys[sample]]) / xs.length;
    dLogits[ys[sample]] -= 1;
    dLogits.forEach((value, c) => {
      const d = value / xs.length;
      gradient[AT.b2 + c] += d;
      for (let j = 0; j < HIDDEN; j++) gradient[AT.w2 + c * HIDDEN + j] += d * hidden[j];
    });
    for (let j = 0; j < HIDDEN; j++) {
      let d = 0;
      dLogits.forEach((value, c) => {
        d += (value / xs.length) * w[AT.w2 + c * HIDDEN + j];
      });
      d *= 1 - hidden[j] ** 2;
      gradient[AT.b1 + j] += d;
      for (let i = 0; i < INPUTS; i++) gradient[AT.w1 + j * INPUTS + i] += d * x[i];
    }
  });
  return loss;
}

/** Gloo's ring sums chunk c in the order of ranks c - 1, c - 2, ..., c; chunks have whole words. */
const glooRing: RankSum = (vectors, format) => {
  const worldSize = vectors.length;
  const result = new Float32Array(vectors[0].length);
  const size = 2 * Math.ceil(result.length / 2 / worldSize);
  for (let chunk = 0; chunk < worldSize; chunk++) {
    const [start, end] = [chunk * size, (chunk + 1) * size];
    for (let turn = 1; turn <= worldSize; turn++) {
      const rank = (chunk - turn + worldSize) % worldSize;
      addOnWire(result.subarray(start, end), vectors[rank].subarray(start, end), format);
    }
  }
  return result;
};

test('CP-14 the fp16 cast reproduces PyTorch DDP with its fp16 hook, its first average to the bit', () => {
  const weights = flat(golden.init);
  const optimizer = createOptimizer({
    ...golden.optimizer,
    kind: 'sgd',
    nesterov: false,
    weightDecay: 0,
  });
  const state = optimizer.init(weights.length);
  const compressor = createCompressor({ kind: 'cast', format: 'fp16' });
  const states = golden.x[0].map(() => compressor.init(weights.length));
  golden.x.forEach((ranks, step) => {
    const gradients = ranks.map((xs, rank) => {
      const gradient = new Float64Array(AT.end);
      const loss = backward(weights, xs, golden.y[step][rank], gradient);
      expect(Math.abs(loss - golden.lossesPerRank[rank][step])).toBeLessThan(5e-5);
      return Float32Array.from(gradient);
    });
    const context = { seed: 0, step, epoch: 0, learningRate: golden.optimizer.lr, offset: 0 };
    const { average } = simulateStep(compressor, states, gradients, context, glooRing);
    if (step === 0) expect(average).toEqual(flat(golden.averagedGradStep0));
    optimizer.update(state, weights, average, golden.optimizer.lr);
  });
  // From the second step on DDP's bucket has another order of parameters, hence other chunks.
  flat(golden.final).forEach((value, i) => {
    expect(Math.abs(weights[i] - value)).toBeLessThan(1e-4);
  });
});
