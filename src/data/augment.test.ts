import fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildModel } from '#core/models';
import { NO_MISTAKES, type Plan } from '#core/plan';
import { createAugmenter, shiftImage } from './augment.ts';
import { SCALED_PIXEL } from './pixels.ts';

const BLACK = SCALED_PIXEL[0] ?? 0;

test('DA-11 an image moves right and down; what comes in is black', () => {
  const image = new Float32Array(9);
  shiftImage(Float32Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9), image, 3, 1, -1);
  expect([...image]).toEqual([BLACK, 4, 5, BLACK, 7, 8, BLACK, BLACK, BLACK]);
});

const SIDE = 5;
const TASK = { kind: 'image', height: SIDE, width: SIDE, classes: 2 } as const;

function planOf(fields: Partial<Plan>): Plan {
  const plan: Partial<Plan> = {
    seed: 3,
    worldSize: 2,
    batchPerRank: 16,
    model: buildModel({ kind: 'softmax' }, TASK),
    augmentation: 'shift',
    sync: { kind: 'allReduce', balance: 'off', slowdowns: [] },
    mistakes: NO_MISTAKES,
    ...fields,
  };
  return plan as Plan;
}

/** A batch of images with one bright pixel in the middle, augmented. */
function augmented(plan: Plan, rank: number, step: number, size = 16) {
  const x = new Float32Array(size * SIDE * SIDE).fill(BLACK);
  for (let i = 0; i < size; i++) x[i * SIDE * SIDE + 12] = 1;
  const augmenter = createAugmenter({ plan, rank });
  augmenter?.apply({ size, x, y: new Int32Array(size) }, step);
  return { x, hash: augmenter?.hash() };
}

test('DA-11 every shift is within two pixels, and every sample has its own', () => {
  fc.assert(
    fc.property(fc.nat(1000), fc.nat(7), (step, rank) => {
      const { x } = augmented(planOf({}), rank, step);
      // The bright pixel of a 5 x 5 image can reach every place and never leaves.
      for (let i = 0; i < 16; i++) {
        const image = x.subarray(i * SIDE * SIDE, (i + 1) * SIDE * SIDE);
        expect(image.filter((pixel) => pixel === 1)).toHaveLength(1);
      }
    }),
  );
  const { x } = augmented(planOf({}), 0, 0, 16);
  const places = Array.from({ length: 16 }, (_, i) =>
    x.subarray(i * SIDE * SIDE, (i + 1) * SIDE * SIDE).indexOf(1),
  );
  expect(new Set(places).size).toBeGreaterThan(5);
});

test('DA-11 shifts differ by rank, step and seed, and repeat for the same', () => {
  const { x, hash } = augmented(planOf({}), 0, 4);
  expect(augmented(planOf({}), 0, 4)).toEqual({ x, hash });
  expect(augmented(planOf({}), 1, 4).hash).not.toBe(hash);
  expect(augmented(planOf({}), 0, 5).hash).not.toBe(hash);
  expect(augmented(planOf({ seed: 4 }), 0, 4).hash).not.toBe(hash);
});

test('DA-11 SY-21 by speed, a rank with more samples than its equal share shifts them all', () => {
  const sync = { kind: 'allReduce', balance: 'speeds', slowdowns: [1, 3] } as const;
  const { x } = augmented(planOf({ sync }), 0, 0, 24);
  const places = Array.from({ length: 8 }, (_, i) =>
    x.subarray((16 + i) * SIDE * SIDE, (17 + i) * SIDE * SIDE).indexOf(1),
  );
  expect(new Set(places).size).toBeGreaterThan(2);
});

test('MI-5 with equal seeds every rank draws the same shifts, anew in every step', () => {
  const plan = planOf({ mistakes: { ...NO_MISTAKES, equalAugmentation: true } });
  expect(augmented(plan, 1, 4)).toEqual(augmented(plan, 0, 4));
  expect(augmented(plan, 1, 5).hash).not.toBe(augmented(plan, 1, 4).hash);
});

test('DA-11 there is nothing to do where it is off or no image is read', () => {
  expect(createAugmenter({ plan: planOf({ augmentation: 'none' }), rank: 0 })).toBeNull();
  const model = buildModel({ kind: 'softmax' }, { kind: 'points', features: 2, classes: 2 });
  expect(createAugmenter({ plan: planOf({ model }), rank: 0 })).toBeNull();
});
