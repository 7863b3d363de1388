/** @file Faults that befall ranks, by schedule or by hand: one line each, as "kill 2 @ 40". */

/**
 * kill: the worker is terminated. hang: it stops without a word. link: it can no longer be reached.
 * split: the network falls apart between these ranks and the others. nan: its gradient becomes NaN.
 * flip: a bit of its weights flips and nothing says so.
 */
export const FAULT_KINDS = ['kill', 'hang', 'link', 'split', 'nan', 'flip'] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

export interface Fault {
  readonly kind: FaultKind;
  /** Ranks as they are numbered when it happens, ascending. */
  readonly ranks: readonly number[];
  /** The step in the middle of which it happens. */
  readonly step: number;
}

/** What a line looks like; for validators. */
export const FAULT_PATTERN = `^(${FAULT_KINDS.join('|')}) [0-9]{1,2}(\\+[0-9]{1,2})* @ [0-9]{1,7}$`;

const LINE = new RegExp(FAULT_PATTERN);

/** The fault of a line, or null for a line that is none. */
export function parseFault(line: string): Fault | null {
  if (!LINE.test(line)) return null;
  const [kind = '', ranks = '', , step = ''] = line.split(' ');
  const numbers = [...new Set(ranks.split('+').map(Number))].sort((a, b) => a - b);
  return { kind: kind as FaultKind, ranks: numbers, step: Number(step) };
}

/**
 * The faults of a script in the order in which they happen: by step; within one those from outside,
 * then gradients, then weights; else in the order of their lines.
 */
export function parseFaults(lines: readonly string[]): Fault[] {
  const faults = lines.flatMap((line) => parseFault(line) ?? []);
  return faults.sort((a, b) => a.step - b.step || placeInStep(a.kind) - placeInStep(b.kind));
}

function placeInStep(kind: FaultKind): number {
  if (kind === 'nan') return 1;
  return kind === 'flip' ? 2 : 0;
}

/** Faults that a rank inflicts on itself while it computes; the others come from outside. */
export function isSilent(kind: FaultKind): kind is 'nan' | 'flip' {
  return kind === 'nan' || kind === 'flip';
}
