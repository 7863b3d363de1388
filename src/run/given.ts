/** @file Weights and batches given from outside: [step][rank][sample] arrays become flat ones. */
import type { TaskShape } from '#core/model';
import type { ReplicaSplit } from '#protocol/replica';
import type { GivenInputs } from './service.ts';

export interface GivenBatches {
  readonly steps: number;
  readonly worldSize: number;
  readonly batchPerRank: number;
  readonly task: TaskShape;
  readonly split: Extract<ReplicaSplit, { kind: 'given' }>;
}

/** Thrown when given data has not the form of golden/ddp_allreduce.json; says where. */
export class GivenDataError extends Error {
  override readonly name = 'GivenDataError';
}

/**
 * Flattens `x` [step][rank][sample][feature] and `y` [step][rank][sample]. Throws GivenDataError
 * naming the path where an axis is ragged, empty or not numeric.
 */
export function parseGivenBatches(given: GivenInputs): GivenBatches {
  const xShape = shapeOf(given.x, 4, 'x');
  const yShape = shapeOf(given.y, 3, 'y');
  const [steps = 0, worldSize = 0, batchPerRank = 0, features = 0] = xShape;
  if (yShape.some((length, axis) => length !== xShape[axis])) {
    throw new GivenDataError(
      `y is [${yShape.join('][')}], but x is [${xShape.join('][')}]: their first three axes must be equal`,
    );
  }
  const x = Float32Array.from(flatten(given.x, xShape, 'x'));
  const y = Int32Array.from(flatten(given.y, yShape, 'y'));
  if (y.some((label) => label < 0)) throw new GivenDataError('y: class numbers are 0 or more');
  const classes = Math.max(2, classesOf(given, y));
  const task: TaskShape = { kind: 'points', features, classes };
  return { steps, worldSize, batchPerRank, task, split: { kind: 'given', x, y } };
}

/** As many classes as the last bias of the initial weights has entries, else as the labels name. */
function classesOf(given: GivenInputs, y: Int32Array): number {
  const last = given.init === null ? undefined : Object.values(given.init).at(-1);
  const named = y.reduce((most, label) => Math.max(most, label + 1), 0);
  return Array.isArray(last) ? Math.max(last.length, named) : named;
}

function shapeOf(value: unknown, axes: number, path: string): number[] {
  const shape: number[] = [];
  let level = value;
  for (let axis = 0; axis < axes; axis++) {
    if (!Array.isArray(level) || level.length === 0) {
      throw new GivenDataError(
        `${path}${'[0]'.repeat(axis)}: an array with at least one entry is needed (${axes} axes: step, rank, sample${axes === 4 ? ', feature' : ''})`,
      );
    }
    shape.push(level.length);
    level = level[0];
  }
  return shape;
}

function flatten(value: unknown, shape: readonly number[], path: string): number[] {
  const [length, ...rest] = shape;
  if (length === undefined) {
    if (typeof value !== 'number' || !Number.isFinite(Math.fround(value))) {
      throw new GivenDataError(
        `${path}: ${JSON.stringify(value)} found, a number in the range of float32 is needed`,
      );
    }
    return [value];
  }
  if (!Array.isArray(value) || value.length !== length) {
    const found = Array.isArray(value) ? `${value.length} entries` : typeof value;
    throw new GivenDataError(`${path}: ${found} found, ${length} entries are needed`);
  }
  return value.flatMap((entry, index) => flatten(entry, rest, `${path}[${index}]`));
}
