import { createRequire } from 'node:module';
import * as tf from '@tensorflow/tfjs-core';
import { expect, test } from 'vitest';
import { initialBuffers } from '#core/initial-weights';
import type { Model } from '#core/model';
import { buildModel } from '#core/models';
import { randomStream } from '#core/random';
import { createEngine } from './create.ts';
import type { BackendName, Batch, Precision } from './engine.ts';
import { FULL_PRECISION } from './engine.ts';

tf.env().set('IS_NODE', false);

const wasmUrl = createRequire(import.meta.url).resolve(
  '@tensorflow/tfjs-backend-wasm/dist/tfjs-backend-wasm-simd.wasm',
);
const SIZE = 4;
const IMAGE = { kind: 'image', height: 8, width: 8, classes: 3 } as const;
const MODELS: Readonly<Record<string, Model>> = {
  mlp: buildModel({ kind: 'mlp', hidden: [12, 12, 12], activation: 'gelu' }, IMAGE),
  cnn: buildModel({ kind: 'cnn', channels: [4, 4], dense: 8 }, IMAGE),
  'cnn with batch norm': buildModel(
    { kind: 'cnn', channels: [4, 4], dense: 8, norm: 'batch' },
    IMAGE,
  ),
  transformer: buildModel(
    { kind: 'transformer', width: 8, heads: 2, depth: 3, context: 6 },
    { kind: 'text', vocabulary: 7 },
  ),
};

function batchOf({ task, segments }: Model): Batch {
  const random = randomStream(3, 1);
  const length = SIZE * (segments[0]?.inputShape.reduce((a, b) => a * b, 1) ?? 0);
  if (task.kind === 'text') {
    const tokens = Int32Array.from({ length }, () => random.below(task.vocabulary));
    return { size: SIZE, x: tokens, y: tokens.slice().reverse() };
  }
  const x = Float32Array.from({ length }, () => random.uniform() - 0.5);
  return { size: SIZE, x, y: Int32Array.from({ length: SIZE }, () => random.below(3)) };
}

async function gradientOf(
  backend: BackendName,
  model: Model,
  checkpointing: boolean,
  precision: Precision,
) {
  const random = randomStream(4, 1);
  const weights = Float32Array.from({ length: model.parameterCount }, () => random.uniform() - 0.5);
  const gradient = new Float32Array(weights.length);
  const engine = await createEngine(backend, model, { wasmUrl, checkpointing });
  const batch = batchOf(model);
  const before = tf.memory().numTensors;
  const result = await engine.gradient(weights, initialBuffers(model), batch, gradient, precision);
  expect(tf.memory().numTensors).toBe(before);
  engine.dispose();
  return { ...result, gradient, heldBytes: result.heldBytes ?? 0 };
}

for (const backend of ['cpu', 'wasm'] as const) {
  for (const [name, model] of Object.entries(MODELS)) {
    test(`EN-16 recomputed activations give the same bits and hold less: ${name}, ${backend}`, async () => {
      for (const precision of [FULL_PRECISION, { format: 'fp16', lossScale: 64 } as const]) {
        const kept = await gradientOf(backend, model, false, precision);
        const recomputed = await gradientOf(backend, model, true, precision);
        expect(recomputed.loss).toBe(kept.loss);
        expect(recomputed.gradient).toEqual(kept.gradient);
        expect(recomputed.buffers).toEqual(kept.buffers);
        expect(recomputed.heldBytes).toBeLessThan(kept.heldBytes);
      }
    });
  }
}
