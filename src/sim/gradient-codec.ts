/** @file What compression makes of a bucket: bytes by formula, and passes over memory. */
import type { CompressionConfig } from '#core/compression/config';
import type { MatrixShape } from '#core/compression/power-sgd';
import { payloadBytes } from '#core/compression/wire-bytes';
import type { Collective } from './collective-job.ts';

export interface GradientMessages {
  readonly kind: Collective;
  /** Of one of them; all ranks' total for an all-gather. */
  readonly bytes: number;
  /** One after the other: PowerSGD sends P, then Q. */
  readonly count: number;
}

export interface GradientCodec {
  /** What is sent for a bucket of layers with these numbers of parameters. */
  readonly messages: (
    layers: readonly number[],
    bytesPerElement: number,
    ranks: number,
  ) => GradientMessages;
  /** Times that the gradient is read and written to encode and decode. */
  readonly passes: number;
}

/** The gradient as it is. */
export const PLAIN: GradientCodec = {
  messages: (layers, bytesPerElement) => ({
    kind: 'all-reduce',
    bytes: total(layers) * bytesPerElement,
    count: 1,
  }),
  passes: 0,
};

/** Reads and writes of the gradient, over a plain copy: a sort costs many, a cast one. */
const PASSES: Readonly<Record<CompressionConfig['kind'], number>> = {
  none: 0,
  cast: 2,
  topK: 24,
  randomK: 4,
  dgc: 12,
  qsgd: 6,
  ternGrad: 6,
  signSgd: 3,
  efSignSgd: 5,
  oneBit: 6,
  powerSgd: 10,
};

/** Sums that are formed on the way; the others are gathered. */
const REDUCED: readonly CompressionConfig['kind'][] = ['none', 'cast', 'randomK', 'powerSgd'];

/** The compressor of an experiment; for PowerSGD every layer is taken as one square matrix. */
export function gradientCodec(config: CompressionConfig): GradientCodec {
  if (config.kind === 'none') return PLAIN;
  const isReduced = REDUCED.includes(config.kind);
  return {
    messages: (layers, _, ranks) => {
      const elements = Math.round(total(layers));
      const payload = payloadBytes(config, elements, squares(layers));
      if (!isReduced) return { kind: 'all-gather', bytes: payload * ranks, count: 1 };
      const count = config.kind === 'powerSgd' ? 2 : 1;
      return { kind: 'all-reduce', bytes: payload / count, count };
    },
    passes: PASSES[config.kind],
  };
}

const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

function squares(layers: readonly number[]): readonly MatrixShape[] {
  let offset = 0;
  return layers.map((parameters) => {
    const side = Math.floor(Math.sqrt(parameters));
    const shape = { offset, rows: side, columns: side };
    offset += Math.floor(parameters);
    return shape;
  });
}
