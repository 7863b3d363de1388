/**
 * @file A series of numbers with bounded memory: when full, neighbouring points are merged, and
 * a merged point keeps the least and the greatest value it stands for, so that no spike is lost.
 */

/** One point of a series; stands for `count` values ending at `step`. */
export interface SeriesPoint {
  /** Completed steps at the last value merged into this point. */
  readonly step: number;
  /** Samples seen by all ranks together at that value. */
  readonly samples: number;
  readonly mean: number;
  readonly min: number;
  readonly max: number;
  readonly count: number;
}

export interface Series {
  /** Adds a value; `step` must not fall. Values that are not finite are left out. */
  push(step: number, samples: number, value: number): void;
  /** All points, oldest first; the array is the series' own and changes with the next push. */
  points(): readonly SeriesPoint[];
  /** The latest value itself, or null. */
  last(): SeriesPoint | null;
  /** Drops all points that end after `step`. */
  cutAfter(step: number): void;
  clear(): void;
}

function merge(a: SeriesPoint, b: SeriesPoint): SeriesPoint {
  const count = a.count + b.count;
  return {
    step: b.step,
    samples: b.samples,
    mean: (a.mean * a.count + b.mean * b.count) / count,
    min: Math.min(a.min, b.min),
    max: Math.max(a.max, b.max),
    count,
  };
}

/** Merges points pairwise; an odd one at the end stays as it is. */
function halve(points: readonly SeriesPoint[]): SeriesPoint[] {
  const merged: SeriesPoint[] = [];
  for (let i = 0; i < points.length; i += 2) {
    const [a, b] = [points[i], points[i + 1]];
    if (a) merged.push(b ? merge(a, b) : a);
  }
  return merged;
}

/** A series of at most `capacity` points (at least 2). */
export function createSeries(capacity: number): Series {
  if (!(capacity >= 2)) throw new RangeError(`createSeries(${capacity}): 2 or more is allowed`);
  let points: SeriesPoint[] = [];
  let latest: SeriesPoint | null = null;
  /** Values a full point stands for; doubles with each halving. */
  let stride = 1;

  return {
    push(step, samples, value) {
      if (!Number.isFinite(value)) return;
      latest = { step, samples, mean: value, min: value, max: value, count: 1 };
      const open = points.at(-1);
      if (open && open.count < stride) {
        points[points.length - 1] = merge(open, latest);
        return;
      }
      if (points.length >= capacity) {
        points = halve(points);
        stride *= 2;
      }
      points.push(latest);
    },
    points: () => points,
    last: () => latest,
    cutAfter(step) {
      points = points.filter((point) => point.step <= step);
      latest = points.at(-1) ?? null;
    },
    clear() {
      points = [];
      latest = null;
      stride = 1;
    },
  };
}
