/** @file Chosen elements on the wire: k indices (uint32), then k values (float32); 8 bytes each. */
import { floatsAt, wordsAt } from './bits.ts';

/** A payload with room for `count` entries, and views of its two parts. */
export interface SparsePayload {
  readonly payload: Uint8Array;
  readonly indices: Uint32Array;
  readonly values: Float32Array;
}

/** Makes an empty payload. */
export function createSparse(count: number): SparsePayload {
  return openSparse(new Uint8Array(8 * count));
}

/** Views of a payload that arrived. Throws RangeError for a length that is no whole number of entries. */
function openSparse(payload: Uint8Array): SparsePayload {
  if (payload.byteLength % 8 !== 0) {
    throw new RangeError(
      `sparse payload of ${payload.byteLength} bytes; entries have 8 bytes each`,
    );
  }
  const count = payload.byteLength / 8;
  return {
    payload,
    indices: wordsAt(payload, 0, count),
    values: floatsAt(payload, 4 * count, count),
  };
}

/** target[index] += factor * value for each entry. */
export function addSparse(payload: Uint8Array, target: Float32Array, factor: number): void {
  const { indices, values } = openSparse(payload);
  for (let i = 0; i < indices.length; i++) target[indices[i]] += factor * values[i];
}
