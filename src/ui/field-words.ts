/** @file Words of fields and choices, short enough for a control where the table's are long. */
import type { Experiment } from '#experiment/experiment';
import type { Field, Unit } from '#experiment/field';
import type { FieldPath } from '#experiment/fields';
import { isMessageKey } from '#i18n/translate';
import type { Text } from './lab-context.ts';
import type { Choice } from './segments.tsx';

export function fieldLabel(t: Text, path: FieldPath): string {
  return t(`field.${path}.label`);
}

/** Units that a field's name does not say by itself; counts of things it does. */
const QUANTITIES: readonly (Unit | null)[] = [
  'teraflops',
  'gigabytesPerSecond',
  'gigabitsPerSecond',
  'microseconds',
  'seconds',
  'samplesPerSecond',
  'hours',
  'mebibytes',
  'kibibytes',
];

/** "GB/s" for a field that holds a quantity; empty for counts and for numbers without a unit. */
export function quantityUnit(t: Text, field: Field): string {
  if (!('unit' in field) || field.unit === null || !QUANTITIES.includes(field.unit)) return '';
  return t(`unit.${field.unit}`, { count: 2 }).replace(/^2\s*/, '');
}

/** A choice's label; the full one as its title where the page has a shorter one. */
export function choiceLabel(t: Text, path: FieldPath, value: string): Choice {
  const key = `choice.${path}.${value}`;
  const full = isMessageKey(key) ? t(key) : value;
  const shortKey = `page.short.${path}.${value}`;
  return isMessageKey(shortKey)
    ? { value, label: t(shortKey), title: full }
    : { value, label: full };
}

/** Which synchronisation, and how often where it averages weights now and then. */
export function syncSummary(t: Text, sync: Experiment['sync']): string {
  const name = t(`choice.sync.kind.${sync.kind}`);
  return 'period' in sync ? t('page.summary.sync', { sync: name, count: sync.period }) : name;
}
