import { expect, test } from 'vitest';
import { buildModel } from '#core/models';
import { workloadOf } from './experiment-job.ts';
import { forwardFlops, parameterCount, uniformWorkload, WORKLOADS } from './workloads.ts';

test('CC-8 known models have their published parameters', () => {
  const published = {
    resnet50: 25.557e6,
    resnet101: 44.549e6,
    resnext50: 25.029e6,
    resnext101: 88.791e6,
    vgg16: 138.36e6,
    'bert-base': 110e6,
    'bert-large': 335e6,
    'gpt2-124m': 124.44e6,
    'gpt2-1.5b': 1557.6e6,
    'llama3-8b': 8.03e9,
    'llama3-70b': 70.55e9,
  } as const;
  for (const [id, count] of Object.entries(published)) {
    const found = parameterCount(WORKLOADS[id as keyof typeof published]);
    expect(Math.abs(found / count - 1), id).toBeLessThan(0.011);
  }
});

test('CC-8 and their published multiply-adds, in 10^9 an image', () => {
  const published = {
    resnet50: 4.1,
    resnet101: 7.8,
    resnext101: 16.4,
    vgg16: 15.5,
    inception3: 5.7,
  };
  for (const [id, billions] of Object.entries(published)) {
    const found = forwardFlops(WORKLOADS[id as keyof typeof published]) / 2e9;
    expect(Math.abs(found / billions - 1), id).toBeLessThan(0.03);
  }
});

test('CC-8 the replica itself has the layers of its segments', () => {
  const task = { kind: 'image', height: 28, width: 28, classes: 10 } as const;
  const model = buildModel({ kind: 'mlp', hidden: [128], activation: 'relu' }, task);
  expect(parameterCount(workloadOf(model))).toBe(101_770);
  expect(forwardFlops(workloadOf(model))).toBe(
    model.segments.reduce((sum, segment) => sum + segment.forwardFlops, 0),
  );
});

test('CC-8 a model given by its totals is cut into layers alike', () => {
  const workload = uniformWorkload({ parameters: 64e6, forwardFlops: 3.2e9, layers: 16 });
  expect(workload.layers).toHaveLength(16);
  expect(workload.layers[3]).toEqual({ parameters: 4e6, tensors: 4, forwardFlops: 2e8 });
});
