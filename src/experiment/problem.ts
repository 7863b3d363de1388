/** @file Problems: what was found, where, and what is allowed, as keys and parameters. */
import type { Problem } from './experiment.ts';
import type { Field } from './field.ts';

const LONGEST_FOUND = 60;

/** Short JSON text of a value; NaN and infinities as JavaScript writes them. */
export function describeFound(value: unknown): string {
  if (typeof value === 'number' || value === undefined) return String(value);
  if (typeof value === 'string') return shorten(JSON.stringify(value.slice(0, LONGEST_FOUND)));
  if (typeof value !== 'object' || value === null) return shorten(String(value));
  try {
    return shorten(JSON.stringify(value));
  } catch {
    return 'an object that JSON cannot write';
  }
}

function shorten(text: string): string {
  return text.length <= LONGEST_FOUND ? text : `${text.slice(0, LONGEST_FOUND - 1)}…`;
}

/** A field's value is not what the table allows. */
export function fieldProblem(field: Field, path: string, found: unknown): Problem {
  return { path, found: describeFound(found), ...allowedBy(field, path, found) };
}

function allowedBy(
  field: Field,
  path: string,
  found: unknown,
): Pick<Problem, 'message' | 'parameters'> {
  switch (field.kind) {
    case 'choice':
      return { message: 'problem.choice', parameters: { allowed: field.choices.join(', ') } };
    case 'switch':
      return { message: 'problem.switch', parameters: {} };
    case 'list': {
      const { minimum, maximum, minimumLength, maximumLength } = field;
      // "model.hidden.1" is one element of the list.
      if (path !== field.path)
        return { message: 'problem.integer', parameters: { minimum, maximum } };
      const parameters = { minimum, maximum, minimumLength, maximumLength };
      return { message: 'problem.list', parameters };
    }
    case 'script': {
      const { example, maximumLength } = field;
      return { message: 'problem.script', parameters: { example, maximumLength } };
    }
    case 'integer':
    case 'number': {
      const { minimum, maximum, tooLow } = field;
      const isLow = typeof found === 'number' && found < minimum;
      const message = (isLow ? tooLow : undefined) ?? (`problem.${field.kind}` as const);
      return { message, parameters: { minimum, maximum } };
    }
  }
}

/** Whether two paths name the same place or one lies inside the other. */
export function overlaps(a: string, b: string): boolean {
  return a === b || a === '' || b === '' || a.startsWith(`${b}.`) || b.startsWith(`${a}.`);
}
