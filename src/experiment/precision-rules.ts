/** @file Rules between fields of precision and loss scaling. */
import type { Experiment } from './experiment.ts';
import type { Fault, Rule } from './rule.ts';

export const PRECISION_RULES: readonly Rule[] = [
  { path: 'lossScaling.kind', reads: ['precision.format'], fault: fp8NeedsScaling },
];

function fp8NeedsScaling({ precision, lossScaling }: Experiment): Fault {
  const isFp8 = precision.format === 'e4m3' || precision.format === 'e5m2';
  if (!isFp8 || lossScaling.kind !== 'none') return null;
  return { message: 'problem.fp8NeedsScaling', parameters: {} };
}
