/** @file Augmentation of training images: each is shifted by up to two pixels each way. */
import { hashFloats } from '#core/hash';
import type { Plan } from '#core/plan';
import { PURPOSE, randomStream } from '#core/random';
import { SCALED_PIXEL } from './pixels.ts';
import type { Batch } from './reader.ts';
import { largestBatch } from './shares.ts';

/** Pixels that an image moves at most, in each direction. */
const MOST_SHIFT = 2;

export interface Augmenter {
  /** Shifts the images of a step's batch, in place. */
  apply(batch: Batch, step: number): void;
  /** Hash of the shifts drawn last. */
  hash(): string;
}

/**
 * The augmentation of one rank; null where there is none. Shifts are drawn in sample order from the
 * stream (seed, augmentation, rank, step), or rank 0's on all ranks where that mistake is made.
 */
export function createAugmenter({ plan, rank }: { plan: Plan; rank: number }): Augmenter | null {
  const { augmentation, mistakes, model, seed } = plan;
  const { task } = model;
  if (augmentation === 'none' || task.kind !== 'image') return null;
  const { height, width } = task;
  const drawnFor = mistakes.equalAugmentation ? 0 : rank;
  const original = new Float32Array(height * width);
  const shifts = new Float32Array(2 * largestBatch(plan, rank));
  let count = 0;
  return {
    apply({ size, x }, step) {
      const stream = randomStream(seed, PURPOSE.augmentation, drawnFor, step);
      count = 2 * size;
      for (let i = 0; i < count; i++) shifts[i] = stream.below(2 * MOST_SHIFT + 1) - MOST_SHIFT;
      for (let sample = 0; sample < size; sample++) {
        const image = x.subarray(sample * original.length, (sample + 1) * original.length);
        original.set(image);
        shiftImage(original, image, width, shifts[2 * sample] ?? 0, shifts[2 * sample + 1] ?? 0);
      }
    },
    hash: () => hashFloats(shifts.subarray(0, count)),
  };
}

/**
 * `image` becomes `original`, rows of `width` pixels, moved right by `dx` and down by `dy`; what
 * comes in from outside is black.
 */
export function shiftImage(
  original: Float32Array,
  image: Float32Array | Int32Array,
  width: number,
  dx: number,
  dy: number,
): void {
  const height = original.length / width;
  const black = SCALED_PIXEL[0] ?? 0;
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      const [y, x] = [row - dy, column - dx];
      const inside = y >= 0 && y < height && x >= 0 && x < width;
      image[row * width + column] = inside ? (original[y * width + x] ?? black) : black;
    }
  }
}
