import { expect, test } from 'vitest';
import { defaultsFor } from './defaults.ts';
import type { Field } from './field.ts';
import { FIELDS, findField } from './fields.ts';
import { dataNames, variantsOf } from './sections.ts';

const isAllowed = (field: Field, value: unknown): boolean => {
  if (field.kind === 'choice') return field.choices.includes(value as string);
  if (field.kind === 'switch') return typeof value === 'boolean';
  if (field.kind === 'script') return Array.isArray(value) && value.length === 0;
  const numbers = (Array.isArray(value) ? value : [value]) as number[];
  return numbers.every((n) => n >= field.minimum && n <= field.maximum);
};

test('EX-1 every default lies within its limits, for every data set', () => {
  for (const name of dataNames()) {
    const values: Readonly<Record<string, unknown>> = defaultsFor({ 'data.name': name });
    for (const field of FIELDS) {
      expect(isAllowed(field, values[field.path]), `${name} ${field.path}`).toBe(true);
    }
  }
});

test('EX-1 paths are unique, conditions name choices, slider steps lie within the limits', () => {
  expect(new Set(FIELDS.map(({ path }) => path)).size).toBe(FIELDS.length);
  for (const field of FIELDS as readonly Field[]) {
    const { when } = field;
    if (when !== undefined) {
      const choice = findField(when.path);
      expect(when.values.every((value) => choice !== undefined && isAllowed(choice, value))).toBe(
        true,
      );
    }
    const steps = 'scale' in field && typeof field.scale === 'object' ? field.scale.steps : [];
    expect(isAllowed(field, steps.length > 0 ? steps : field.default), field.path).toBe(true);
    expect(steps).toEqual([...steps].sort((a, b) => a - b));
  }
});

test('EX-10 variants of a section: alike ones are one, and some choice may be left out', () => {
  const brief = (section: string) =>
    variantsOf(section).map(({ choice, isDefault, fields }) => [
      choice?.values.join(' '),
      isDefault,
      fields.length,
    ]);
  expect(brief('optimizer')).toEqual([
    ['sgd', true, 4],
    ['adam adamw lamb', true, 5],
    ['lars', false, 4],
  ]);
  expect(brief('learningRate')).toEqual([
    ['none cosine', true, 5],
    ['step', false, 7],
  ]);
  expect(brief('compression').map(([kinds]) => kinds)).toEqual([
    'none signSgd efSignSgd',
    'cast',
    'topK',
    'randomK',
    'dgc',
    'qsgd',
    'ternGrad',
    'oneBit',
    'powerSgd',
  ]);
  expect(brief('data')).toEqual([
    ['mnist', true, 3],
    ['spirals moons circles xor', false, 3],
    ['moby-dick', false, 1],
  ]);
  expect(brief('buckets')).toEqual([
    ['ddp', true, 3],
    ['horovod', false, 2],
  ]);
  expect(brief('measure')).toEqual([[undefined, true, 1]]);
});
