/**
 * @file What compression costs by formula: payload bytes, and when sparse beats dense. Runs count
 * what they really encode; formulas price models that are not run, and are tested against the count.
 */
import { topKCount } from '#core/top-k';
import type { CompressionConfig } from './config.ts';
import { dgcDensity } from './dgc.ts';
import { formatBytes } from './exchange.ts';
import { type MatrixShape, powerSgdLayout } from './power-sgd.ts';
import { levelBits } from './quantise.ts';

const FLOAT_BYTES = 4;
const INDEX_BYTES = 4;

/**
 * Bytes that one rank gives to the collectives for a range of `length` elements, after any start or
 * warm-up. QSGD with Elias codes depends on the values: the paper's 2.8 bits an element is returned,
 * which holds at levels = sqrt(length).
 */
export function payloadBytes(
  config: CompressionConfig,
  length: number,
  matrices: readonly MatrixShape[] = [],
): number {
  switch (config.kind) {
    case 'none':
      return FLOAT_BYTES * length;
    case 'cast':
      return formatBytes(config.format) * length;
    case 'topK':
      return (INDEX_BYTES + FLOAT_BYTES) * topKCount(length, config.ratio);
    case 'randomK':
      return FLOAT_BYTES * topKCount(length, config.ratio);
    case 'dgc': {
      const density = dgcDensity('none', config.ratio, 0);
      return (INDEX_BYTES + FLOAT_BYTES) * topKCount(length, density);
    }
    case 'qsgd': {
      const norms = Math.ceil(length / (config.bucketSize || Math.max(1, length)));
      const bits = config.coding === 'fixed' ? levelBits(config.levels) + 1 : 2.8;
      return FLOAT_BYTES * norms + Math.ceil((bits * length) / 8);
    }
    case 'ternGrad':
      return FLOAT_BYTES + Math.ceil(length / 4);
    case 'signSgd':
      return Math.ceil(length / 8);
    case 'efSignSgd':
      return FLOAT_BYTES + Math.ceil(length / 8);
    case 'oneBit':
      return 2 * FLOAT_BYTES + Math.ceil(length / 8);
    case 'powerSgd': {
      const { pLength, qLength, restLength } = powerSgdLayout(matrices, length, config);
      return FLOAT_BYTES * (pLength + qLength + restLength);
    }
  }
}

/** Bytes each rank sends in a ring all-reduce of a dense vector: 2 (N - 1) / N S. */
export function denseRingBytes(worldSize: number, length: number, bytesPerValue = 4): number {
  return ((2 * (worldSize - 1)) / worldSize) * length * bytesPerValue;
}

/** Bytes each rank sends in a ring all-gather of every rank's payload: (N - 1) of them. */
export function gatherRingBytes(worldSize: number, payload: number): number {
  return (worldSize - 1) * payload;
}

/**
 * Share of the elements below which a sparse all-gather sends less than a dense ring:
 * 2 bv / (N (bv + bi)), that is 1 / N for float32 values and 32-bit indices.
 */
export function breakEvenRatio(worldSize: number, valueBytes = 4, indexBytes = 4): number {
  return (2 * valueBytes) / (worldSize * (valueBytes + indexBytes));
}

/** Expected share of elements in the union of N independent selections: 1 - (1 - ratio)^N. */
export function unionDensity(ratio: number, worldSize: number): number {
  return 1 - (1 - ratio) ** worldSize;
}
