/** @file What the detector says: which rank, what ails it, and the numbers that show it. */

export type Cause =
  /** Its compute takes longer in every step. */
  | 'slowCompute'
  /** It pauses at regular times. */
  | 'hiccup'
  /** Its compute time varies more than its peers'. */
  | 'jitter'
  /** It is hot and slower than it was when it was cool. */
  | 'throttling'
  | 'slowLink'
  | 'slowLoader'
  /** It has not come to the collective in which the others wait. */
  | 'hung'
  /** Its gradient is no number. */
  | 'nanGradient'
  /** Its gradient's norm leaves those of its peers. */
  | 'gradientDrift'
  /** Its weights are not those that most ranks hold. */
  | 'hashDisagrees';

export interface Finding {
  readonly rank: number;
  readonly cause: Cause;
  /** Named numbers, with units in their names where they have one. */
  readonly evidence: Readonly<Record<string, number>>;
}

/** The values of all ranks but one. */
export function othersOf<T>(values: readonly T[], rank: number): T[] {
  return values.filter((_, other) => other !== rank);
}
