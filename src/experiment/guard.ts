/** @file The first look at input of unknown origin: only small, plain JSON goes on to the parser. */
import type { Problem } from './experiment.ts';

/** Levels of nesting, fields and elements in all, characters of one text or name. */
export const INPUT_LIMITS = { depth: 3, fields: 200, characters: 100 } as const;

/** Longest JSON text that is read at all, in UTF-16 units. */
export const LONGEST_TEXT = 65_536;

/**
 * The first thing about `input` that no experiment can have: too deep, too many fields, too long a
 * text. Looks at no more than the limits allow, so that hostile input costs nothing.
 */
export function findOversize(input: unknown): Problem | null {
  let fields = 0;
  const visit = (value: unknown, path: string, depth: number): Problem | null => {
    if (typeof value === 'string') {
      return value.length > INPUT_LIMITS.characters
        ? tooBig(path, `${value.length} characters`)
        : null;
    }
    if (typeof value !== 'object' || value === null) return null;
    if (depth > INPUT_LIMITS.depth) return tooBig(path, `level ${depth}`);
    // A long list is not turned into a million keys only to be counted.
    const keys =
      Array.isArray(value) && value.length > INPUT_LIMITS.fields ? value : Object.keys(value);
    fields += keys.length;
    if (fields > INPUT_LIMITS.fields) return tooBig(path, `${keys.length} fields`);
    for (const key of keys) {
      if (key.length > INPUT_LIMITS.characters)
        return tooBig(path, `a name of ${key.length} characters`);
      const inner = path === '' ? key : `${path}.${key}`;
      const problem = visit((value as Record<string, unknown>)[key], inner, depth + 1);
      if (problem !== null) return problem;
    }
    return null;
  };
  return visit(input, '', 1);
}

/** A problem with the size of the part of the input at `path`. */
export function tooBig(path: string, found: string): Problem {
  return { path, found, message: 'problem.tooBig', parameters: INPUT_LIMITS };
}

/** An object as JSON has it: no array, no instance of a class. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}
