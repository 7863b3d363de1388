/** @file What a field of the experiment may be: its kind, range, unit, slider and place. */
import type { ProblemMessage } from './experiment.ts';

/** Where the page shows a field, and in which section of the documentation it stands. */
export const GROUPS = [
  'task',
  'dataParallel',
  'optimizer',
  'communication',
  'precision',
  'recovery',
  'cluster',
  'mistakes',
  'run',
] as const;
export type Group = (typeof GROUPS)[number];

export type Unit =
  | 'samples'
  | 'steps'
  | 'epochsOrSteps'
  | 'replicas'
  | 'gradients'
  | 'neurons'
  | 'channels'
  | 'characters'
  | 'values'
  | 'mebibytes'
  | 'kibibytes'
  | 'nodes'
  | 'gpus'
  | 'nics'
  | 'segments'
  | 'batches'
  | 'teraflops'
  | 'gigabytesPerSecond'
  | 'gigabitsPerSecond'
  | 'microseconds'
  | 'seconds'
  | 'samplesPerSecond'
  | 'hours';

/** How a slider's positions map to values; `steps` snaps to the listed ones. */
export type Scale = 'linear' | 'log' | { readonly steps: readonly number[] };

/** Which variant a field belongs to: the field at `path` must have one of `values`. */
export interface Condition {
  readonly path: string;
  readonly values: readonly string[];
}

interface FieldBase {
  /** "optimizer.momentum". */
  readonly path: string;
  readonly group: Group;
  /** Absent: the field is always there. */
  readonly when?: Condition;
}

/** Limits are inclusive. */
export interface NumberField extends FieldBase {
  readonly kind: 'integer' | 'number';
  readonly minimum: number;
  readonly maximum: number;
  readonly unit: Unit | null;
  readonly scale: Scale;
  readonly default: number;
  /** What is said of a value below the minimum, where the bare range would not say why. */
  readonly tooLow?: ProblemMessage;
}

/** Integers; limits are inclusive and hold for every element. */
export interface ListField extends FieldBase {
  readonly kind: 'list';
  readonly minimumLength: number;
  readonly maximumLength: number;
  readonly minimum: number;
  readonly maximum: number;
  readonly unit: Unit | null;
  readonly default: readonly number[];
}

export interface ChoiceField extends FieldBase {
  readonly kind: 'choice';
  readonly choices: readonly string[];
  readonly default: string;
}

export interface SwitchField extends FieldBase {
  readonly kind: 'switch';
  readonly default: boolean;
}

/** Lines of text, each of one pattern. */
export interface ScriptField extends FieldBase {
  readonly kind: 'script';
  readonly maximumLength: number;
  /** A regular expression for a whole line. */
  readonly pattern: string;
  /** A line as it may stand. */
  readonly example: string;
  readonly default: readonly string[];
}

export type Field = NumberField | ListField | ChoiceField | SwitchField | ScriptField;
export type FieldValue = number | string | boolean | readonly number[] | readonly string[];
