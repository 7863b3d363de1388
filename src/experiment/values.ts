/** @file An experiment as flat values by field path, and back to its nested form. */
import type { Field, FieldValue } from './field.ts';
import { FIELDS, type FieldPath, isPresent, type ValueAt } from './fields.ts';

/** A value for every field of the table, present or not. */
export type Values = { readonly [Path in FieldPath]: ValueAt<Path> };

/** The fields that an experiment with these values has, in the table's order. */
export function presentFields(values: Readonly<Record<string, unknown>>): readonly Field[] {
  return FIELDS.filter((field) => isPresent(field, (path) => values[path]));
}

/** Nested objects from paths: {'a.b': 1} gives {a: {b: 1}}. Paths come from the field table. */
export function nest(entries: Iterable<readonly [string, unknown]>): Record<string, unknown> {
  const root: Record<string, unknown> = {};
  for (const [path, value] of entries) {
    const [head, leaf] = splitPath(path);
    if (leaf === null) root[head] = value;
    else root[head] = { ...(root[head] as object | undefined), [leaf]: value };
  }
  return root;
}

/** The value at a field's path, or undefined where there is none. Reads own fields only. */
export function valueAt(nested: unknown, path: string): FieldValue | undefined {
  const [head, leaf] = splitPath(path);
  const first = ownValue(nested, head);
  return (leaf === null ? first : ownValue(first, leaf)) as FieldValue | undefined;
}

/** "optimizer.momentum" has the head "optimizer" and the leaf "momentum"; "seed" has no leaf. */
export function splitPath(path: string): readonly [head: string, leaf: string | null] {
  const dot = path.indexOf('.');
  return dot < 0 ? [path, null] : [path.slice(0, dot), path.slice(dot + 1)];
}

/** An own property of an object, or undefined. */
export function ownValue(object: unknown, key: string): unknown {
  if (typeof object !== 'object' || object === null || !Object.hasOwn(object, key))
    return undefined;
  return (object as Record<string, unknown>)[key];
}
