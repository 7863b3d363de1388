/** @file Geometry of the small charts: scales, paths, labels that keep apart. Pure. */
import type { SeriesPoint } from '#state/series';

export type Axis = 'step' | 'samples';

/** Pixels of the plot within its picture. */
export interface Frame {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

export interface Scales {
  x(value: number): number;
  y(value: number): number;
}

/** The least of 1, 2, 2.5, 5 times a power of ten that is not below `value`. */
export function niceCeiling(value: number): number {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const factor = [1, 2, 2.5, 5, 10].find((f) => f * power >= value * (1 - 1e-9)) ?? 10;
  return Number((factor * power).toPrecision(3));
}

export function scales(frame: Frame, xMost: number, yMost: number): Scales {
  const width = frame.right - frame.left;
  const height = frame.bottom - frame.top;
  return {
    x: (value) => frame.left + (Math.min(value, xMost) / Math.max(xMost, 1)) * width,
    y: (value) => frame.bottom - (Math.min(value, yMost) / yMost) * height,
  };
}

/** A polyline through the means; empty for an empty series. */
export function linePath(points: readonly SeriesPoint[], axis: Axis, at: Scales): string {
  const parts = points.map((p) => `${at.x(p[axis]).toFixed(1)} ${at.y(p.mean).toFixed(1)}`);
  return parts.length === 0 ? '' : `M${parts.join('L')}`;
}

/** The area between least and greatest, where points stand for more than one value. */
export function bandPath(points: readonly SeriesPoint[], axis: Axis, at: Scales): string {
  const wide = points.filter((p) => p.count > 1);
  if (wide.length < 2) return '';
  const upper = wide.map((p) => `${at.x(p[axis]).toFixed(1)} ${at.y(p.max).toFixed(1)}`);
  const lower = wide.map((p) => `${at.x(p[axis]).toFixed(1)} ${at.y(p.min).toFixed(1)}`).reverse();
  return `M${[...upper, ...lower].join('L')}Z`;
}

/** Moves labels apart to at least `gap`, in their order, and keeps them within the frame. */
export function spread(wanted: readonly number[], gap: number, frame: Frame): readonly number[] {
  const order = [...wanted.keys()].sort((a, b) => (wanted[a] ?? 0) - (wanted[b] ?? 0));
  const placed = [...wanted];
  let least = frame.top;
  for (const i of order) {
    placed[i] = Math.max(placed[i] ?? 0, least);
    least = (placed[i] ?? 0) + gap;
  }
  let most = frame.bottom;
  for (const i of order.reverse()) {
    placed[i] = Math.min(placed[i] ?? 0, most);
    most = (placed[i] ?? 0) - gap;
  }
  return placed;
}
