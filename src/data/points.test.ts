import { expect, test } from 'vitest';
import type { PointsName } from '#experiment/experiment';
import type { Dataset, LabelledSplit } from './dataset.ts';
import { pointsDataset } from './points.ts';
import { previewOf } from './preview.ts';

const NAMES: readonly PointsName[] = ['spirals', 'moons', 'circles', 'xor'];

function labelled({ train }: Pick<Dataset, 'train'>): LabelledSplit {
  if (train.kind !== 'labelled') throw new Error('points are labelled');
  return train;
}

test.each(NAMES)('DA-10 %s: balanced, within the square, train and test apart', (name) => {
  const dataset = pointsDataset({ name, samples: 1001, noise: 0 }, 3);
  const train = labelled(dataset);
  expect(train.count).toBe(1001);
  expect(train.y.reduce((ones, y) => ones + y, 0)).toBe(500);
  const largest = Math.max(...Array.from(train.x, Math.abs));
  expect(largest).toBeLessThanOrEqual(1);
  expect(largest).toBeGreaterThan(0.9);
  expect(dataset.test.kind === 'labelled' && dataset.test.x).not.toEqual(train.x);
});

test.each(NAMES)('DA-10 %s: the same seed draws the same points, another seed others', (name) => {
  const draw = (seed: number): LabelledSplit =>
    labelled(pointsDataset({ name, samples: 50, noise: 0.1 }, seed));
  expect(draw(1)).toEqual(draw(1));
  expect(draw(1).x).not.toEqual(draw(2).x);
});

test.each(NAMES)('DA-10 %s: noise moves points by its deviation', (name) => {
  const clean = labelled(pointsDataset({ name, samples: 1, noise: 0 }, 4));
  const noisy = labelled(pointsDataset({ name, samples: 1, noise: 0.01 }, 4));
  const moved = Math.hypot(...clean.x.map((v, i) => v - (noisy.x[i] ?? 0)));
  expect(moved).toBeGreaterThan(0);
  expect(moved).toBeLessThan(0.06);
});

test.each(NAMES)('DA-10 %s: classes can be told apart: a nearest neighbour is right', (name) => {
  const dataset = pointsDataset({ name, samples: 1000, noise: 0.02 }, 0);
  const train = labelled(dataset);
  const held = labelled({ train: dataset.test });
  let right = 0;
  for (let i = 0; i < held.count; i++) {
    let nearest = 0;
    let best = Number.POSITIVE_INFINITY;
    for (let j = 0; j < train.count; j++) {
      const dx = (train.x[2 * j] ?? 0) - (held.x[2 * i] ?? 0);
      const dy = (train.x[2 * j + 1] ?? 0) - (held.x[2 * i + 1] ?? 0);
      const distance = dx * dx + dy * dy;
      if (distance < best) [best, nearest] = [distance, j];
    }
    if (train.y[nearest] === held.y[i]) right++;
  }
  expect(right / held.count).toBeGreaterThan(0.98);
});

test('previews show the first samples, and no more than there are', () => {
  const dataset = pointsDataset({ name: 'moons', samples: 5, noise: 0 }, 0);
  const preview = previewOf(dataset, 3);
  expect(preview.kind === 'points' && [...preview.labels]).toEqual([0, 1, 0]);
  expect(preview.kind === 'points' && preview.points).toEqual(labelled(dataset).x.slice(0, 6));
  expect(previewOf(dataset, 99)).toMatchObject({ labels: Uint8Array.of(0, 1, 0, 1, 0) });
  const text: Dataset = {
    name: 'text',
    task: { kind: 'text', vocabulary: 3 },
    train: { kind: 'text', tokens: Uint8Array.of(2, 0, 1, 1) },
    test: { kind: 'text', tokens: Uint8Array.of(0) },
    alphabet: 'abc',
  };
  expect(previewOf(text, 3)).toEqual({ kind: 'text', text: 'cab' });
  const images: Dataset = {
    ...dataset,
    train: { kind: 'labelled', count: 2, x: Uint8Array.of(1, 2, 3, 4), y: Uint8Array.of(7, 8) },
  };
  expect(previewOf(images, 1)).toEqual({
    kind: 'images',
    images: Uint8Array.of(1, 2),
    labels: Uint8Array.of(7),
  });
});
