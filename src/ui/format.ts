/** @file Numbers as the page writes them, in the reader's language, with the unit apart. */
import type { Locale } from '#i18n/translate';

export interface Figure {
  readonly value: string;
  readonly unit: string;
}

const formats = new Map<string, Intl.NumberFormat>();

/** Making a format costs far more than using it. */
function format(locale: Locale, least: number, most: number): Intl.NumberFormat {
  const key = `${locale} ${least} ${most}`;
  const known = formats.get(key);
  if (known) return known;
  const made = new Intl.NumberFormat(locale, {
    minimumFractionDigits: least,
    maximumFractionDigits: most,
  });
  formats.set(key, made);
  return made;
}

export function count(locale: Locale, value: number): string {
  return format(locale, 0, 0).format(value);
}

/** Where plain digits would not fit their place any more. */
const EXPONENT_FROM = 1e5;
const DECIMAL_SIGN = { en: '.', ru: ',' } as const;

/** 123456 as "1.23e5": three significant digits, trailing zeros left out. */
function exponent(locale: Locale, value: number): string {
  const [digits = '', power = ''] = value.toExponential(2).split('e+');
  return `${String(Number(digits)).replace('.', DECIMAL_SIGN[locale])}e${power}`;
}

/** A loss in nats: three decimals, fewer where it is large, an exponent from 1e5 up. */
export function loss(locale: Locale, value: number): string {
  if (!Number.isFinite(value)) return 'NaN';
  if (value >= EXPONENT_FROM) return exponent(locale, value);
  const decimals = value >= 100 ? 1 : value >= 10 ? 2 : value >= 0.01 ? 3 : 4;
  return format(locale, decimals, decimals).format(value);
}

/** The end of a value axis: as few decimals as it needs, two at most; an exponent from 1e5 up. */
export function tick(locale: Locale, value: number): string {
  if (value >= EXPONENT_FROM) return exponent(locale, value);
  return format(locale, 0, 2).format(value);
}

/** 0.946 as "94.6". */
export function percent(locale: Locale, share: number, decimals = 1): string {
  return format(locale, decimals, decimals).format(100 * share);
}

/**
 * Shares of a whole as whole percents that add up to 100: rounded down, and what is missing goes
 * to the largest remainders (Hamilton's method).
 */
export function wholePercents(shares: readonly number[]): readonly number[] {
  const floors = shares.map((share) => Math.floor(100 * share));
  const missing = 100 - floors.reduce((sum, floor) => sum + floor, 0);
  const remainder = (i: number): number => 100 * (shares[i] ?? 0) - (floors[i] ?? 0);
  const raised = [...shares.keys()].sort((a, b) => remainder(b) - remainder(a)).slice(0, missing);
  return floors.map((floor, i) => (raised.includes(i) ? floor + 1 : floor));
}

const BYTE_UNITS = {
  en: ['B', 'kB', 'MB', 'GB'],
  ru: ['Б', 'кБ', 'МБ', 'ГБ'],
} as const satisfies Record<Locale, readonly string[]>;

/** Decimal units, three significant digits: 1 kB is 1,000 bytes. */
export function bytes(locale: Locale, value: number): Figure {
  let scaled = value;
  let unit = 0;
  while (scaled >= 999.5 && unit < 3) {
    scaled /= 1000;
    unit++;
  }
  const decimals = unit === 0 || scaled >= 99.95 ? 0 : scaled >= 9.995 ? 1 : 2;
  return {
    value: format(locale, 0, decimals).format(scaled),
    unit: BYTE_UNITS[locale][unit] ?? '',
  };
}

const MILLISECONDS = { en: 'ms', ru: 'мс' } as const;
const MICROSECONDS = { en: 'µs', ru: 'мкс' } as const;
const SECONDS = { en: 's', ru: 'с' } as const;

/** Milliseconds as µs, ms or s, three significant digits. */
export function duration(locale: Locale, ms: number): Figure {
  if (ms >= 1000) return { value: format(locale, 1, 2).format(ms / 1000), unit: SECONDS[locale] };
  if (ms < 0.1)
    return { value: format(locale, 0, 1).format(ms * 1000), unit: MICROSECONDS[locale] };
  const decimals = ms >= 100 ? 0 : ms >= 10 ? 1 : 2;
  return { value: format(locale, decimals, decimals).format(ms), unit: MILLISECONDS[locale] };
}

/** A rate to three significant digits: 3,120, 45.2, 812,000. */
export function rate(locale: Locale, perSecond: number): string {
  const decimals = perSecond >= 100 ? 0 : perSecond >= 10 ? 1 : 2;
  const digits = perSecond >= 1000 ? Number(perSecond.toPrecision(3)) : perSecond;
  return format(locale, 0, decimals).format(digits);
}

/** Figure as text: "24.4 kB". */
export function figure({ value, unit }: Figure): string {
  return `${value}\u00a0${unit}`;
}

/** Sixteen hex digits cut to eight, in two groups: enough to see that two differ. */
export function shortHash(hash: string): string {
  return `${hash.slice(0, 4)}\u00b7${hash.slice(4, 8)}`;
}
