/** @file The given input as leaves by path, and a complete draft from leaves and defaults. */
import { CHOICE_PATHS, type Choices } from './defaults.ts';
import { EXPERIMENT_VERSION } from './experiment.ts';
import { FIELDS, fieldAt } from './fields.ts';
import { isPlainObject } from './guard.ts';
import { nest, presentFields, splitPath, type Values } from './values.ts';

export type Leaves = ReadonlyMap<string, unknown>;

/** Objects that hold fields: data, model, duration, ... */
export const SECTIONS: ReadonlySet<string> = new Set(
  FIELDS.map(({ path }) => splitPath(path)).flatMap(([head, leaf]) =>
    leaf === null ? [] : [head],
  ),
);

/**
 * Values by path as they were given, but for the version and what is undefined. A section that is
 * no object stands under its own name; a name with a dot in it is quoted, so it is no path.
 */
export function readLeaves(input: Readonly<Record<string, unknown>>): Leaves {
  const leaves = new Map<string, unknown>();
  const add = (path: string, value: unknown) => {
    if (value !== undefined) leaves.set(path, value);
  };
  for (const [key, value] of Object.entries(input)) {
    if (key === 'version') continue;
    if (!SECTIONS.has(key) || !isPlainObject(value)) {
      add(key.includes('.') ? JSON.stringify(key) : key, value);
      continue;
    }
    for (const [name, inner] of Object.entries(value)) add(`${key}.${name}`, inner);
  }
  return leaves;
}

/** The given choices that are allowed; for the others the draft takes the default. */
export function validChoices(leaves: Leaves): Choices {
  const valid = CHOICE_PATHS.flatMap((path) => {
    const value = leaves.get(path);
    const field = fieldAt(path);
    return field.kind === 'choice' && field.choices.includes(value as string)
      ? [[path, value]]
      : [];
  });
  return Object.fromEntries(valid) as Choices;
}

/** All fields that these choices have: as given where given, else the default. */
export function draftFrom(leaves: Leaves, defaults: Values): Record<string, unknown> {
  const byPath: Readonly<Record<string, unknown>> = defaults;
  const entries = presentFields(defaults).map(({ path }): [string, unknown] => [
    path,
    leaves.has(path) ? leaves.get(path) : byPath[path],
  ]);
  return { version: EXPERIMENT_VERSION, ...nest(entries) };
}

/**
 * Names that may stand where `path` does: fields of its section, or top-level names. `paths` are the
 * fields to choose from.
 */
export function namesBeside(
  path: string,
  paths: readonly string[] = FIELDS.map((field) => field.path),
): readonly string[] {
  const [section, name] = splitPath(path);
  const names = paths.map(splitPath).flatMap(([head, leaf]) => {
    if (name === null || !SECTIONS.has(section)) return [head];
    return head === section && leaf !== null ? [leaf] : [];
  });
  return [...new Set(names)];
}
