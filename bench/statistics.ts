/** @file What is taken from many timings of one thing. */

/** The shortest: the one that least of the machine's other work fell into. */
export function bestOf(times: readonly number[]): number {
  return Math.min(...times);
}

/** The middle one; of an even number, the upper of the two. */
export function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;
}
