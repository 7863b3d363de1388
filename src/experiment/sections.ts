/** @file How fields lie together: sections, and the variants of a section that its choice decides. */
import { defaultsFor } from './defaults.ts';
import type { Field } from './field.ts';
import { FIELDS, fieldAt, isPresent } from './fields.ts';
import { splitPath } from './values.ts';

/** The fields of a section under some values of its choice; `choice` is absent where all are there. */
export interface Variant {
  readonly choice: { readonly path: string; readonly values: readonly string[] } | null;
  /** Whether the choice may be left out, because some data set has this variant as its default. */
  readonly isDefault: boolean;
  readonly fields: readonly Field[];
}

/** Top-level names in the table's order: sections, and fields that stand alone. */
export function topLevelNames(): readonly string[] {
  return [...new Set(FIELDS.map(({ path }) => splitPath(path)[0]))];
}

/** The variants of a section; one without a choice where its fields depend on nothing. */
export function variantsOf(section: string): readonly Variant[] {
  const fields = FIELDS.filter(({ path }) => path.startsWith(`${section}.`));
  const conditions = fields.flatMap((field: Field) => field.when?.path ?? []);
  const path = conditions[0];
  if (path === undefined) return [{ choice: null, isDefault: true, fields }];
  const choice = fieldAt(path as (typeof FIELDS)[number]['path']);
  const values = choice.kind === 'choice' ? choice.choices : [];
  return mergeAlike(values.map((value) => variantFor(path, value, fields)));
}

function variantFor(path: string, value: string, fields: readonly Field[]): Variant {
  return {
    choice: { path, values: [value] },
    isDefault: defaultChoices(path).has(value),
    fields: fields.filter((field) => isPresent(field, () => value)),
  };
}

/** Values that a choice takes by itself, over all data sets and formats; of the data only the first. */
function defaultChoices(path: string): ReadonlySet<unknown> {
  const data =
    path === 'data.name'
      ? [defaultsFor({})]
      : [...dataNames().map(defaultsOfData), ...NUMBER_FORMATS.map(defaultsOfFormat)];
  return new Set(data.map((values) => (values as Readonly<Record<string, unknown>>)[path]));
}

/** A narrow format decides how the loss is scaled. */
const NUMBER_FORMATS = ['fp32', 'fp16'] as const;
const defaultsOfFormat = (format: (typeof NUMBER_FORMATS)[number]) =>
  defaultsFor({ 'precision.format': format });

const defaultsOfData = (name: ReturnType<typeof dataNames>[number]) =>
  defaultsFor({ 'data.name': name });

/** All data sets, in the table's order. */
export function dataNames() {
  return FIELDS[0].choices;
}

/** Variants with the same fields become one. */
function mergeAlike(variants: readonly Variant[]): readonly Variant[] {
  const merged = new Map<string, Variant>();
  for (const variant of variants) {
    const key = variant.fields.map(({ path }) => path).join();
    const earlier = merged.get(key);
    merged.set(key, earlier === undefined ? variant : join(earlier, variant));
  }
  return [...merged.values()];
}

function join(a: Variant, b: Variant): Variant {
  if (a.choice === null || b.choice === null) return a;
  const choice = { path: a.choice.path, values: [...a.choice.values, ...b.choice.values] };
  return { choice, isDefault: a.isDefault || b.isDefault, fields: a.fields };
}
