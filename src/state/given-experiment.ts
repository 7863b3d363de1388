/** @file What an experiment leaves out where its batches are given from outside. */
import type { GivenBatches } from '#run/given';
import type { Fault } from './automation-types.ts';

/**
 * Stands in for the data choice, which given batches replace: the parser needs one, and points are
 * the task that given batches are. Large enough that any batch fits its shard.
 */
const STAND_IN = { name: 'spirals', samples: 100_000 };

export interface Completed {
  readonly input: unknown;
  readonly faults: readonly Fault[];
}

/**
 * Takes replicas, batch and steps from the shape of given batches where `input` leaves them out,
 * and names each that `input` states otherwise. Other fields are the parser's to judge. Every step
 * is recorded unless `input` says otherwise: such runs are short and meant for comparison.
 */
export function completeWithGiven(input: unknown, given: GivenBatches): Completed {
  // The parser refuses what is no object, and says so.
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    return { input, faults: [] };
  }
  const fields: Readonly<Record<string, unknown>> = { ...input };
  const { worldSize, batchPerRank, steps } = given;
  return {
    input: {
      logEvery: 1,
      ...fields,
      data: STAND_IN,
      replicas: worldSize,
      batchPerRank,
      duration: { unit: 'steps', count: steps },
    },
    faults: [
      ...differing('replicas', fields.replicas, worldSize, 'ranks'),
      ...differing('batchPerRank', fields.batchPerRank, batchPerRank, 'samples a rank'),
      ...differingDuration(fields.duration, steps),
    ],
  };
}

function differing(path: string, found: unknown, given: number, unit: string): Fault[] {
  if (found === undefined || found === given) return [];
  const message = `The data file has ${given} ${unit}. Leave the field out, or give ${given}.`;
  return [{ path, found: shortJson(found), message }];
}

/** The steps of the data file are one epoch of it. */
function differingDuration(duration: unknown, steps: number): Fault[] {
  if (typeof duration !== 'object' || duration === null) {
    return differing('duration', duration, steps, 'steps');
  }
  const { unit, count }: { unit?: unknown; count?: unknown } = duration;
  if (unit === 'epochs') {
    if (count === undefined || count === 1) return [];
    const message = `The data file is one epoch of ${steps} steps. Leave the field out, or give 1.`;
    return [{ path: 'duration.count', found: shortJson(count), message }];
  }
  return differing('duration.count', count, steps, 'steps');
}

/** JSON text of a found value, cut where it is long. */
function shortJson(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}
