/** @file Faults that a rank's own arithmetic suffers, as the experiment's script has them. */
import { type Fault, isSilent } from '#core/faults';
import type { Plan } from '#core/plan';

export interface Sabotage {
  /** Whether the gradient of a step comes out as NaN. */
  spoilsGradient(step: number): boolean;
  /** Flips one bit of the weights if this is the step for it. */
  flipsBit(step: number, weights: Float32Array): void;
}

/** A high bit of the exponent: the weight becomes absurd, but stays a number more often than not. */
const FLIPPED_BIT = 1 << 27;

/** What the plan's faults do to `rank`; null where they do nothing. */
export function createSabotage({ recovery }: Plan, rank: number): Sabotage | null {
  const own = recovery.faults.filter(({ kind, ranks }) => isSilent(kind) && ranks.includes(rank));
  if (own.length === 0) return null;
  const due = (kind: Fault['kind'], step: number): boolean =>
    own.some((fault) => fault.kind === kind && fault.step === step);
  return {
    spoilsGradient: (step) => due('nan', step),
    flipsBit(step, weights) {
      if (!due('flip', step)) return;
      const words = new Int32Array(weights.buffer, weights.byteOffset, weights.length);
      const middle = words.length >> 1;
      words[middle] = (words[middle] ?? 0) ^ FLIPPED_BIT;
    },
  };
}
