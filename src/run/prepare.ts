/** @file From an experiment to N replicas that hold equal weights and wait for their first step. */
import { joinByName, type ModelState } from '#core/named-weights';
import type { Plan } from '#core/plan';
import { reductionRanges } from '#core/reduction-ranges';
import { hasServer } from '#core/sync-rules';
import { sampleCount } from '#data/dataset';
import type { Experiment } from '#experiment/experiment';
import { resolvePlan } from '#experiment/plan';
import type { BackendTiming, ReplicaData, ReplicaSetup, TelemetryBatch } from '#protocol/replica';
import type { RunClock } from '#sim/run-clock';
import { vectorLengthOf } from '#transport/channel';
import { fallbacks, fastest, timeBackends } from './choose-backend.ts';
import { type GivenBatches, parseGivenBatches } from './given.ts';
import type { RunEvent } from './log.ts';
import { withTransfer } from './remote.ts';
import {
  createLinks,
  type Links,
  linkTransfers,
  listenToTelemetry,
  type ReplicaHandle,
  type ReplicaWorker,
  startReplicas,
} from './replica-pool.ts';
import { givenRunData, loadRunData, type RunData, shareData } from './run-data.ts';
import { RunFailure } from './run-failure.ts';
import type { Preparation, StartOptions } from './service.ts';

export interface PrepareContext {
  readonly spawn: () => Promise<ReplicaWorker>;
  readonly isolated: boolean;
  readonly signal: AbortSignal;
  readonly onProgress: (preparation: Preparation) => void;
  readonly onTimings: (timings: readonly BackendTiming[]) => void;
  readonly onReplicas: (replicas: readonly ReplicaHandle[], links: Links) => void;
  readonly onTelemetry: (batch: TelemetryBatch) => void;
}

/** What a worker that joins later is set up with. */
export interface RunGround {
  readonly experiment: Experiment;
  readonly transport: 'shared' | 'ports';
  readonly data: ReplicaData;
  readonly backend: string;
  readonly spawn: () => Promise<ReplicaWorker>;
  readonly onTelemetry: (batch: TelemetryBatch) => void;
}

export interface PreparedRun {
  readonly clock: RunClock;
  readonly ground: RunGround;
  readonly plan: Plan;
  readonly event: RunEvent;
}

/** Loads, starts, chooses, broadcasts. Throws RunFailure, DataError or an AbortError. */
export async function prepareRun(
  experiment: Experiment,
  options: StartOptions,
  context: PrepareContext,
): Promise<PreparedRun> {
  const transport = chooseTransport(experiment, context.isolated);
  const given = options.given === null ? null : parseGivenBatches(options.given);
  const source = await obtainData(experiment, options, given, context);
  const plan = planOf(experiment, source, given);
  const initialState = options.given?.init ? joinByName(plan.model, options.given.init) : null;

  context.onProgress({ stage: 'replicas', progress: null, backend: null });
  const replicas = await startReplicas(plan.worldSize, context.spawn);
  const links = createLinks(transport, plan.worldSize, vectorLengthOf(plan), hasServer(plan.sync));
  context.onReplicas(replicas, links);
  const data = context.isolated ? shareData(source.data) : source.data;
  await Promise.all(
    replicas.map(({ ask, rank }) => {
      const link = links.setups[rank];
      if (link === undefined) throw new Error(`rank ${rank} has no link`);
      const { setup, transfers } = replicaSetup(
        { data, onTelemetry: context.onTelemetry },
        { rank, generation: 0, plan, link },
        rank === 0 ? initialState : null,
      );
      return ask((service) => service.prepare(withTransfer(setup, transfers)));
    }),
  );
  context.signal.throwIfAborted();

  const { backend, device } = await chooseBackend(experiment, replicas, context);
  context.onProgress({ stage: 'broadcast', progress: null, backend: null });
  const initialHash = await Promise.all(
    replicas.map(({ ask }) => ask((service) => service.broadcastWeights())),
  );
  context.signal.throwIfAborted();
  const ranges = reductionRanges(plan.model.parameters, plan.buckets).later;
  const event: RunEvent = {
    type: 'run',
    experiment,
    backend,
    device,
    transport,
    parameters: plan.model.parameterCount,
    stepsPerEpoch: plan.stepsPerEpoch,
    totalSteps: plan.totalSteps,
    trainCount: plan.trainCount,
    testCount: plan.testCount,
    bucketBytes: ranges.map((range) => (range.end - range.start) * 4),
    initialHash,
  };
  const { spawn, onTelemetry } = context;
  // Fetched with the run: the page is ready before it.
  const { createRunClock } = await import('#sim/run-clock');
  const clock = createRunClock(experiment, plan);
  return {
    plan,
    event,
    clock,
    ground: { experiment, transport, data, backend, spawn, onTelemetry },
  };
}

/** All that one worker is told, and what of it is handed over instead of copied. */
export function replicaSetup(
  { data, onTelemetry }: Pick<RunGround, 'data' | 'onTelemetry'>,
  place: Pick<ReplicaSetup, 'rank' | 'generation' | 'plan' | 'link'>,
  initialState: ModelState | null = null,
): { readonly setup: ReplicaSetup; readonly transfers: Transferable[] } {
  const telemetry = listenToTelemetry(onTelemetry);
  const setup = { ...place, data, initialState, telemetry };
  return { setup, transfers: [telemetry, ...linkTransfers(place.link)] };
}

function chooseTransport(experiment: Experiment, isolated: boolean): 'shared' | 'ports' {
  if (experiment.transport === 'auto') return isolated ? 'shared' : 'ports';
  if (experiment.transport === 'shared' && !isolated) {
    throw new RunFailure('failure.notIsolated', {}, 'crossOriginIsolated is false');
  }
  return experiment.transport;
}

async function obtainData(
  experiment: Experiment,
  options: StartOptions,
  given: GivenBatches | null,
  context: PrepareContext,
): Promise<RunData> {
  if (given !== null) return givenRunData(given);
  context.onProgress({ stage: 'data', progress: null, backend: null });
  return loadRunData(experiment, {
    dataUrl: options.dataUrl,
    signal: context.signal,
    onProgress: (done, total) =>
      context.onProgress({ stage: 'data', progress: { done, total }, backend: null }),
  });
}

/** With given batches the run goes through them once, or as many steps as the experiment says. */
function planOf(experiment: Experiment, { task, data }: RunData, given: GivenBatches | null): Plan {
  if (given === null) {
    const context = experiment.model.kind === 'transformer' ? experiment.model.context : 0;
    const trainCount = sampleCount(data.train, context);
    const testCount = sampleCount(data.test, context);
    return resolvePlan(experiment, { trainCount, testCount, task });
  }
  const { steps, worldSize, batchPerRank } = given;
  const trainCount = steps * worldSize * batchPerRank;
  const plan = resolvePlan(experiment, { trainCount, testCount: 0, task });
  const { unit, count } = experiment.duration;
  const totalSteps = unit === 'steps' ? Math.min(count, steps) : steps;
  // A batch that was given to a rank is nobody else's.
  const recovery = { ...plan.recovery, policy: 'stop', commitEvery: 0 } as const;
  return { ...plan, worldSize, batchPerRank, stepsPerEpoch: steps, totalSteps, recovery };
}

interface ChosenBackend {
  readonly backend: string;
  readonly device: string;
}

async function chooseBackend(
  experiment: Experiment,
  replicas: readonly ReplicaHandle[],
  context: PrepareContext,
): Promise<ChosenBackend> {
  if (experiment.backend !== 'auto') return takeBackend(experiment.backend, replicas, context);
  const timings = await timeBackends(
    async (backend) => {
      context.signal.throwIfAborted();
      return Promise.all(replicas.map(({ ask }) => ask((service) => service.timeBackend(backend))));
    },
    (backend, done, total) =>
      context.onProgress({ stage: 'backends', progress: { done, total }, backend }),
  );
  context.onTimings(timings);
  const backend = fastest(timings);
  if (backend === null) {
    const detail = timings.map((timing) => `${timing.backend}: ${timing.reason}`).join('; ');
    throw new RunFailure('failure.noBackend', {}, detail);
  }
  return takeBackend(backend, replicas, context);
}

/**
 * Gives every rank the same backend. Where one rank cannot have it (a GPU may refuse the Nth
 * device), all take the next that works; the timings then say why.
 */
async function takeBackend(
  wanted: string,
  replicas: readonly ReplicaHandle[],
  context: PrepareContext,
): Promise<ChosenBackend> {
  const refused: BackendTiming[] = [];
  for (const backend of [wanted, ...fallbacks(wanted)]) {
    context.signal.throwIfAborted();
    context.onProgress({ stage: 'backends', progress: null, backend });
    const results = await Promise.allSettled(
      replicas.map(({ ask }) => ask((service) => service.useBackend(backend))),
    );
    const failed = results.findIndex((result) => result.status === 'rejected');
    const first = results[0];
    if (failed === -1 && first?.status === 'fulfilled') return { backend, device: first.value };
    const cause = results[failed];
    const why = cause?.status === 'rejected' ? String(cause.reason) : '';
    const reason = `rank ${failed}: ${why}`;
    refused.push({ backend, device: '', stepMs: null, verdict: 'unusable', reason });
    context.onTimings(refused);
  }
  const detail = refused.map((timing) => `${timing.backend}: ${timing.reason}`).join('; ');
  throw new RunFailure('failure.noBackend', {}, detail);
}
