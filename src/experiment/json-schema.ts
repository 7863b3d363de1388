/**
 * @file The published JSON Schema (draft 2020-12) of an experiment, made from the field table. It
 * states structure and limits; rules between fields (heads divide the width) are the parser's.
 */
import { EXPERIMENT_VERSION } from './experiment.ts';
import type { Field } from './field.ts';
import { type FieldPath, findField } from './fields.ts';
import { topLevelNames, type Variant, variantsOf } from './sections.ts';
import { splitPath } from './values.ts';

/** Words for a field: a short title and a sentence or two. */
export interface FieldWords {
  readonly title: string;
  readonly description: string;
}

type JsonSchema = Readonly<Record<string, unknown>>;
type WordsFor = (path: FieldPath) => FieldWords;

/** The schema of what a learner may write: every field may be left out, none may be added. */
export function experimentJsonSchema(wordsFor: WordsFor): JsonSchema {
  const names = topLevelNames();
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `urn:ringside:experiment:${EXPERIMENT_VERSION}`,
    title: 'Ringside experiment',
    description:
      'One run of distributed data-parallel training. Every field has a default; unknown fields are refused.',
    type: 'object',
    additionalProperties: false,
    properties: {
      version: { const: EXPERIMENT_VERSION, default: EXPERIMENT_VERSION },
      ...Object.fromEntries(names.map((name) => [name, topLevelSchema(name, wordsFor)])),
    },
  };
}

function topLevelSchema(name: string, wordsFor: WordsFor): JsonSchema {
  const field = findField(name);
  if (field !== undefined) return fieldSchema(field, wordsFor);
  const variants = variantsOf(name).map((variant) => variantSchema(variant, wordsFor));
  const [only, ...others] = variants;
  return only !== undefined && others.length === 0 ? only : { anyOf: variants };
}

function variantSchema({ choice, isDefault, fields }: Variant, wordsFor: WordsFor): JsonSchema {
  const properties = fields.map((field): [string, JsonSchema] => {
    const schema = fieldSchema(field, wordsFor);
    const name = splitPath(field.path)[1] ?? field.path;
    if (field.path !== choice?.path) return [name, schema];
    const { default: value, ...rest } = schema;
    const keep = choice.values.includes(value as string) ? { default: value } : {};
    return [name, { ...rest, enum: choice.values, ...keep }];
  });
  const required = choice === null || isDefault ? {} : { required: [splitPath(choice.path)[1]] };
  return {
    type: 'object',
    additionalProperties: false,
    ...required,
    properties: Object.fromEntries(properties),
  };
}

function fieldSchema(field: Field, wordsFor: WordsFor): JsonSchema {
  return {
    ...wordsFor(field.path as FieldPath),
    ...limits(field),
    default: field.default,
  };
}

function limits(field: Field): JsonSchema {
  switch (field.kind) {
    case 'choice':
      return { enum: field.choices };
    case 'switch':
      return { type: 'boolean' };
    case 'list': {
      const { minimum, maximum, minimumLength: minItems, maximumLength: maxItems } = field;
      return { type: 'array', items: { type: 'integer', minimum, maximum }, minItems, maxItems };
    }
    case 'script': {
      const { pattern, maximumLength: maxItems } = field;
      return { type: 'array', items: { type: 'string', pattern }, maxItems };
    }
    case 'integer':
    case 'number':
      return { type: field.kind, minimum: field.minimum, maximum: field.maximum };
  }
}
