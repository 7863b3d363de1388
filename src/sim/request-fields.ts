/** @file A small table-driven reader of JSON requests: everything wrong at once, nothing half-accepted. */

/** One fault: where, what was found, and what is allowed and to do. */
export interface RequestFault {
  readonly path: string;
  readonly found: string;
  readonly message: string;
}

export type RequestField =
  | { readonly kind: 'number' | 'integer'; readonly minimum: number; readonly maximum: number }
  | { readonly kind: 'choice'; readonly choices: readonly string[] }
  | { readonly kind: 'switch' };
export type RequestTable = Readonly<Record<string, RequestField>>;

const LONGEST_FOUND = 60;

export function foundIn(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length <= LONGEST_FOUND ? text : `${text.slice(0, LONGEST_FOUND - 1)}…`;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Faults of the fields of `value` by a table; `others` are names that are read elsewhere. Fields that
 * are absent are no fault.
 */
export function fieldFaults(
  value: unknown,
  path: string,
  table: RequestTable,
  others: readonly string[] = [],
): readonly RequestFault[] {
  if (!isObject(value)) {
    return [{ path, found: foundIn(value), message: 'An object is needed: write {...}.' }];
  }
  const names = [...Object.keys(table), ...others];
  return Object.entries(value).flatMap(([name, inner]) => {
    const at = path === '' ? name : `${path}.${name}`;
    if (others.includes(name)) return [];
    const field = Object.hasOwn(table, name) ? table[name] : undefined;
    if (field === undefined) {
      const message = `No such field. Take one of ${names.join(', ')}, or leave it out.`;
      return [{ path: at, found: foundIn(inner), message }];
    }
    const message = faultOf(field, inner);
    return message === null ? [] : [{ path: at, found: foundIn(inner), message }];
  });
}

function faultOf(field: RequestField, value: unknown): string | null {
  switch (field.kind) {
    case 'switch':
      return typeof value === 'boolean' ? null : 'Write true or false.';
    case 'choice':
      return field.choices.includes(value as string)
        ? null
        : `Take one of ${field.choices.join(', ')}.`;
    case 'integer':
    case 'number': {
      const { kind, minimum, maximum } = field;
      const fits = typeof value === 'number' && value >= minimum && value <= maximum;
      if (fits && (kind === 'number' || Number.isInteger(value))) return null;
      const what = kind === 'integer' ? 'A whole number' : 'A number';
      return `${what} from ${minimum} to ${maximum} is allowed; change it or leave it out.`;
    }
  }
}
