import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Model } from './model.ts';
import { buildModel } from './models.ts';
import { joinByName, type ModelState, splitByName } from './named-weights.ts';

const mlp = buildModel(
  { kind: 'mlp', hidden: [3], activation: 'relu' },
  { kind: 'points', features: 2, classes: 2 },
);
const cnn = buildModel(
  { kind: 'cnn', channels: [2, 2], dense: 3 },
  { kind: 'image', height: 8, width: 8, classes: 2 },
);
const normed = buildModel(
  { kind: 'cnn', channels: [2, 2], dense: 3, norm: 'batch' },
  { kind: 'image', height: 8, width: 8, classes: 2 },
);
const transformer = buildModel(
  { kind: 'transformer', width: 4, heads: 2, depth: 1, context: 3 },
  { kind: 'text', vocabulary: 5 },
);
const counting = (length: number): Float32Array => Float32Array.from({ length }, (_, i) => i);
const state = ({ parameterCount, bufferCount }: Model): ModelState => ({
  weights: counting(parameterCount),
  buffers: counting(bufferCount),
});

test('dense weights come out as [out][in]', () => {
  const named = splitByName(mlp, state(mlp));
  expect(named['fc1.weight']).toEqual([
    [0, 3],
    [1, 4],
    [2, 5],
  ]);
  expect(named['fc1.bias']).toEqual([6, 7, 8]);
});

test('conv filters come out as [out][in][h][w]', () => {
  const named = splitByName(cnn, state(cnn));
  const conv1 = named['conv1.weight'] as number[][][][];
  expect(conv1[1]?.[0]?.[0]).toEqual([1, 3, 5]);
  expect(conv1[1]?.[0]?.[2]).toEqual([13, 15, 17]);
});

test('the layer behind a flatten counts its inputs by channel first', () => {
  const named = splitByName(cnn, state(cnn));
  const first = cnn.parameters.find((p) => p.name === 'fc1.weight')?.offset ?? -1;
  const rows = named['fc1.weight'] as number[][];
  // [2, 2, 2] pixels of 2 channels, 3 outputs: channel 0 holds inputs 0, 2, 4, 6.
  expect(rows[0]?.map((value) => (value - first) / 3)).toEqual([0, 2, 4, 6, 1, 3, 5, 7]);
});

test('embeddings stay [token][width], as in PyTorch', () => {
  const named = splitByName(transformer, state(transformer));
  expect((named['embedding.tokens'] as number[][])[1]).toEqual([4, 5, 6, 7]);
});

test('EN-14 buffers go by PyTorch names, and a state of weights alone has the initial ones', () => {
  const named = splitByName(normed, state(normed));
  expect(named['norm1.weight']).toHaveLength(2);
  expect(named['norm2.running_mean']).toEqual([4, 5]);
  expect(named['norm2.running_var']).toEqual([6, 7]);
  const { 'norm2.running_mean': _, ...others } = named;
  expect([...joinByName(normed, others).buffers]).toEqual([0, 1, 2, 3, 0, 0, 6, 7]);
});

test('joinByName is the inverse of splitByName', () => {
  for (const model of [mlp, cnn, normed, transformer]) {
    const bounds = { minLength: model.parameterCount, maxLength: model.parameterCount };
    fc.assert(
      fc.property(
        fc.float32Array({ ...bounds, noNaN: true, noDefaultInfinity: true }),
        (weights) => {
          const given = { weights, buffers: counting(model.bufferCount) };
          expect(joinByName(model, splitByName(model, given))).toEqual(given);
        },
      ),
      { numRuns: 10 },
    );
  }
});

const whole = splitByName(mlp, state(mlp));

test.each<[string, Record<string, unknown>, RegExp]>([
  [
    'missing',
    { 'fc1.bias': undefined },
    /fc1\.bias: found nothing, expected numbers of shape \[3\]/,
  ],
  [
    'short',
    { 'fc1.bias': [1, 2] },
    /fc1\.bias: found shape \[2\], expected numbers of shape \[3\]/,
  ],
  [
    'transposed',
    {
      'fc1.weight': [
        [1, 2, 3],
        [4, 5, 6],
      ],
    },
    /found shape \[2, 3\].*shape \[3, 2\]/,
  ],
  ['ragged', { 'fc1.weight': [[1, 2], [3], [5, 6]] }, /fc1\.weight: .*ragged/],
  ['text', { 'fc1.bias': 'none' }, /fc1\.bias: found "none"/],
  ['not a number', { 'fc1.bias': [1, null, 3] }, /fc1\.bias: .*not finite numbers/],
  ['unknown', { 'fc9.bias': [1] }, /fc9\.bias is unknown; the model has fc1\.weight/],
])('joinByName refuses %s', (_, change, message) => {
  expect(() => joinByName(mlp, { ...whole, ...change })).toThrow(message);
});

test('splitByName refuses a vector of another length', () => {
  const short = { ...state(mlp), weights: new Float32Array(3) };
  expect(() => splitByName(mlp, short)).toThrow('3 weights were given; the model has 17');
});
