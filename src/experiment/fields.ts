/**
 * @file The field table: every leaf of the experiment with its default, limits, unit and place.
 * Parser, JSON Schema, documentation, URL and the page's controls are all made from it. Words for
 * each field stand in the string tables, under its path.
 */
import { CLUSTER_FIELDS } from './cluster-fields.ts';
import { COMMUNICATION_FIELDS } from './communication-fields.ts';
import type { Condition, Field } from './field.ts';
import { MISTAKES_FIELDS } from './mistakes-fields.ts';
import { OPTIMIZER_FIELDS } from './optimizer-fields.ts';
import { PRECISION_FIELDS } from './precision-fields.ts';
import { RECOVERY_FIELDS, STRAGGLER_FIELDS } from './recovery-fields.ts';

const POINTS = ['spirals', 'moons', 'circles', 'xor'] as const;
const TWO_TO_32 = 0x100000000;

const isPoints: Condition = { path: 'data.name', values: POINTS };
const isMnist: Condition = { path: 'data.name', values: ['mnist'] };
const isMlp: Condition = { path: 'model.kind', values: ['mlp'] };
const isCnn: Condition = { path: 'model.kind', values: ['cnn'] };
const isTransformer: Condition = { path: 'model.kind', values: ['transformer'] };

/** In the order of the page and of the documentation. */
export const FIELDS = [
  {
    path: 'data.name',
    group: 'task',
    kind: 'choice',
    choices: ['mnist', ...POINTS, 'moby-dick'],
    default: 'mnist',
  },
  {
    path: 'data.size',
    group: 'task',
    when: isMnist,
    kind: 'choice',
    choices: ['small', 'full'],
    default: 'small',
  },
  {
    path: 'data.augment',
    group: 'task',
    when: isMnist,
    kind: 'choice',
    choices: ['none', 'shift'],
    default: 'none',
  },
  {
    path: 'data.samples',
    group: 'task',
    when: isPoints,
    kind: 'integer',
    minimum: 16,
    maximum: 100_000,
    unit: 'samples',
    scale: 'log',
    default: 1000,
  },
  {
    path: 'data.noise',
    group: 'task',
    when: isPoints,
    kind: 'number',
    minimum: 0,
    maximum: 1,
    unit: null,
    scale: 'linear',
    default: 0.05,
  },
  {
    path: 'model.kind',
    group: 'task',
    kind: 'choice',
    choices: ['softmax', 'mlp', 'cnn', 'transformer'],
    default: 'mlp',
  },
  {
    path: 'model.hidden',
    group: 'task',
    when: isMlp,
    kind: 'list',
    minimumLength: 1,
    maximumLength: 24,
    minimum: 1,
    maximum: 1024,
    unit: 'neurons',
    default: [128],
  },
  {
    path: 'model.activation',
    group: 'task',
    when: isMlp,
    kind: 'choice',
    choices: ['relu', 'tanh', 'gelu'],
    default: 'relu',
  },
  {
    path: 'model.channels',
    group: 'task',
    when: isCnn,
    kind: 'list',
    minimumLength: 2,
    maximumLength: 2,
    minimum: 1,
    maximum: 64,
    unit: 'channels',
    default: [8, 16],
  },
  {
    path: 'model.dense',
    group: 'task',
    when: isCnn,
    kind: 'integer',
    minimum: 1,
    maximum: 1024,
    unit: 'neurons',
    scale: 'log',
    default: 64,
  },
  {
    path: 'model.norm',
    group: 'task',
    when: isCnn,
    kind: 'choice',
    choices: ['none', 'batch', 'syncBatch'],
    default: 'none',
  },
  {
    path: 'model.width',
    group: 'task',
    when: isTransformer,
    kind: 'integer',
    minimum: 8,
    maximum: 256,
    unit: 'neurons',
    scale: { steps: [16, 32, 48, 64, 96, 128, 192, 256] },
    default: 64,
  },
  {
    path: 'model.heads',
    group: 'task',
    when: isTransformer,
    kind: 'integer',
    minimum: 1,
    maximum: 16,
    unit: null,
    scale: { steps: [1, 2, 4, 8, 16] },
    default: 4,
  },
  {
    path: 'model.depth',
    group: 'task',
    when: isTransformer,
    kind: 'integer',
    minimum: 1,
    maximum: 6,
    unit: null,
    scale: 'linear',
    default: 2,
  },
  {
    path: 'model.context',
    group: 'task',
    when: isTransformer,
    kind: 'integer',
    minimum: 8,
    maximum: 256,
    unit: 'characters',
    scale: { steps: [8, 16, 32, 64, 128, 256] },
    default: 32,
  },
  {
    path: 'replicas',
    group: 'dataParallel',
    kind: 'integer',
    minimum: 1,
    maximum: 16,
    unit: 'replicas',
    scale: 'linear',
    default: 4,
  },
  {
    path: 'batchPerRank',
    group: 'dataParallel',
    kind: 'integer',
    minimum: 1,
    maximum: 1024,
    unit: 'samples',
    scale: { steps: [1, 2, 4, 8, 10, 16, 32, 64, 128, 256, 512, 1024] },
    default: 32,
  },
  {
    path: 'duration.unit',
    group: 'run',
    kind: 'choice',
    choices: ['epochs', 'steps'],
    default: 'epochs',
  },
  {
    path: 'duration.count',
    group: 'run',
    kind: 'integer',
    minimum: 1,
    maximum: 1_000_000,
    unit: 'epochsOrSteps',
    scale: 'log',
    default: 5,
  },
  ...OPTIMIZER_FIELDS,
  ...COMMUNICATION_FIELDS,
  ...MISTAKES_FIELDS,
  {
    path: 'transport',
    group: 'communication',
    kind: 'choice',
    choices: ['auto', 'shared', 'ports'],
    default: 'auto',
  },
  ...PRECISION_FIELDS,
  ...RECOVERY_FIELDS,
  ...CLUSTER_FIELDS,
  ...STRAGGLER_FIELDS,
  {
    path: 'backend',
    group: 'run',
    kind: 'choice',
    choices: ['auto', 'fused', 'webgpu', 'webgl', 'wasm', 'cpu'],
    default: 'auto',
  },
  {
    path: 'seed',
    group: 'run',
    kind: 'integer',
    minimum: 0,
    maximum: TWO_TO_32 - 1,
    unit: null,
    scale: 'linear',
    default: 0,
  },
  {
    path: 'evalEvery',
    group: 'run',
    kind: 'integer',
    minimum: 1,
    maximum: 1_000_000,
    unit: 'steps',
    scale: 'log',
    default: 94,
  },
  {
    path: 'logEvery',
    group: 'run',
    kind: 'integer',
    minimum: 1,
    maximum: 10_000,
    unit: 'steps',
    scale: { steps: [1, 2, 5, 10, 20, 50, 100] },
    default: 1,
  },
] as const satisfies readonly Field[];

type TableRow = (typeof FIELDS)[number];
export type FieldPath = TableRow['path'];

/** The type of a value from its row: a list of exactly two is a pair. */
type ValueOf<Row> = Row extends { kind: 'choice'; choices: readonly (infer Choice)[] }
  ? Choice
  : Row extends { kind: 'switch' }
    ? boolean
    : Row extends { kind: 'list'; minimumLength: infer Least; maximumLength: infer Most }
      ? [Least, Most] extends [2, 2]
        ? [number, number]
        : number[]
      : Row extends { kind: 'script' }
        ? string[]
        : number;

/** The type of a field's value, by its path. */
export type ValueAt<Path extends FieldPath> = ValueOf<Extract<TableRow, { path: Path }>>;

type ChoiceKeyOf<Row> = Row extends { kind: 'choice'; path: infer Path extends string }
  ? Row extends { choices: readonly (infer Choice extends string)[] }
    ? `${Path}.${Choice}`
    : never
  : never;

/** "data.name.mnist": one choice of one field; the string tables have a label for each. */
export type ChoiceKey = ChoiceKeyOf<TableRow>;

const BY_PATH: ReadonlyMap<string, Field> = new Map(FIELDS.map((field) => [field.path, field]));

/** The field at a path, or undefined where there is none. */
export function findField(path: string): Field | undefined {
  return BY_PATH.get(path);
}

/** The field at a path. */
export function fieldAt(path: FieldPath): Field {
  return BY_PATH.get(path) as Field;
}

/** Whether a field exists under the chosen data set, model and optimizer. */
export function isPresent(field: Field, choiceAt: (path: string) => unknown): boolean {
  return (
    field.when === undefined || field.when.values.includes(choiceAt(field.when.path) as string)
  );
}
