import { expect, test } from 'vitest';
import { initialBuffers } from './initial-weights.ts';
import type { Model, ModelSpec, TaskShape } from './model.ts';
import { buildModel } from './models.ts';

const IMAGE: TaskShape = { kind: 'image', height: 28, width: 28, classes: 10 };
const POINTS: TaskShape = { kind: 'points', features: 2, classes: 2 };
const TEXT: TaskShape = { kind: 'text', vocabulary: 80 };
const CNN: ModelSpec = { kind: 'cnn', channels: [8, 16], dense: 64 };
const TRANSFORMER: ModelSpec = { kind: 'transformer', width: 64, heads: 4, depth: 2, context: 32 };

const flops = (model: Model): number => model.segments.reduce((sum, s) => sum + s.forwardFlops, 0);

test('softmax regression on 28 x 28 images has 784 * 10 + 10 parameters', () => {
  const model = buildModel({ kind: 'softmax' }, IMAGE);
  expect(model.parameterCount).toBe(7850);
  expect(flops(model)).toBe(15680);
});

test('an MLP names its layers fc1, fc2, ... and stores weights [in, out]', () => {
  const model = buildModel({ kind: 'mlp', hidden: [8, 8], activation: 'tanh' }, POINTS);
  expect(model.parameters.map((p) => [p.name, p.shape, p.offset])).toEqual([
    ['fc1.weight', [2, 8], 0],
    ['fc1.bias', [8], 16],
    ['fc2.weight', [8, 8], 24],
    ['fc2.bias', [8], 88],
    ['fc3.weight', [8, 2], 96],
    ['fc3.bias', [2], 112],
  ]);
  expect(model.parameterCount).toBe(114);
});

test('the first layer costs one product in backward, the others two', () => {
  const model = buildModel({ kind: 'mlp', hidden: [8], activation: 'relu' }, POINTS);
  expect(model.segments.map((s) => [s.forwardFlops, s.backwardFlops])).toEqual([
    [32, 32],
    [32, 64],
  ]);
});

test('a CNN halves the image twice', () => {
  const model = buildModel(CNN, IMAGE);
  expect(model.segments.map((s) => s.outputShape)).toEqual([
    [28, 28, 8],
    [14, 14, 8],
    [14, 14, 16],
    [7, 7, 16],
    [784],
    [64],
    [10],
  ]);
  expect(model.parameterCount).toBe(80 + 1168 + 784 * 64 + 64 + 650);
});

test('EN-20 a norm stands between each convolution and its pooling, and takes over bias and relu', () => {
  const model = buildModel({ ...CNN, norm: 'batch' }, IMAGE);
  expect(model.segments.map((s) => s.name)).toEqual([
    'conv1',
    'norm1',
    'pool1',
    'conv2',
    'norm2',
    'pool2',
    'flatten',
    'fc1',
    'fc2',
  ]);
  const plain = buildModel(CNN, IMAGE);
  // Weight and bias of each norm, less the convolutions' biases.
  expect(model.parameterCount).toBe(plain.parameterCount + 8 + 16);
  expect(model.segments.map((s) => s.op).filter((op) => op.kind === 'conv')).toEqual([
    { kind: 'conv', kernel: 3, activation: 'none' },
    { kind: 'conv', kernel: 3, activation: 'none' },
  ]);
  const size = 28 * 28 * 8;
  expect(model.segments[1]).toMatchObject({
    op: { kind: 'batchNorm', synchronised: false, activation: 'relu' },
    outputShape: [28, 28, 8],
    forwardFlops: 8 * size,
    backwardFlops: 16 * size,
    activationBytes: 4 * size,
  });
});

test('EN-20 the buffers are running mean and variance, 0 and 1', () => {
  const model = buildModel({ ...CNN, norm: 'syncBatch' }, IMAGE);
  expect(model.buffers.map((b) => [b.name, b.offset, b.length])).toEqual([
    ['norm1.running_mean', 0, 8],
    ['norm1.running_var', 8, 8],
    ['norm2.running_mean', 16, 16],
    ['norm2.running_var', 32, 16],
  ]);
  expect(model.bufferCount).toBe(48);
  const buffers = initialBuffers(model);
  expect([buffers[0], buffers[8], buffers[31], buffers[47]]).toEqual([0, 1, 0, 1]);
  expect(model.segments[1].op).toMatchObject({ synchronised: true });
  expect(buildModel(CNN, IMAGE).bufferCount).toBe(0);
});

test('dense and conv start as in PyTorch, within 1/sqrt(fan in)', () => {
  const model = buildModel(CNN, IMAGE);
  const bound = (name: string) => model.parameters.find((p) => p.name === name)?.init;
  expect(bound('conv1.weight')).toEqual({ kind: 'uniform', bound: 1 / 3 });
  expect(bound('fc1.bias')).toEqual({ kind: 'uniform', bound: 1 / 28 });
});

test('a transformer of width 64, depth 2, context 32 has about 111 k parameters', () => {
  const model = buildModel(TRANSFORMER, TEXT);
  const block = 4 * 64 * 64 + 64 + 128 + (2 * 64 * 256 + 256 + 64) + 128;
  expect(model.parameterCount).toBe(80 * 64 + 32 * 64 + 2 * block + 128 + 64 * 80 + 80);
});

test('parameters tile the flat vector in every model', () => {
  for (const model of [buildModel(CNN, IMAGE), buildModel(TRANSFORMER, TEXT)]) {
    let end = 0;
    for (const parameter of model.parameters) {
      expect(parameter.offset).toBe(end);
      expect(parameter.length).toBe(parameter.shape.reduce((a, b) => a * b, 1));
      end += parameter.length;
    }
    expect(end).toBe(model.parameterCount);
    expect(new Set(model.parameters.map((p) => p.name)).size).toBe(model.parameters.length);
  }
});

test.each<[string, ModelSpec, TaskShape, RegExp]>([
  ['heads', { ...TRANSFORMER, heads: 3 }, TEXT, /heads is 3: it must divide the width \(64\)/],
  ['text', { kind: 'softmax' }, TEXT, /softmax model needs images or points/],
  ['points', CNN, POINTS, /cnn model needs images/],
  ['images', TRANSFORMER, IMAGE, /transformer model needs text/],
  ['width', { kind: 'mlp', hidden: [8, 0], activation: 'relu' }, POINTS, /mlp\.hidden\[1\] is 0/],
  ['fraction', { ...CNN, dense: 1.5 }, IMAGE, /cnn\.dense is 1\.5: a positive integer/],
  ['size', CNN, { ...IMAGE, height: 3 }, /at least 4 x 4; the task's are 3 x 28/],
])('an impossible model is refused: %s', (_, spec, task, message) => {
  expect(() => buildModel(spec, task)).toThrow(RangeError);
  expect(() => buildModel(spec, task)).toThrow(message);
});
