/** @file Sending few elements: top-k (its codec) and random-k over indices that all ranks agree on. */
import { selectTopK, topKCount } from '#core/top-k';
import type { Codec } from './codec.ts';
import {
  add,
  type Compressor,
  type CompressorState,
  noState,
  sharedStream,
  type UpdateContext,
} from './compressor.ts';
import { allReduce, type Exchanges } from './exchange.ts';
import { addSparse, createSparse } from './sparse.ts';

/** Top-k [Aji and Heafield 2017]: the k = max(1, floor(ratio * d)) largest magnitudes with their indices. */
export function topKCodec(ratio: number): Codec {
  return {
    encode: (values) => {
      const { payload, indices, values: sent } = createSparse(topKCount(values.length, ratio));
      selectTopK(values, indices);
      for (let i = 0; i < indices.length; i++) sent[i] = values[indices[i]];
      return payload;
    },
    decodeInto: addSparse,
  };
}

/** `count` different indices below `length`, ascending, uniform over all such sets (Floyd's algorithm). */
export function randomIndices(length: number, count: number, context: UpdateContext): Uint32Array {
  const stream = sharedStream(context);
  const chosen = new Uint8Array(length);
  for (let top = length - count; top < length; top++) {
    const draw = stream.below(top + 1);
    chosen[chosen[draw] === 0 ? draw : top] = 1;
  }
  const indices = new Uint32Array(count);
  let found = 0;
  for (let i = 0; i < length; i++) if (chosen[i] === 1) indices[found++] = i;
  return indices;
}

export interface RandomKOptions {
  readonly ratio: number;
  /** Multiply what is sent by d / k, which makes it unbiased. */
  readonly scaled: boolean;
  readonly errorFeedback: boolean;
}

/**
 * Random-k with a shared seed: every rank picks the same indices, so the values alone are
 * all-reduced, divided by N before the sum. Throws RangeError for scaling together with error
 * feedback, which would send d / k times the residual.
 */
export function randomK({ ratio, scaled, errorFeedback }: RandomKOptions): Compressor {
  if (scaled && errorFeedback) {
    throw new RangeError(
      'random-k: scaled by d/k and error feedback together send the residual d/k times; ' +
        'choose scaling (unbiased) or error feedback.',
    );
  }

  function* update(
    state: CompressorState,
    next: CompressorState,
    gradient: Float32Array,
    average: Float32Array,
    context: UpdateContext,
  ): Exchanges {
    const indices = randomIndices(gradient.length, topKCount(gradient.length, ratio), context);
    const input = errorFeedback ? next.vectors.residual : gradient;
    if (errorFeedback) add(gradient, state.vectors.residual, input);
    const weight = (scaled ? gradient.length / indices.length : 1) / context.worldSize;
    const values = new Float32Array(indices.length);
    for (let i = 0; i < indices.length; i++) values[i] = weight * input[indices[i]];
    if (errorFeedback) for (const index of indices) input[index] = 0;
    const sum = yield* allReduce(values);
    average.fill(0);
    for (let i = 0; i < indices.length; i++) average[indices[i]] = sum[i];
  }

  return {
    collective: 'allReduce',
    residual: errorFeedback ? 'residual' : null,
    init: (length) =>
      errorFeedback ? { vectors: { residual: new Float32Array(length) } } : noState(),
    update,
  };
}
