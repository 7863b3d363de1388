/** @file The request of a what-if, read from JSON of unknown origin. docs/whatif.md describes it. */
import type { CompressionConfig } from '#core/compression/config';
import { type ClusterChoice, WORKLOAD_IDS } from '#experiment/cluster-fields';
import type { Experiment, Problem } from '#experiment/experiment';
import { parseExperiment } from '#experiment/parse';
import { ALGORITHMS, COLLECTIVE_KINDS } from './collective-job.ts';
import { PRECISIONS } from './compute-model.ts';
import {
  fieldFaults,
  foundIn,
  isObject,
  type RequestFault,
  type RequestTable,
} from './request-fields.ts';
import type { CollectiveWish, GoodputWish, StepWish } from './what-if.ts';

export interface WhatIfRequest {
  readonly cluster: ClusterChoice;
  /** Ascending as given; null: powers of two up to the devices. */
  readonly ranks: readonly number[] | null;
  readonly collective: CollectiveWish | null;
  readonly step: StepWish | null;
  readonly experiment: Experiment | null;
  readonly goodput: GoodputWish | null;
}

export type WhatIfReading =
  | { readonly ok: true; readonly request: WhatIfRequest }
  | {
      readonly ok: false;
      readonly faults: readonly RequestFault[];
      /** Of the cluster, the compression or the experiment, in that parser's terms. */
      readonly problems: readonly Problem[];
    };

const MOST_RANKS = 16_384;
const MOST_POINTS = 100;
const COUNT = { kind: 'integer', minimum: 1, maximum: 1e9 } as const;
const BYTES = { kind: 'number', minimum: 1, maximum: 1e15 } as const;
const POSITIVE = { kind: 'number', minimum: 1e-9, maximum: 1e30 } as const;
const SWITCH = { kind: 'switch' } as const;
const ALGORITHM = { kind: 'choice', choices: ['auto', ...ALGORITHMS] } as const;

const COLLECTIVE: RequestTable = {
  kind: { kind: 'choice', choices: COLLECTIVE_KINDS },
  algorithm: ALGORITHM,
};
const STEP: RequestTable = {
  precision: { kind: 'choice', choices: PRECISIONS },
  batchPerRank: COUNT,
  globalBatch: COUNT,
  microBatches: COUNT,
  reductions: { kind: 'number', minimum: 0.0001, maximum: 1e6 },
  firstMiB: { kind: 'number', minimum: 0.001, maximum: 1e6 },
  capMiB: { kind: 'number', minimum: 0.001, maximum: 1e6 },
  gradientBytes: { kind: 'number', minimum: 0.125, maximum: 8 },
  overlap: SWITCH,
  sharded: SWITCH,
  recompute: SWITCH,
  wrapped: SWITCH,
  algorithm: ALGORITHM,
  computeScale: { kind: 'number', minimum: 0, maximum: 1000 },
};
const CUSTOM: RequestTable = {
  parameters: { kind: 'number', minimum: 1, maximum: 1e14 },
  forwardFlops: POSITIVE,
  layers: { kind: 'integer', minimum: 1, maximum: 10_000 },
  tensors: { kind: 'integer', minimum: 1, maximum: 1_000_000 },
  trafficBytes: { kind: 'number', minimum: 0, maximum: 1e15 },
  imbalance: { kind: 'number', minimum: 0, maximum: 10 },
};
const CALIBRATE: RequestTable = {
  ranks: { kind: 'integer', minimum: 1, maximum: MOST_RANKS },
  stepMs: POSITIVE,
};
const GOODPUT: RequestTable = {
  parameters: { kind: 'number', minimum: 1, maximum: 1e14 },
  checkpointSeconds: { kind: 'number', minimum: 0, maximum: 1e7 },
  restartSeconds: { kind: 'number', minimum: 0, maximum: 1e7 },
  intervalSeconds: POSITIVE,
};
const SECTIONS = ['cluster', 'ranks', 'collective', 'step', 'experiment', 'goodput'];
const ASKED = ['collective', 'step', 'experiment', 'goodput'];

/** The request that `input` (parsed JSON) describes, or everything that is wrong with it. */
export function readWhatIf(input: unknown): WhatIfReading {
  const faults = [...fieldFaults(input, '', {}, SECTIONS)];
  if (!isObject(input)) return { ok: false, faults, problems: [] };
  faults.push(
    ...askedFaults(input),
    ...rankFaults(input.ranks),
    ...collectiveFaults(input.collective),
  );
  faults.push(...stepFaults(input.step, input.ranks));
  if (input.goodput !== undefined) faults.push(...fieldFaults(input.goodput, 'goodput', GOODPUT));
  const { problems, cluster, experiment, compression } = readExperiments(input);
  if (cluster !== null) faults.push(...deviceFaults(input, experiment?.cluster ?? cluster));
  if (faults.length > 0 || problems.length > 0 || cluster === null)
    return { ok: false, faults, problems };
  const { collective, step, goodput } = input;
  const request = {
    cluster: experiment?.cluster ?? cluster,
    ranks: input.ranks === undefined ? null : [input.ranks].flat(),
    collective: collective === undefined ? null : collective,
    step: isObject(step) ? { ...step, compression } : null,
    experiment,
    goodput: goodput === undefined ? null : goodput,
  };
  // Every part was checked above, against the tables that the types are written after.
  return { ok: true, request: request as WhatIfRequest };
}

function askedFaults(input: Readonly<Record<string, unknown>>): readonly RequestFault[] {
  const message = `Nothing is asked. Give at least one of ${ASKED.join(', ')}.`;
  if (!ASKED.some((name) => input[name] !== undefined)) {
    return [{ path: '', found: foundIn(input), message }];
  }
  if (input.experiment === undefined || input.cluster === undefined) return [];
  const twice = 'The experiment has a cluster of its own: write it there.';
  return [{ path: 'cluster', found: foundIn(input.cluster), message: twice }];
}

function rankFaults(ranks: unknown): readonly RequestFault[] {
  if (ranks === undefined) return [];
  const list = Array.isArray(ranks) ? ranks : [ranks];
  const isRank = (value: unknown) =>
    Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MOST_RANKS;
  if (list.length > 0 && list.length <= MOST_POINTS && list.every(isRank)) return [];
  const message = `A whole number from 1 to ${MOST_RANKS} is allowed, or a list of at most ${MOST_POINTS} of them.`;
  return [{ path: 'ranks', found: foundIn(ranks), message }];
}

function collectiveFaults(collective: unknown): readonly RequestFault[] {
  if (collective === undefined) return [];
  const faults = [...fieldFaults(collective, 'collective', COLLECTIVE, ['bytes'])];
  if (!isObject(collective)) return faults;
  const list = [collective.bytes].flat();
  const isFine = list.length > 0 && list.length <= MOST_POINTS;
  const probes = list.flatMap((bytes) => fieldFaults({ bytes }, 'collective', { bytes: BYTES }));
  if (isFine && probes.length === 0) return faults;
  const message = `Bytes of the whole vector are needed, a number from ${BYTES.minimum} to ${BYTES.maximum}, or a list of at most ${MOST_POINTS}.`;
  return [...faults, { path: 'collective.bytes', found: foundIn(collective.bytes), message }];
}

function stepFaults(step: unknown, ranks: unknown): readonly RequestFault[] {
  if (step === undefined) return [];
  const faults = [...fieldFaults(step, 'step', STEP, ['workload', 'calibrate', 'compression'])];
  if (!isObject(step)) return faults;
  const known = WORKLOAD_IDS.filter((id) => id !== 'itself');
  if (isObject(step.workload)) faults.push(...customFaults(step.workload));
  else if (!known.includes(step.workload as (typeof known)[number])) {
    const message = `Take one of ${known.join(', ')}, or an object with parameters and forwardFlops.`;
    faults.push({ path: 'step.workload', found: foundIn(step.workload), message });
  }
  if (step.batchPerRank === undefined && step.globalBatch === undefined) {
    const message = 'Give batchPerRank, or globalBatch for a batch that the ranks share.';
    faults.push({ path: 'step.batchPerRank', found: 'undefined', message });
  }
  if (typeof step.globalBatch === 'number') faults.push(...shareFaults(step.globalBatch, ranks));
  if (step.calibrate !== undefined) faults.push(...calibrationFaults(step.calibrate));
  return faults;
}

/** A global batch has a sample for every rank. */
function shareFaults(globalBatch: number, ranks: unknown): readonly RequestFault[] {
  const most = Math.max(0, ...[ranks ?? []].flat().filter((count) => typeof count === 'number'));
  if (globalBatch >= most) return [];
  const message = `${most} ranks share it, so at least ${most} is allowed. Ask for fewer ranks.`;
  return [{ path: 'step.globalBatch', found: foundIn(globalBatch), message }];
}

function customFaults(workload: Readonly<Record<string, unknown>>): readonly RequestFault[] {
  return [
    ...fieldFaults(workload, 'step.workload', CUSTOM),
    ...missing(workload, 'step.workload', ['parameters', 'forwardFlops']),
  ];
}

function calibrationFaults(calibrate: unknown): readonly RequestFault[] {
  const faults = fieldFaults(calibrate, 'step.calibrate', CALIBRATE);
  if (!isObject(calibrate)) return faults;
  return [...faults, ...missing(calibrate, 'step.calibrate', ['ranks', 'stepMs'])];
}

function missing(
  value: Readonly<Record<string, unknown>>,
  path: string,
  names: readonly string[],
): readonly RequestFault[] {
  return names
    .filter((name) => value[name] === undefined)
    .map((name) => ({ path: `${path}.${name}`, found: 'undefined', message: 'This is needed.' }));
}

/** More ranks than devices, here or in the calibration. */
function deviceFaults(
  input: Readonly<Record<string, unknown>>,
  { nodes, gpusPerNode }: ClusterChoice,
): readonly RequestFault[] {
  const most = nodes * gpusPerNode;
  const calibrate =
    isObject(input.step) && isObject(input.step.calibrate) ? input.step.calibrate : {};
  const asked = [
    ...[input.ranks ?? []].flat().map((ranks) => ['ranks', ranks] as const),
    ['step.calibrate.ranks', calibrate.ranks] as const,
  ];
  return asked
    .filter(([, ranks]) => typeof ranks === 'number' && ranks > most)
    .map(([path, ranks]) => {
      const message = `The cluster has ${most} devices, ${nodes} nodes of ${gpusPerNode}. Ask for fewer ranks, or raise cluster.nodes.`;
      return { path, found: foundIn(ranks), message };
    });
}

/** Cluster, compression and experiment through the experiment's own parser. */
function readExperiments(input: Readonly<Record<string, unknown>>): {
  problems: readonly Problem[];
  cluster: ClusterChoice | null;
  experiment: Experiment | null;
  compression: CompressionConfig;
} {
  const step = isObject(input.step) ? input.step : {};
  const compression = step.compression ?? {};
  const shell = parseExperiment({ cluster: input.cluster ?? {}, compression, replicas: 1 });
  const problems = shell.ok ? [] : shell.problems.map(inStep);
  const whole = input.experiment === undefined ? null : parseExperiment(input.experiment);
  if (whole !== null && !whole.ok) problems.push(...whole.problems.map(inExperiment));
  return {
    problems,
    cluster: shell.ok ? shell.experiment.cluster : null,
    experiment: whole?.ok ? whole.experiment : null,
    compression: shell.ok ? shell.experiment.compression : { kind: 'none' },
  };
}

const inStep = (problem: Problem): Problem =>
  problem.path.startsWith('compression') ? { ...problem, path: `step.${problem.path}` } : problem;

const inExperiment = (problem: Problem): Problem => ({
  ...problem,
  path: problem.path === '' ? 'experiment' : `experiment.${problem.path}`,
});
