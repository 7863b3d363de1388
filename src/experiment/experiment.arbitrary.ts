/** @file Random valid experiments for property tests, made from the field table. */
// biome-ignore lint/style/noRestrictedImports: tests share this helper; nothing shipped imports it.
import fc from 'fast-check';
import { CHOICE_PATHS, type Choices } from './defaults.ts';
import type { Experiment } from './experiment.ts';
import type { Field, ListField, NumberField } from './field.ts';
import { fieldAt } from './fields.ts';
import { parseExperiment } from './parse.ts';
import { modelsFor } from './rules.ts';
import { nest, presentFields, splitPath } from './values.ts';

/** Any value the table allows for a field; limits and defaults come up often. */
function arbitraryValue(field: Field): fc.Arbitrary<unknown> {
  switch (field.kind) {
    case 'choice':
      return fc.constantFrom(...field.choices);
    case 'switch':
      return fc.boolean();
    case 'list':
      return fc.array(arbitraryInteger(field), {
        minLength: field.minimumLength,
        maxLength: field.maximumLength,
      });
    case 'script':
      return fc.constantFrom([], [field.example]);
    case 'integer':
      return fc.oneof(fc.constantFrom(field.minimum, field.default), arbitraryInteger(field));
    case 'number':
      return fc.oneof(
        fc.constantFrom(field.minimum, field.maximum, field.default),
        arbitraryNumber(field),
      );
  }
}

/**
 * Partial inputs, each field within its limits and belonging to the chosen variants, but without
 * regard to the rules between fields.
 */
export const arbitraryInput: fc.Arbitrary<Readonly<Record<string, unknown>>> =
  arbitraryChoices().chain((choices) => {
    const fields = presentFields(choices).filter(({ path }) => !(path in choices));
    const leaves = Object.fromEntries(fields.map((field) => [field.path, arbitraryValue(field)]));
    return fc
      .record(leaves, { requiredKeys: [] })
      .map((values) => nest([...Object.entries(choices), ...Object.entries(values)]));
  });

/** Valid experiments: random inputs, without the fields that a rule refuses. */
export const arbitraryExperiment: fc.Arbitrary<Experiment> = arbitraryInput
  .map(parseMended)
  .filter((result) => result.ok)
  .map(({ experiment }) => experiment);

/** Drops refused fields until the parser accepts the rest, or none is left to drop. */
function parseMended(input: Readonly<Record<string, unknown>>): ReturnType<typeof parseExperiment> {
  const result = parseExperiment(input);
  if (result.ok) return result;
  const mended = result.problems.reduce((present, { path }) => without(present, path), input);
  return JSON.stringify(mended) === JSON.stringify(input) ? result : parseMended(mended);
}

function without(
  input: Readonly<Record<string, unknown>>,
  path: string,
): Readonly<Record<string, unknown>> {
  const [head, leaf] = splitPath(path);
  const { [head]: section, ...others } = input;
  if (leaf === null || section === undefined) return others;
  const { [leaf]: _dropped, ...rest } = section as Record<string, unknown>;
  return { ...others, [head]: rest };
}

/** All choices that other fields depend on, the model one that can read the data. */
function arbitraryChoices(): fc.Arbitrary<Choices> {
  const paths = CHOICE_PATHS.filter((path) => path !== 'model.kind');
  const record = Object.fromEntries(paths.map((path) => [path, arbitraryValue(fieldAt(path))]));
  return fc.record(record).chain((choices) => {
    const typed = choices as Choices & Required<Pick<Choices, 'data.name'>>;
    const models = fc.constantFrom(...modelsFor(typed['data.name']));
    return models.map((kind) => keepPresent({ ...typed, 'model.kind': kind }));
  });
}

/** Without the choices that belong to another variant. */
function keepPresent(choices: Choices): Choices {
  const present = presentFields(choices).map(({ path }) => path);
  const entries = Object.entries(choices).filter(([path]) => present.includes(path));
  return Object.fromEntries(entries) as Choices;
}

function arbitraryInteger({ minimum, maximum }: NumberField | ListField): fc.Arbitrary<number> {
  return fc.integer({ min: minimum, max: maximum });
}

function arbitraryNumber({ minimum, maximum }: NumberField): fc.Arbitrary<number> {
  return fc.double({ min: minimum, max: maximum, noNaN: true });
}
