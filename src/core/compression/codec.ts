/**
 * @file Compressors that send one encoded payload through an all-gather differ only in their code.
 * This is the rest: error feedback [Seide et al. 2014; Karimireddy et al. 2019], decoding, averaging.
 */

import {
  add,
  type Compressor,
  type CompressorState,
  divide,
  noState,
  type UpdateContext,
} from './compressor.ts';
import { allGather, type Exchanges } from './exchange.ts';

export interface Codec {
  /** The bytes that stand for `values`; `values` stay as they are. */
  encode(values: Float32Array, context: UpdateContext): Uint8Array;
  /** target += factor * what the payload stands for. */
  decodeInto(payload: Uint8Array, target: Float32Array, factor: number): void;
}

export interface GatherOptions {
  /** Add what was not sent to the next gradient. */
  readonly errorFeedback: boolean;
  /** mean of what was decoded, or the sign of its sum (0 counts as positive). */
  readonly combine: 'mean' | 'majority';
  /** Encode learningRate * gradient, and divide the mean by the rate again (EF-signSGD). */
  readonly inSteps: boolean;
}

const PLAIN: GatherOptions = { errorFeedback: false, combine: 'mean', inSteps: false };

function combine(values: Float32Array, how: GatherOptions['combine'], divisor: number): void {
  if (how === 'majority')
    for (let i = 0; i < values.length; i++) values[i] = values[i] < 0 ? -1 : 1;
  else divide(values, divisor);
}

/** p = rate * g + e into `out`. */
function compensate(
  gradient: Float32Array,
  residual: Float32Array,
  rate: number,
  out: Float32Array,
): void {
  if (rate === 1) add(gradient, residual, out);
  else for (let i = 0; i < out.length; i++) out[i] = Math.fround(rate * gradient[i]) + residual[i];
}

/** Makes a compressor of a codec: encode, all-gather, decode and combine; residual = input - sent. */
export function gathered(codec: Codec, options: Partial<GatherOptions> = {}): Compressor {
  const { errorFeedback, combine: how, inSteps } = { ...PLAIN, ...options };

  function* update(
    state: CompressorState,
    next: CompressorState,
    gradient: Float32Array,
    average: Float32Array,
    context: UpdateContext,
  ): Exchanges {
    const rate = inSteps ? context.learningRate : 1;
    let input = gradient;
    if (errorFeedback) {
      input = next.vectors.residual;
      compensate(gradient, state.vectors.residual, rate, input);
    }
    const own = codec.encode(input, context);
    // The channel may take the payload away, so what it stands for is subtracted before.
    if (errorFeedback) codec.decodeInto(own, next.vectors.residual, -1);
    const payloads = yield* allGather(own);
    average.fill(0);
    for (const payload of payloads) codec.decodeInto(payload, average, 1);
    combine(average, how, payloads.length * rate);
    if (rate === 0) {
      // No step is made at rate 0, so nothing of the residual is gone.
      average.fill(0);
      if (errorFeedback) next.vectors.residual.set(state.vectors.residual);
    }
  }

  return {
    collective: 'allGather',
    residual: errorFeedback ? 'residual' : null,
    init: (length) =>
      errorFeedback ? { vectors: { residual: new Float32Array(length) } } : noState(),
    update,
  };
}
