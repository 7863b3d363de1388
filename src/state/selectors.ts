/** @file What the page says about a run, as pure functions of its events and records. */
import type { Experiment, Problem } from '#experiment/experiment';
import type { Field } from '#experiment/field';
import { FIELDS, isPresent } from '#experiment/fields';
import type { DisagreementEvent, RunEvent, StepEvent, WallRecord } from '#run/log';
import { type JsonObject, valueAt } from './draft.ts';
import type { RunState } from './run-state.ts';

/** Bytes of one fp32 number. */
export const FLOAT_BYTES = 4;

export type Agreement =
  | { readonly kind: 'unknown' }
  /** Between two synchronisations every rank goes its own way. */
  | { readonly kind: 'apart' }
  | { readonly kind: 'agree'; readonly ranks: number; readonly hash: string }
  | {
      readonly kind: 'differ';
      readonly step: number;
      /** Ranks by hash, the largest group first. */
      readonly groups: readonly { readonly hash: string; readonly ranks: readonly number[] }[];
    };

function groupByHash(hashes: readonly string[]) {
  const groups = new Map<string, number[]>();
  for (const [rank, hash] of hashes.entries()) {
    const ranks = groups.get(hash);
    if (ranks) ranks.push(rank);
    else groups.set(hash, [rank]);
  }
  return [...groups]
    .map(([hash, ranks]) => ({ hash, ranks }))
    .sort((a, b) => b.ranks.length - a.ranks.length);
}

/** Whether the ranks' weights agree; a disagreement that was logged is never forgotten. */
export function agreementOf(
  lastStep: StepEvent | null,
  disagreement: DisagreementEvent | null,
): Agreement {
  if (disagreement === null && lastStep?.synchronised === false) return { kind: 'apart' };
  const hashes = disagreement?.weightsHash ?? lastStep?.weightsHash ?? [];
  const groups = groupByHash(hashes);
  const [first] = groups;
  if (!first) return { kind: 'unknown' };
  if (groups.length === 1) return { kind: 'agree', ranks: hashes.length, hash: first.hash };
  return { kind: 'differ', step: disagreement?.step ?? lastStep?.step ?? 0, groups };
}

/** The ranks outside the largest group of equal hashes. */
export function dissenters(agreement: Agreement): readonly number[] {
  return agreement.kind === 'differ' ? agreement.groups.slice(1).flatMap((g) => g.ranks) : [];
}

/** Bytes a rank must send in one ring all-reduce of `parameters` floats: 2 (N-1)/N S. */
export function ringBound(worldSize: number, parameters: number): number {
  return ((2 * (worldSize - 1)) / worldSize) * parameters * FLOAT_BYTES;
}

/** Bytes of all the gradients, S. */
export function gradientBytes(info: RunEvent): number {
  return info.parameters * FLOAT_BYTES;
}

export interface StepSplit {
  /** Mean wall milliseconds of a step. */
  readonly total: number;
  readonly compute: number;
  readonly communicate: number;
  readonly update: number;
  /** What is left: waiting for the others, evaluation, the page. */
  readonly other: number;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

/** Steps from one record to the next; a run may record every tenth step only. */
export function recordSteps(records: readonly WallRecord[]): number {
  const [first, last] = [records[0], records.at(-1)];
  if (!first || !last || records.length < 2) return 1;
  return (last.step - first.step) / (records.length - 1);
}

/** Where the wall time of a step went, averaged over the last records and over the ranks. */
export function stepSplit(records: readonly WallRecord[]): StepSplit | null {
  if (records.length === 0) return null;
  const steps = recordSteps(records);
  const compute = mean(records.map((record) => mean(record.computeMs))) / steps;
  const communicate = mean(records.map((record) => mean(record.communicateMs))) / steps;
  const update = mean(records.map((record) => mean(record.updateMs))) / steps;
  const busy = compute + communicate + update;
  const total = Math.max(mean(records.map((record) => record.wallMs)) / steps, busy);
  return { total, compute, communicate, update, other: total - busy };
}

/** Whether the next run will differ from the one on the page. */
export function hasPendingEdits(experiment: Experiment, run: RunState): boolean {
  return run.experiment !== null && JSON.stringify(experiment) !== JSON.stringify(run.experiment);
}

/** Whether what was measured for one experiment holds for the other: the same work in a step. */
export function measuresTheSame(a: Experiment, b: Experiment | null): boolean {
  const work = ({ data, model, batchPerRank, replicas, precision }: Experiment): string =>
    JSON.stringify({ data, model, batchPerRank, replicas, precision });
  return b !== null && work(a) === work(b);
}

/** The problems that lie in no field of the draft: those of a link, or of the whole. */
export function faultsWithoutField(
  problems: readonly Problem[],
  draft: JsonObject,
): readonly Problem[] {
  const shown = FIELDS.filter((field: Field) => isPresent(field, (at) => valueAt(draft, at)));
  return problems.filter((problem) =>
    shown.every(({ path }) => problemsAt([problem], path).length === 0),
  );
}

/** The problems of one field, and of what lies within it ("model.hidden" has "model.hidden.1"). */
export function problemsAt(problems: readonly Problem[], path: string): readonly Problem[] {
  return problems.filter(
    (problem) =>
      problem.path === path ||
      problem.path.startsWith(`${path}.`) ||
      problem.path.startsWith(`${path}[`),
  );
}

/** Shares of a cluster step, over all ranks: computing, exchange that nothing hides, waiting. */
export function timeShares(figures: StepEvent['cluster']): {
  readonly compute: number;
  readonly communicate: number;
  readonly other: number;
} {
  const sum = (each: readonly number[]): number => each.reduce((total, ms) => total + ms, 0);
  const compute = sum(figures.computeMs);
  const communicate = sum(figures.exposedMs);
  const other = sum(figures.waitMs) + sum(figures.dataMs);
  const total = compute + communicate + other || 1;
  return { compute: compute / total, communicate: communicate / total, other: other / total };
}
