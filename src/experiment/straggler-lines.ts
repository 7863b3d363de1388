/** @file What makes ranks slow on the cluster's clock, one line each, as "slow 3 x2 @ 10-20". */

export const STRAGGLER_KINDS = ['slow', 'jitter', 'hiccup', 'heat', 'link', 'loader'] as const;
export type StragglerKind = (typeof STRAGGLER_KINDS)[number];

/** Times are cluster seconds. */
export interface Straggler {
  readonly kind: StragglerKind;
  readonly ranks: readonly number[] | 'all';
  /**
   * slow, link, loader: so many times as long. jitter: sigma of a lognormal factor a step. hiccup:
   * seconds of each pause. heat: degrees Celsius around the device.
   */
  readonly value: number;
  /** hiccup: seconds from one pause to the next; 0 for the others. */
  readonly every: number;
  readonly from: number;
  /** Infinity where it does not end. */
  readonly until: number;
}

const NUMBER = '[0-9]{1,6}(\\.[0-9]{1,6})?';
const RANKS = '(all|[0-9]{1,2}(\\+[0-9]{1,2})*)';
const VALUE = `(x${NUMBER}|${NUMBER}(/${NUMBER})?)`;

/** What a line looks like; for validators. */
export const STRAGGLER_PATTERN = `^(${STRAGGLER_KINDS.join('|')}) ${RANKS} ${VALUE}( @ ${NUMBER}-${NUMBER})?$`;

const LINE = new RegExp(STRAGGLER_PATTERN);

/** The straggler of a line, or null for a line that is none. */
export function parseStraggler(line: string): Straggler | null {
  if (!LINE.test(line)) return null;
  const [kind = '', ranks = '', value = '', , window = ''] = line.split(' ');
  const [amount = '', every = '0'] = value.replace('x', '').split('/');
  const [from = '0', until = 'Infinity'] = window === '' ? [] : window.split('-');
  return {
    kind: kind as StragglerKind,
    ranks: ranks === 'all' ? 'all' : ranks.split('+').map(Number),
    value: Number(amount),
    every: Number(every),
    from: Number(from),
    until: Number(until),
  };
}

/** Why a straggler cannot be, as the form that its kind wants; null where it can. */
export function wantedForm({ kind, value, every, from, until }: Straggler): string | null {
  if (until <= from) return `${kind} 0 x2 @ 10-20`;
  switch (kind) {
    case 'slow':
    case 'link':
    case 'loader':
      return value >= 1 && every === 0 ? null : `${kind} 0 x2`;
    case 'jitter':
      return value > 0 && value <= 2 && every === 0 ? null : 'jitter all 0.2';
    case 'hiccup':
      return value > 0 && value < every ? null : 'hiccup 0 0.5/5';
    case 'heat':
      return value <= 80 && every === 0 ? null : 'heat 0 35';
  }
}
