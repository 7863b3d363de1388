/** @file How long the slowest of many ranks takes: the expected maximum of normal deviates. */

const LIMIT = 8;
const INTERVALS = 2000;
const known = new Map<number, number>();

/**
 * E[max] of `count` independent standard normals: 0.564 for 2, 1.424 for 8, 3.248 for 1024. The
 * integral of 1 - F(x)^n above zero less that of F(x)^n below it, by the trapezoidal rule.
 */
export function expectedMaximum(count: number): number {
  const before = known.get(count);
  if (before !== undefined) return before;
  const step = LIMIT / INTERVALS;
  let sum = (1 - 2 * 0.5 ** count) / 2;
  for (let i = 1; i <= INTERVALS; i++) {
    const upper = NORMAL[i] ?? 1;
    sum += 1 - upper ** count - (1 - upper) ** count;
  }
  const value = count === 1 ? 0 : sum * step;
  known.set(count, value);
  return value;
}

/** The normal distribution function at i LIMIT / INTERVALS, by Simpson's rule. */
const NORMAL: readonly number[] = (() => {
  const density = (x: number) => Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);
  const step = LIMIT / INTERVALS;
  const values = [0.5];
  for (let i = 1; i <= INTERVALS; i++) {
    const [left, right] = [(i - 1) * step, i * step];
    const area = (step / 6) * (density(left) + 4 * density((left + right) / 2) + density(right));
    values.push((values[i - 1] ?? 0) + area);
  }
  return values;
})();
