import fc from 'fast-check';
import { expect, test } from 'vitest';
import { arbitraryInput } from './experiment.arbitrary.ts';
import type { ProblemMessage } from './experiment.ts';
import { FIELDS } from './fields.ts';
import { experimentJsonSchema } from './json-schema.ts';
import { parseExperiment } from './parse.ts';
import { PRESET_IDS, presetExperiment } from './presets.ts';
import { nest, splitPath } from './values.ts';

const schema = experimentJsonSchema((path) => ({ title: path, description: path }));

type Schema = Readonly<Record<string, unknown>>;

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  array: Array.isArray,
  integer: Number.isInteger,
  number: (value) => typeof value === 'number',
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
};

/** The keywords our schema uses; annotations aside, any other is an error of the test. */
const KEYWORDS: Readonly<
  Record<string, (value: unknown, keyword: never, schema: Schema) => boolean>
> = {
  type: (value, type: string) => TYPES[type]?.(value) ?? false,
  const: (value, constant: unknown) => value === constant,
  enum: (value, choices: readonly unknown[]) => choices.includes(value),
  minimum: (value, limit: number) => typeof value !== 'number' || value >= limit,
  maximum: (value, limit: number) => typeof value !== 'number' || value <= limit,
  pattern: (value, text: string) => typeof value !== 'string' || new RegExp(text).test(value),
  minItems: (value, limit: number) => !Array.isArray(value) || value.length >= limit,
  maxItems: (value, limit: number) => !Array.isArray(value) || value.length <= limit,
  items: (value, items: Schema) => !Array.isArray(value) || value.every((v) => accepts(items, v)),
  required: (value, names: readonly string[]) =>
    !TYPES.object?.(value) || names.every((name) => Object.hasOwn(value as object, name)),
  anyOf: (value, schemas: readonly Schema[]) => schemas.some((inner) => accepts(inner, value)),
  properties: (value, properties: Record<string, Schema>) =>
    !TYPES.object?.(value) ||
    Object.entries(value as object).every(([name, inner]) => {
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
      return property === undefined || accepts(property, inner);
    }),
  additionalProperties: (value, _: false, { properties }) =>
    !TYPES.object?.(value) ||
    Object.keys(value as object).every((name) => Object.hasOwn(properties as object, name)),
};
const ANNOTATIONS = ['$schema', '$id', 'title', 'description', 'default'];

function accepts(part: Schema, value: unknown): boolean {
  return Object.entries(part).every(([name, keyword]) => {
    if (ANNOTATIONS.includes(name)) return true;
    const check = KEYWORDS[name];
    if (check === undefined) throw new Error(`keyword ${name} is unknown to this test`);
    return check(value, keyword as never, part);
  });
}

/** Faults that a JSON Schema cannot state: rules between fields. */
const BETWEEN_FIELDS: readonly ProblemMessage[] = [
  'problem.batchOverShard',
  'problem.headsDivideWidth',
  'problem.modelNotForData',
  'problem.fusedModel',
  'problem.warmupOverRun',
  'problem.nesterovNeedsMomentum',
  'problem.tooManySteps',
  'problem.fp8NeedsScaling',
  'problem.faultRank',
  'problem.stragglerRank',
  'problem.stragglerForm',
  'problem.stragglersOrdered',
  'problem.stragglerLoader',
  'problem.faultStep',
  'problem.faultNeedsRanks',
  'problem.recoveryNeedsAllReduce',
  'problem.nodesDivideReplicas',
  'problem.gatherNeedsRing',
  'problem.compressionNeedsGradients',
  'problem.dgcHasMomentum',
  'problem.scaledWithFeedback',
  'problem.nothingKeptBack',
  'problem.sumNeedsGradients',
  'problem.microBatchesOverBatch',
  'problem.milestonesAscend',
  'problem.ranksOverCluster',
  'problem.hierarchyOnOneNode',
  'problem.adasumPowerOfTwo',
  'problem.adasumNeedsHalving',
  'problem.adasumAlone',
  'problem.noiseNeedsReplicas',
  'problem.noiseNeedsMean',
  'problem.mistakeNeedsReplicas',
  'problem.mistakeNeedsGradients',
  'problem.mistakeNeedsEqualBatches',
  'problem.nothingAugmented',
  'problem.epochNotReached',
  'problem.nobodyWaits',
  'problem.nothingScaled',
  'problem.nothingClipped',
  'problem.noMasterWeights',
  'problem.splitsOverReplicas',
  'problem.backupsOverReplicas',
  'problem.slowdownsUnused',
  'problem.slowdownsOverReplicas',
  'problem.rankWithoutSamples',
  'problem.serverIsStar',
  'problem.compressionNeedsAllReduce',
  'problem.partsNeedNoSync',
  'problem.scaleNeedsAllRanks',
  'problem.serverBroadcasts',
  'problem.syncNormNeedsEveryStep',
  'problem.syncNormNeedsEqualBatches',
  'problem.noOwnBuffers',
];

function isStructurallyValid(input: unknown): boolean {
  const result = parseExperiment(input);
  return result.ok || result.problems.every(({ message }) => BETWEEN_FIELDS.includes(message));
}

test('EX-10 the schema accepts the empty experiment and every preset', () => {
  expect(accepts(schema, {})).toBe(true);
  for (const id of PRESET_IDS) expect(accepts(schema, presetExperiment(id)), id).toBe(true);
});

test('EX-10 schema and parser accept the same random inputs', () => {
  fc.assert(
    fc.property(arbitraryInput, (input) => {
      expect(accepts(schema, input)).toBe(true);
      expect(isStructurallyValid(input)).toBe(true);
    }),
  );
});

/** Replaces one field, or adds a stray one. */
const arbitraryDamage = fc.tuple(
  fc.constantFrom(...FIELDS.map(({ path }) => path), 'stray', 'model.stray', 'data', 'buckets'),
  fc.oneof(
    fc.constantFrom<unknown>(null, '', 'auto', 'mlp', 'adam', true, [], {}, [1], [1, 2]),
    fc.integer({ min: -2, max: 2000 }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
  ),
);

test('EX-10 schema and parser refuse the same damaged inputs', () => {
  fc.assert(
    fc.property(arbitraryInput, arbitraryDamage, (input, [path, value]) => {
      const damaged = damage(input, path, value);
      expect(accepts(schema, damaged)).toBe(isStructurallyValid(damaged));
    }),
    { numRuns: 300 },
  );
});

function damage(input: Readonly<Record<string, unknown>>, path: string, value: unknown): unknown {
  const [head, leaf] = splitPath(path);
  if (leaf === null) return { ...input, [head]: value };
  const section = nest([[path, value]])[head];
  return { ...input, [head]: { ...(input[head] as object | undefined), ...(section as object) } };
}

test('EX-10 a choice that no data set has by default must be named', () => {
  expect(accepts(schema, { data: { samples: 100 } })).toBe(false);
  expect(accepts(schema, { data: { name: 'xor', samples: 100 } })).toBe(true);
  expect(accepts(schema, { model: { width: 32 } })).toBe(true);
  expect(accepts(schema, { model: { dense: 32 } })).toBe(false);
});
