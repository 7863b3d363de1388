/** @file Cluster time as a type of its own. It never meets wall time. */

declare const nanoseconds: unique symbol;

/** A moment or a span of cluster time: float64 nanoseconds since the run began. */
export type Ns = number & { readonly [nanoseconds]: true };

const NS_PER_SECOND = 1e9;

/** `value` nanoseconds. Throws RangeError for NaN. */
export function ns(value: number): Ns {
  if (Number.isNaN(value)) throw new RangeError('ns: NaN is no time');
  return value as Ns;
}

export function secondsToNs(seconds: number): Ns {
  return ns(seconds * NS_PER_SECOND);
}
