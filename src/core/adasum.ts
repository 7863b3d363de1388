/** @file Adasum, Horovod's adaptive summation (horovod/common/ops/adasum/adasum.h). */
import type { Range } from './collective.ts';

/** Below this squared norm a vector counts as zero, and the sum is a plain one. */
const NEGLIGIBLE = 1e-8;

/**
 * The adaptive sum of all ranks' `vectors` (equal lengths), tensor by tensor: neighbours 2^i apart
 * are combined pairwise, i = 0, 1, ..., as in Horovod's recursive halving. `tensors` tile the
 * vector. Parallel gradients are averaged, orthogonal ones added. Throws RangeError where the
 * number of ranks is no power of two.
 */
export function adasum(vectors: readonly Float32Array[], tensors: readonly Range[]): Float32Array {
  const ranks = vectors.length;
  if (ranks === 0 || (ranks & (ranks - 1)) !== 0) {
    throw new RangeError(
      `adasum: ${ranks} ranks; a power of two is allowed. Take that many, or average instead.`,
    );
  }
  if (ranks === 1) return vectors[0].slice();
  const half = ranks / 2;
  const lower = adasum(vectors.slice(0, half), tensors);
  const upper = adasum(vectors.slice(half), tensors);
  for (const { start, end } of tensors) {
    adasumOfTwo(lower.subarray(start, end), upper.subarray(start, end));
  }
  return lower;
}

/**
 * One tensor of two ranks, `a` of the lower one, into `a`: (1 - a.b / (2 |a|^2)) a +
 * (1 - a.b / (2 |b|^2)) b; products in fp32, their sums in fp64.
 */
export function adasumOfTwo(a: Float32Array, b: Float32Array): void {
  let dot = 0;
  let normA = 0;
  let normB = 0;
  for (let i = 0; i < a.length; i++) {
    dot += Math.fround(a[i] * b[i]);
    normA += Math.fround(a[i] * a[i]);
    normB += Math.fround(b[i] * b[i]);
  }
  const shareOfA = normA >= NEGLIGIBLE ? 1 - (dot / normA) * 0.5 : 1;
  const shareOfB = normB >= NEGLIGIBLE ? 1 - (dot / normB) * 0.5 : 1;
  for (let i = 0; i < a.length; i++) a[i] = shareOfA * a[i] + shareOfB * b[i];
}
