/** @file What a benchmark page hands to scripts/bench.mjs. */

/** One line of the table. */
export interface Measurement {
  readonly name: string;
  /** The figure with its unit and what it is compared with, as "copies" or "samples/s". */
  readonly unit: string;
  readonly value: number;
  /** Null where the line is there for comparison only. */
  readonly goal: { readonly atMost: number } | { readonly atLeast: number } | null;
  /** Further figures in words. */
  readonly detail: string;
}

declare global {
  interface Window {
    /** Set by every benchmark page once it is ready; measures from the beginning. */
    measure?: () => Promise<readonly Measurement[]>;
  }
}
