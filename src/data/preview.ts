/** @file The first samples of a data set, for the page. */
import type { Dataset } from './dataset.ts';

export type Preview =
  /** `images` is [labels.length, height * width] bytes. */
  | { readonly kind: 'images'; readonly images: Uint8Array; readonly labels: Uint8Array }
  /** `points` is [labels.length, 2]. */
  | { readonly kind: 'points'; readonly points: Float32Array; readonly labels: Uint8Array }
  | { readonly kind: 'text'; readonly text: string };

/** Copies of the first `count` training samples (characters for a text), or of all if fewer. */
export function previewOf({ train, alphabet }: Dataset, count: number): Preview {
  if (train.kind === 'text') {
    const characters = Array.from(train.tokens.subarray(0, count), (id) => alphabet?.[id] ?? '');
    return { kind: 'text', text: characters.join('') };
  }
  const shown = Math.min(count, train.count);
  const labels = train.y.slice(0, shown);
  const perSample = train.x.length / Math.max(1, train.count);
  return train.x instanceof Uint8Array
    ? { kind: 'images', images: train.x.slice(0, shown * perSample), labels }
    : { kind: 'points', points: train.x.slice(0, shown * perSample), labels };
}
