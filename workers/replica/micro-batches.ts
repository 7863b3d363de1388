/** @file Gradient accumulation: a batch in parts, each part's gradient weighted by its size. */
import type { Batch } from '#engine/engine';

export interface Part {
  readonly batch: Batch;
  /** Share of the batch's samples; the shares of all parts add up to 1. */
  readonly weight: number;
}

/** `batch` in `count` parts of nearly one size, or in as many as it has samples. */
export function microBatches(batch: Batch, count: number): readonly Part[] {
  if (count === 1) return [{ batch, weight: 1 }];
  const parts = Math.min(count, batch.size);
  const [perX, perY] = [batch.x.length / batch.size, batch.y.length / batch.size];
  return Array.from({ length: parts }, (_, part) => {
    const start = Math.floor((part * batch.size) / parts);
    const end = Math.floor(((part + 1) * batch.size) / parts);
    const x = batch.x.subarray(start * perX, end * perX);
    const y = batch.y.subarray(start * perY, end * perY);
    const size = end - start;
    return { batch: { size, x, y }, weight: size / batch.size };
  });
}
