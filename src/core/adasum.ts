/** @file Adasum, Horovod's adaptive summation (horovod/common/ops/adasum/adasum.h). */
import type { Range, Schedule } from './collective.ts';
import { halvingDoublingAllReduce } from './halving-doubling.ts';

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
  requirePowerOfTwo(ranks);
  if (ranks === 1) return vectors[0].slice();
  const half = ranks / 2;
  const lower = adasum(vectors.slice(0, half), tensors);
  const upper = adasum(vectors.slice(half), tensors);
  for (const { start, end } of tensors) {
    const [a, b] = [lower.subarray(start, end), upper.subarray(start, end)];
    combinePair(a, a, b, pairSums(a, b));
  }
  return lower;
}

/** a.b, |a|^2 and |b|^2, over a tensor or a part of it. */
export type PairSums = readonly [dot: number, normA: number, normB: number];

/** Products in fp32, their sums in fp64. */
export function pairSums(a: Float32Array, b: Float32Array): PairSums {
  let dot = 0;
  let normA = 0;
  let normB = 0;
  for (let i = 0; i < a.length; i++) {
    dot += Math.fround(a[i] * b[i]);
    normA += Math.fround(a[i] * a[i]);
    normB += Math.fround(b[i] * b[i]);
  }
  return [dot, normA, normB];
}

/**
 * result = (1 - a.b / (2 |a|^2)) a + (1 - a.b / (2 |b|^2)) b, with the sums of the whole tensor;
 * `result` may be `a` or `b`.
 */
export function combinePair(
  result: Float32Array,
  a: Float32Array,
  b: Float32Array,
  [dot, normA, normB]: PairSums,
): void {
  const shareOfA = normA >= NEGLIGIBLE ? 1 - (dot / normA) * 0.5 : 1;
  const shareOfB = normB >= NEGLIGIBLE ? 1 - (dot / normB) * 0.5 : 1;
  for (let i = 0; i < result.length; i++) result[i] = shareOfA * a[i] + shareOfB * b[i];
}

/** The exchanges of Adasum over ranks that are a power of two. */
export interface AdasumSchedules {
  /** Level i: ranks 2^i apart swap halves of what they still hold. */
  readonly halvings: readonly Schedule[];
  /** All parts to all ranks. */
  readonly gather: Schedule;
}

/** Halving-doubling's own steps, but that what arrives is copied and combined by the receiver. */
export function adasumSchedules(worldSize: number): AdasumSchedules {
  requirePowerOfTwo(worldSize);
  const whole = halvingDoublingAllReduce(worldSize);
  const levels = Math.log2(worldSize);
  const halvings = whole.steps.slice(0, levels).map((messages, level) => ({
    ...whole,
    name: `adasum level ${level}`,
    steps: [messages.map((message) => ({ ...message, op: 'copy' as const }))],
  }));
  return {
    halvings,
    gather: { ...whole, name: 'adasum gather', steps: whole.steps.slice(levels) },
  };
}

function requirePowerOfTwo(ranks: number): void {
  if (ranks > 0 && (ranks & (ranks - 1)) === 0) return;
  throw new RangeError(
    `adasum: ${ranks} ranks; a power of two is allowed. Take that many, or average instead.`,
  );
}
