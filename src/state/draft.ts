/**
 * @file The draft: the experiment as the fields show it, which may be wrong for a while. It is
 * plain JSON, edited by path and judged by the one parser.
 */

export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value at a dotted path ("optimizer.momentum"), or undefined. */
export function valueAt(draft: JsonObject, path: string): Json | undefined {
  let value: Json | undefined = draft;
  for (const key of path.split('.')) {
    if (!isObject(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

/** A copy of the draft with the value at a dotted path replaced; objects on the way are made. */
export function withValue(draft: JsonObject, path: string, value: Json): JsonObject {
  const [key, ...rest] = path.split('.');
  if (key === undefined || key === '') return draft;
  if (rest.length === 0) return { ...draft, [key]: value };
  const inner = draft[key];
  return { ...draft, [key]: withValue(isObject(inner) ? inner : {}, rest.join('.'), value) };
}

/**
 * What a learner typed into a number field, as JSON: a number where it is one ("0,1" and "1e-3"
 * too), else the text itself, for the parser to refuse at its field.
 */
export function numberFromText(text: string): Json {
  const trimmed = text
    .trim()
    .replace(/[\s\u00a0\u202f]/g, '')
    .replace('\u2212', '-');
  const number = Number(trimmed.replace(',', '.'));
  return trimmed !== '' && Number.isFinite(number) ? number : text;
}

/** "128, 64" as [128, 64]; parts that are no numbers stay text. */
export function listFromText(text: string): Json {
  const parts = text.split(/[\s,;]+/).filter((part) => part !== '');
  return parts.map(numberFromText);
}

/** A text's lines, without those that hold nothing. */
export function linesFromText(text: string): Json {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** A copy of the draft with nothing at a dotted path. */
export function without(draft: JsonObject, path: string): JsonObject {
  const [key = '', ...rest] = path.split('.');
  const { [key]: inner, ...others } = draft;
  if (rest.length === 0 || inner === undefined) return others;
  return { ...others, [key]: isObject(inner) ? without(inner, rest.join('.')) : inner };
}
