/** @file Which compressor, with its options, and the one place that makes it. */
import type { Range } from '#core/collective';
import type { Parameter } from '#core/model';
import { gathered } from './codec.ts';
import type { Compressor } from './compressor.ts';
import { denseAllReduce } from './dense.ts';
import { type DgcOptions, dgc } from './dgc.ts';
import { type MatrixShape, type PowerSgdOptions, powerSgd } from './power-sgd.ts';
import { type QsgdOptions, qsgdCodec, ternGradCodec } from './quantise.ts';
import { meanSignCodec, oneBitCodec, signSgdCodec } from './signs.ts';
import { type RandomKOptions, randomK, topKCodec } from './sparsify.ts';

/** One selection a bucket, or one over the whole gradient once all of it is there. */
export type SelectionScope = 'bucket' | 'global';

export type CompressionConfig =
  | { readonly kind: 'none' }
  | { readonly kind: 'cast'; readonly format: 'fp16' | 'bf16' }
  | {
      readonly kind: 'topK';
      readonly ratio: number;
      readonly errorFeedback: boolean;
      readonly scope: SelectionScope;
    }
  | ({ readonly kind: 'randomK'; readonly scope: SelectionScope } & RandomKOptions)
  | ({ readonly kind: 'dgc'; readonly scope: SelectionScope } & DgcOptions)
  | ({ readonly kind: 'qsgd' } & QsgdOptions)
  | { readonly kind: 'ternGrad'; readonly clipDeviations: number }
  | { readonly kind: 'signSgd' }
  | { readonly kind: 'efSignSgd' }
  | { readonly kind: 'oneBit'; readonly errorFeedback: boolean }
  | ({ readonly kind: 'powerSgd' } & PowerSgdOptions);

function checkRatio(kind: string, ratio: number): void {
  if (ratio > 0 && ratio <= 1) return;
  throw new RangeError(`${kind}: ratio ${ratio}; above 0 and up to 1 is allowed (1 sends all)`);
}

function checkQsgd({ levels, bucketSize }: QsgdOptions): void {
  if (!(Number.isInteger(levels) && levels >= 1 && levels < 2 ** 16)) {
    throw new RangeError(`QSGD: ${levels} levels; whole numbers 1 ... 65535 are allowed`);
  }
  if (Number.isInteger(bucketSize) && bucketSize >= 0) return;
  throw new RangeError(
    `QSGD: bucket of ${bucketSize}; whole numbers from 0 (the range) are allowed`,
  );
}

/**
 * The compressor of a configuration; `matrices` (see `matricesOf`) are for PowerSGD alone. Throws
 * RangeError for options out of range or that contradict each other.
 */
export function createCompressor(
  config: CompressionConfig,
  matrices: readonly MatrixShape[] = [],
): Compressor {
  switch (config.kind) {
    case 'none':
      return denseAllReduce('fp32');
    case 'cast':
      return denseAllReduce(config.format);
    case 'topK':
      checkRatio('top-k', config.ratio);
      return gathered(topKCodec(config.ratio), { errorFeedback: config.errorFeedback });
    case 'randomK':
      checkRatio('random-k', config.ratio);
      return randomK(config);
    case 'dgc':
      checkRatio('DGC', config.ratio);
      return dgc(config);
    case 'qsgd':
      checkQsgd(config);
      return gathered(qsgdCodec(config));
    case 'ternGrad':
      return gathered(ternGradCodec(config.clipDeviations));
    case 'signSgd':
      return gathered(signSgdCodec, { combine: 'majority' });
    case 'efSignSgd':
      return gathered(meanSignCodec, { errorFeedback: true, inSteps: true });
    case 'oneBit':
      return gathered(oneBitCodec, { errorFeedback: config.errorFeedback });
    case 'powerSgd':
      return powerSgd(config, matrices);
  }
}

/**
 * The parameters of two and more axes in `range`, as matrices with the last axis (the outputs) as
 * columns, offsets from the range's start. PyTorch's matrices are the transposes of these, which
 * only swaps the parts of P and Q.
 */
export function matricesOf(parameters: readonly Parameter[], range: Range): MatrixShape[] {
  return parameters.flatMap(({ shape, offset, length }) => {
    const inside = offset >= range.start && offset + length <= range.end;
    const columns = shape.at(-1);
    if (!inside || shape.length < 2 || columns === undefined || columns === 0) return [];
    return [{ offset: offset - range.start, rows: length / columns, columns }];
  });
}
