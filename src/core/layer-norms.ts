/** @file What LARS and LAMB share: norms of single layers. */
import type { Range } from './collective.ts';

/** Euclidean norm of elements [start, end), accumulated in float64. */
export function rangeNorm(values: Float32Array, { start, end }: Range): number {
  let sum = 0;
  for (let i = start; i < end; i++) sum += values[i] * values[i];
  return Math.sqrt(sum);
}

/** The given layers, or the whole vector as one. */
export function layersOf(layers: readonly Range[] | undefined, length: number): readonly Range[] {
  return layers ?? [{ start: 0, end: length }];
}
