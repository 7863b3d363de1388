/** @file Loss and accuracy from logits, in float64 on the host: the same for every backend. */
import type { EvaluationResult } from './engine.ts';

/** Index of the largest of `count` values from `start`; the first of equals. */
function argmax(values: Float32Array, start: number, count: number): number {
  let best = 0;
  for (let j = 1; j < count; j++) {
    if ((values[start + j] ?? 0) > (values[start + best] ?? 0)) best = j;
  }
  return best;
}

/** log(sum(exp(values))) of `count` values from `start`, shifted by the maximum. */
function logSumExp(values: Float32Array, start: number, count: number): number {
  const largest = values[start + argmax(values, start, count)] ?? 0;
  let sum = 0;
  for (let j = 0; j < count; j++) sum += Math.exp((values[start + j] ?? 0) - largest);
  return largest + Math.log(sum);
}

/** Sums of cross-entropy (nats) and of right predictions over rows of `classes` logits. */
export function scoreLogits(
  logits: Float32Array,
  labels: Int32Array,
  classes: number,
): EvaluationResult {
  let lossSum = 0;
  let correct = 0;
  labels.forEach((label, row) => {
    const start = row * classes;
    lossSum += logSumExp(logits, start, classes) - (logits[start + label] ?? Number.NaN);
    if (argmax(logits, start, classes) === label) correct++;
  });
  return { lossSum, correct, count: labels.length };
}
