/**
 * @file How long a rank's computations take on the modelled cluster: what decides the order of
 * events where ranks do not wait for each other. Wall time has no part in it.
 */
import { PURPOSE, randomStream } from '#core/random';

/** Cluster time of a rank's n-th gradient, counted from 0. Positive; does not depend on values. */
export type DurationNs = (rank: number, computation: number) => number;

export interface Speeds {
  readonly seed: number;
  /** Rank r takes slowdowns[r] times as long; 1 where the list ends. */
  readonly slowdowns: readonly number[];
  /** Deviation of the logarithm of each duration; 0 is none. */
  readonly jitter: number;
}

/** What one gradient takes on a rank that nothing slows down. */
export const COMPUTATION_NS = 1_000_000;

/** Durations with each rank's slow-down and lognormal jitter, drawn anew for every computation. */
export function createDurations({ seed, slowdowns, jitter }: Speeds): DurationNs {
  return (rank, computation) => {
    const durationNs = COMPUTATION_NS * (slowdowns[rank] ?? 1);
    if (jitter === 0) return durationNs;
    const { normal } = randomStream(seed, PURPOSE.computationJitter, rank, computation);
    return durationNs * Math.exp(jitter * normal());
  };
}
