/** @file Bars of the wall-time strip, from wall records. Pure. */
import type { WallRecord } from '#run/log';

export interface StripGeometry {
  /** SVG paths, one a kind of bar. */
  readonly paths: {
    readonly compute: string;
    readonly communicate: string;
    readonly update: string;
    readonly other: string;
  };
  /** Vertical lines where a record begins and the last one ends. */
  readonly edges: string;
  readonly steps: readonly { readonly step: number; readonly x: number; readonly width: number }[];
  /** Wall time of the whole strip. */
  readonly totalMs: number;
}

/** Pixels between two bars side by side. */
const GAP = 1.5;
const LEAST_BAR = 0.75;

function bar(x: number, y: number, width: number, height: number): string {
  const w = Math.max(LEAST_BAR, width - GAP);
  const r = Math.min(4, w / 2, height / 2);
  const f = (value: number): string => value.toFixed(2);
  return (
    `M${f(x + r)} ${f(y)}h${f(w - 2 * r)}a${f(r)} ${f(r)} 0 0 1 ${f(r)} ${f(r)}v${f(height - 2 * r)}` +
    `a${f(r)} ${f(r)} 0 0 1 ${f(-r)} ${f(r)}h${f(2 * r - w)}a${f(r)} ${f(r)} 0 0 1 ${f(-r)} ${f(-r)}` +
    `v${f(2 * r - height)}a${f(r)} ${f(r)} 0 0 1 ${f(r)} ${f(-r)}z`
  );
}

/** Milliseconds from a rank's first work to the end of its exchange. */
function toExchangeEndMs(record: WallRecord, rank: number): number {
  return (record.computeMs[rank] ?? 0) + (record.communicateMs[rank] ?? 0);
}

/** The longest way to the end of the exchange, which all ranks reach together. */
function jointMs(record: WallRecord): number {
  return Math.max(...record.computeMs.map((_, rank) => toExchangeEndMs(record, rank)), 0);
}

/** Milliseconds in which some rank did something that was measured. */
function busyMs(record: WallRecord): number {
  return jointMs(record) + Math.max(...record.updateMs, 0);
}

/**
 * How long each record lasted. Records are timed where they are gathered, several at once, so
 * their wall time is sound in sum only: the sum is shared out by the busiest ranks' own clocks.
 */
function spansMs(records: readonly WallRecord[]): readonly number[] {
  const busy = records.map(busyMs);
  const busySum = busy.reduce((sum, ms) => sum + ms, 0);
  const wallSum = records.reduce((sum, record) => sum + record.wallMs, 0);
  if (busySum === 0) return records.map((record) => record.wallMs);
  return busy.map((ms) => ms * Math.max(1, wallSum / busySum));
}

/**
 * Records lie one after another on `width` pixels, each as wide as it lasted; in each, a rank
 * computes, communicates and updates, and what is left is the rest. An all-reduce ends for all
 * ranks at once, so that is where their bars are aligned. Rows are ranks.
 */
export function stripGeometry(
  records: readonly WallRecord[],
  ranks: number,
  width: number,
  height: number,
): StripGeometry {
  const spans = spansMs(records);
  const totalMs = spans.reduce((sum, ms) => sum + ms, 0);
  const perMs = totalMs > 0 ? width / totalMs : 0;
  const row = height / Math.max(1, ranks);
  const barHeight = Math.max(2, Math.min(row - 2, 0.78 * row));
  const paths = { compute: '', communicate: '', update: '', other: '' };
  const steps: { step: number; x: number; width: number }[] = [];
  let edges = '';
  let start = 0;
  for (const [i, record] of records.entries()) {
    const span = (spans[i] ?? 0) * perMs;
    edges += `M${start.toFixed(2)} 0V${height}`;
    steps.push({ step: record.step, x: start, width: span });
    for (let rank = 0; rank < ranks; rank++) {
      const y = rank * row + (row - barHeight) / 2;
      const lead = (jointMs(record) - toExchangeEndMs(record, rank)) * perMs;
      if (lead > GAP + 1) paths.other += bar(start, y, lead, barHeight);
      let x = start + lead;
      for (const [kind, ms] of [
        ['compute', record.computeMs[rank] ?? 0],
        ['communicate', record.communicateMs[rank] ?? 0],
        ['update', record.updateMs[rank] ?? 0],
      ] as const) {
        if (ms <= 0) continue;
        paths[kind] += bar(x, y, ms * perMs, barHeight);
        x += ms * perMs;
      }
      const rest = start + span - x;
      if (rest > GAP + 1) paths.other += bar(x, y, rest, barHeight);
    }
    start += span;
  }
  if (records.length > 0) edges += `M${(width - 0.5).toFixed(2)} 0V${height}`;
  return { paths, edges, steps, totalMs };
}
