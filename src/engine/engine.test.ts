import { createRequire } from 'node:module';
import * as tf from '@tensorflow/tfjs-core';
import { expect, test } from 'vitest';
import { buildModel } from '#core/models';
import { probeBackend } from './availability.ts';
import { createEngine } from './create.ts';
import { BackendUnavailableError } from './engine.ts';
import { createFusedEngine } from './fused.ts';

tf.env().set('IS_NODE', false);

const POINTS = { kind: 'points', features: 2, classes: 2 } as const;
const IMAGE = { kind: 'image', height: 8, width: 8, classes: 3 } as const;
const softmax = buildModel({ kind: 'softmax' }, POINTS);
const cnn = buildModel({ kind: 'cnn', channels: [2, 2], dense: 3 }, IMAGE);
const wasmUrl = createRequire(import.meta.url).resolve(
  '@tensorflow/tfjs-backend-wasm/dist/tfjs-backend-wasm-simd.wasm',
);

test('the gradient of softmax regression at zero weights, by hand', () => {
  // Both classes at 1/2: dz = (1/2, -1/2) for label 1; dW = x^T dz, db = dz; loss = ln 2.
  const gradient = new Float32Array(6);
  const batch = { size: 1, x: Float32Array.of(1, -3), y: Int32Array.of(1) };
  const engine = createFusedEngine(softmax);
  const { loss } = engine.gradient(new Float32Array(6), new Float32Array(), batch, gradient) as {
    loss: number;
  };
  expect(loss).toBeCloseTo(Math.LN2, 12);
  expect(Array.from(gradient)).toEqual([0.5, -0.5, -1.5, 1.5, 0.5, -0.5]);
});

test('scores are sums over the batch', () => {
  const engine = createFusedEngine(softmax);
  // Logits (0, ln 3) for both: the loss of class 1 is ln(4/3), of class 0 ln 4.
  const weights = Float32Array.of(0, 0, 0, 0, 0, Math.log(3));
  const batch = { size: 2, x: new Float32Array(4), y: Int32Array.of(1, 0) };
  const scores = engine.evaluate(weights, new Float32Array(), batch) as { lossSum: number };
  expect(scores).toMatchObject({ correct: 1, count: 2 });
  expect(scores.lossSum).toBeCloseTo(Math.log(16 / 3), 6);
});

test('synchronous backends answer without a promise', async () => {
  for (const backend of ['fused', 'cpu', 'wasm'] as const) {
    const engine = await createEngine(backend, softmax, { wasmUrl });
    const batch = { size: 1, x: Float32Array.of(1, 2), y: Int32Array.of(0) };
    const weights = new Float32Array(6);
    const result = engine.gradient(weights, weights.subarray(6), batch, new Float32Array(6));
    expect(result).not.toBeInstanceOf(Promise);
    expect(engine.evaluate(weights, weights.subarray(6), batch)).not.toBeInstanceOf(Promise);
    engine.dispose();
  }
});

test('weights and gradients may lie in shared memory', async () => {
  const shared = () => new Float32Array(new SharedArrayBuffer(24));
  const engine = await createEngine('wasm', softmax, { wasmUrl });
  const gradient = shared();
  const batch = { size: 1, x: Float32Array.of(1, -3), y: Int32Array.of(1) };
  await engine.gradient(shared(), new Float32Array(), batch, gradient);
  expect(Array.from(gradient)).toEqual([0.5, -0.5, -1.5, 1.5, 0.5, -0.5]);
  engine.dispose();
});

test('EN-9 what cannot be used here says so in plain words', async () => {
  expect(await probeBackend('fused', cnn)).toEqual({
    backend: 'fused',
    usable: false,
    device: '',
    software: false,
    reason: 'fused: it runs softmax regression and MLPs, not a cnn model',
  });
  expect((await probeBackend('webgpu', cnn)).reason).toBe('webgpu: this browser has no WebGPU');
  expect((await probeBackend('webgl', cnn)).reason).toContain('no OffscreenCanvas');
  expect((await probeBackend('wasm', cnn)).usable).toBe(true);
});

test('a backend that cannot be had is refused by name', async () => {
  await expect(createEngine('webgpu', cnn)).rejects.toThrow(BackendUnavailableError);
  await expect(createEngine('fused', cnn)).rejects.toThrow(BackendUnavailableError);
});

test('EN-11 engines of one backend share a device until the last is disposed of', async () => {
  const one = await createEngine('cpu', softmax);
  const two = await createEngine('cpu', cnn);
  one.dispose();
  one.dispose();
  expect(
    await two.logits(
      new Float32Array(cnn.parameterCount),
      new Float32Array(),
      new Float32Array(64),
      1,
    ),
  ).toEqual(new Float32Array(3));
  two.dispose();
  expect(tf.findBackend('cpu')).toBeNull();
});

test('EN-11 engines that are asked for at once share a device too', async () => {
  const [one, two] = await Promise.all([
    createEngine('wasm', softmax, { wasmUrl }),
    createEngine('wasm', softmax, { wasmUrl }),
  ]);
  one.dispose();
  const logits = two.logits(new Float32Array(6), new Float32Array(), Float32Array.of(1, 2), 1);
  expect(logits).toEqual(new Float32Array(2));
  two.dispose();
  expect(tf.findBackend('wasm')).toBeNull();
});

test('EN-12 max pooling stands only behind a relu', () => {
  const normed = buildModel({ kind: 'cnn', channels: [2, 2], dense: 3, norm: 'batch' }, IMAGE);
  for (const { segments } of [cnn, normed]) {
    segments.forEach(({ op }, i) => {
      if (op.kind !== 'maxpool') return;
      expect(segments[i - 1]?.op).toMatchObject({ activation: 'relu' });
    });
  }
});

test('EN-8 buffers that do not fit the model are refused by name', async () => {
  const engine = await createEngine('cpu', cnn);
  const weights = new Float32Array(cnn.parameterCount);
  const logits = () => engine.logits(weights, new Float32Array(3), new Float32Array(64), 1);
  expect(logits).toThrow('buffers: 3 elements were given, 0 are needed');
  engine.dispose();
});
