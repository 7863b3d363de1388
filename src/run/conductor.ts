/** @file The conductor: prepares a run, paces its replicas, writes its log, tells the page. */
import { splitByName } from '#core/named-weights';
import type { Plan } from '#core/plan';
import type { Experiment } from '#experiment/experiment';
import type { TelemetryBatch } from '#protocol/replica';
import { disagreement, evalEvent, stepEvent, wallRecord } from './assemble.ts';
import type { EndEvent, LogEvent, WallRecord } from './log.ts';
import { createMerger, type Merged, type Merger } from './merge.ts';
import { createPacer, type Pacer } from './pacing.ts';
import { createPageFeed, type RunState } from './page-feed.ts';
import { prepareRun } from './prepare.ts';
import { callback } from './remote.ts';
import type { Links, ReplicaHandle, ReplicaWorker } from './replica-pool.ts';
import { failureOf, nonFiniteFailure } from './run-failure.ts';
import { createRunLog, type RunLog } from './run-log.ts';
import type { ConductorService, PageHost, StartOptions } from './service.ts';

/** A rank that does not answer Stop within this time is terminated. Wall ms. */
const STOP_PATIENCE_MS = 300;

export interface ConductorEnvironment {
  /** Starts a replica worker from here; the page does it where this is null. */
  readonly spawnNested: (() => ReplicaWorker) | null;
  readonly isolated: boolean;
  readonly now: () => number;
}

/** Everything of the run that is under way or has ended last. */
interface ActiveRun {
  readonly abort: AbortController;
  readonly log: RunLog;
  readonly pacer: Pacer;
  plan: Plan | null;
  merger: Merger;
  replicas: readonly ReplicaHandle[];
  links: Links | null;
  completed: number[];
  granted: number;
  /** Steps may be granted up to here: the end, or the next step while stepping. */
  target: number;
  lastRecordMs: number;
}

export function createConductor(environment: ConductorEnvironment): ConductorService {
  let host: PageHost | null = null;
  let nested = true;
  let active: ActiveRun | null = null;
  const state = initialState();
  const feed = createPageFeed(state, () => host);

  const spawn = async (): Promise<ReplicaWorker> => {
    if (nested && environment.spawnNested !== null) return environment.spawnNested();
    if (host === null) throw new Error('the conductor is not connected to a page');
    return spawnOnPage(host);
  };

  const begin = async (
    run: ActiveRun,
    experiment: Experiment,
    options: StartOptions,
  ): Promise<void> => {
    try {
      const prepared = await prepareRun(experiment, options, {
        spawn,
        isolated: environment.isolated,
        signal: run.abort.signal,
        onProgress: (preparation) => {
          if (active !== run) return;
          state.preparation = preparation;
          feed.push();
        },
        onTimings: (timings) => {
          state.timings = timings;
          feed.push();
        },
        onReplicas: (replicas, links) => {
          run.replicas = replicas;
          run.links = links;
          for (const replica of replicas) watchForCrash(run, replica);
          if (run.abort.signal.aborted) terminate(run);
        },
        onTelemetry: (batch) => receive(run, batch),
      });
      if (active !== run || run.abort.signal.aborted) return;
      launch(run, prepared.plan, prepared.event, options.paused);
    } catch (error) {
      if (active === run && !run.abort.signal.aborted) fail(run, error);
      else terminate(run);
    }
  };

  const launch = (run: ActiveRun, plan: Plan, event: LogEvent, paused: boolean): void => {
    run.plan = plan;
    run.merger = createMerger(plan.worldSize);
    run.completed = Array.from({ length: plan.worldSize }, () => 0);
    run.target = paused ? 0 : plan.totalSteps;
    run.lastRecordMs = environment.now();
    state.preparation = null;
    state.totalSteps = plan.totalSteps;
    state.activity = run.completed.map(() => 'idle');
    state.status = paused ? 'paused' : 'running';
    run.log.append(event);
    feed.push([event]);
    grant(run);
  };

  const grant = (run: ActiveRun): void => {
    if (run.plan === null || state.status === 'stopped') return;
    const slowest = Math.min(...run.completed);
    const limit = Math.min(run.target, run.plan.totalSteps, run.pacer.limit(slowest));
    if (limit <= run.granted) return;
    run.granted = limit;
    for (const { service } of run.replicas) void service.grant(limit);
  };

  const receive = (run: ActiveRun, batch: TelemetryBatch): void => {
    if (active !== run || isOver(state.status)) return;
    state.activity[batch.rank] = batch.activity;
    run.completed[batch.rank] = batch.completed;
    let merged: Merged[];
    try {
      merged = run.merger.add(batch.rank, batch.reports);
    } catch (error) {
      fail(run, error);
      return;
    }
    record(run, merged);
    if (isOver(state.status)) return;
    const slowest = Math.min(...run.completed);
    state.completed = slowest;
    run.pacer.observe(slowest, environment.now());
    state.samplesPerSecond = samplesPerSecond(run);
    if (state.status === 'running' && slowest >= run.target) {
      settle(run);
    }
    feed.push();
    grant(run);
  };

  /** All granted steps are done: the end, or a pause. */
  const settle = (run: ActiveRun): void => {
    if (run.plan !== null && run.target >= run.plan.totalSteps) {
      end(run, 'finished');
      return;
    }
    state.status = 'paused';
    run.pacer.rest();
  };

  const record = (run: ActiveRun, merged: readonly Merged[]): void => {
    const events: LogEvent[] = [];
    const wall: WallRecord[] = [];
    let failedReason: string | null = null;
    let nonFinite = false;
    const nowMs = environment.now();
    for (const entry of merged) {
      switch (entry.type) {
        case 'step': {
          if (run.plan === null) continue;
          events.push(stepEvent(run.plan, entry.perRank));
          const differ = disagreement(entry.perRank);
          if (differ !== null) events.push(differ);
          wall.push(wallRecord(entry.perRank, wallPerStep(run, merged, nowMs)));
          break;
        }
        case 'eval':
          events.push(evalEvent(entry.perRank));
          break;
        case 'fallback':
          events.push(entry);
          break;
        case 'nonFinite':
          events.push(entry);
          state.failure = nonFiniteFailure(entry.step, entry.ranks);
          nonFinite = true;
          break;
        case 'failed':
          failedReason = `rank ${entry.rank}, step ${entry.step}: ${entry.reason}`;
          break;
      }
    }
    if (wall.length > 0) run.lastRecordMs = nowMs;
    for (const event of events) run.log.append(event);
    feed.push(events, wall);
    if (failedReason !== null) fail(run, new Error(failedReason));
    else if (nonFinite) end(run, 'nonFinite');
  };

  const end = (run: ActiveRun, reason: EndEvent['reason']): void => {
    const event: EndEvent = { type: 'end', step: state.completed, reason };
    run.log.append(event);
    state.status = statusAfter(reason);
    state.preparation = null;
    state.activity = run.completed.map(() => 'idle');
    state.logHash = run.log.hash();
    feed.push([event]);
  };

  const fail = (run: ActiveRun, error: unknown): void => {
    state.failure = failureOf(error);
    end(run, 'failed');
    run.abort.abort();
    terminate(run);
  };

  const watchForCrash = (run: ActiveRun, replica: ReplicaHandle): void => {
    void replica.crashed.then((reason) => {
      if (active !== run || isOver(state.status)) return;
      fail(run, new Error(`the worker of rank ${replica.rank} crashed: ${reason}`));
    });
  };

  /** Ends the active run, if one is under way, and leaves its log and its rank 0 where possible. */
  const stopActive = async (): Promise<void> => {
    const run = active;
    if (run === null || isOver(state.status) || state.status === 'idle') return;
    const preparing = run.plan === null;
    run.abort.abort();
    end(run, 'stopped');
    run.links?.abort();
    if (preparing) terminate(run);
    else await Promise.all(run.replicas.map((replica) => abortOrTerminate(replica)));
  };

  return {
    async connect(page, nestedWorkers) {
      host = page;
      nested = nestedWorkers;
    },
    async start(experiment, options) {
      await stopActive();
      if (active !== null) terminate(active);
      const run = newRun();
      active = run;
      Object.assign(state, initialState(), { run: state.run + 1, status: 'preparing' });
      feed.clear();
      feed.push();
      void begin(run, experiment, options);
      return state.run;
    },
    async pause() {
      if (active === null || state.status !== 'running') return;
      active.target = active.granted;
      if (Math.min(...active.completed) >= active.target) settle(active);
      feed.push();
    },
    async resume() {
      if (active?.plan == null || state.status === 'stopped' || isOver(state.status)) return;
      active.target = active.plan.totalSteps;
      state.status = 'running';
      feed.push();
      grant(active);
    },
    async step() {
      if (active === null || state.status !== 'paused') return;
      active.target = Math.min(...active.completed) + 1;
      state.status = 'running';
      feed.push();
      grant(active);
    },
    stop: stopActive,
    async probe() {
      return (await active?.replicas[0]?.service.probe()) ?? null;
    },
    async sampleBatches() {
      if (active?.plan == null) return [];
      return Promise.all(active.replicas.map(({ service }) => service.sampleBatch()));
    },
    async weights() {
      const first = active?.replicas[0];
      if (active?.plan == null || first === undefined) return {};
      return splitByName(active.plan.model, await first.service.weights());
    },
  };
}

function initialState(): RunState {
  return {
    run: 0,
    status: 'idle',
    preparation: null,
    failure: null,
    timings: [],
    completed: 0,
    totalSteps: 0,
    samplesPerSecond: 0,
    activity: [],
    logHash: null,
  };
}

function newRun(): ActiveRun {
  return {
    abort: new AbortController(),
    log: createRunLog(),
    pacer: createPacer(),
    plan: null,
    merger: createMerger(0),
    replicas: [],
    links: null,
    completed: [],
    granted: 0,
    target: 0,
    lastRecordMs: 0,
  };
}

function isOver(status: RunState['status']): boolean {
  return status === 'finished' || status === 'stopped' || status === 'failed';
}

function statusAfter(reason: EndEvent['reason']): RunState['status'] {
  return reason === 'nonFinite' ? 'failed' : reason;
}

function samplesPerSecond({ pacer, plan }: ActiveRun): number {
  return plan === null ? 0 : pacer.rate() * plan.worldSize * plan.batchPerRank;
}

/** Wall time since the previous record, shared evenly by the step records that came together. */
function wallPerStep(run: ActiveRun, merged: readonly Merged[], nowMs: number): number {
  const records = merged.filter((entry) => entry.type === 'step').length;
  return (nowMs - run.lastRecordMs) / Math.max(1, records);
}

function terminate(run: ActiveRun): void {
  for (const { worker } of run.replicas) worker.terminate();
  run.replicas = [];
}

async function abortOrTerminate({ service, worker }: ReplicaHandle): Promise<void> {
  const patience = new Promise<'late'>((resolve) => {
    setTimeout(() => resolve('late'), STOP_PATIENCE_MS);
  });
  const answer = await Promise.race([service.abort(), patience]);
  if (answer === 'late') worker.terminate();
}

async function spawnOnPage(host: PageHost): Promise<ReplicaWorker> {
  let crashed: (reason: string) => void = () => undefined;
  const { id, port } = await host.spawnReplica(callback((reason: string) => crashed(reason)));
  return {
    port,
    terminate: () => void host.terminateReplica(id),
    onCrash: (listener) => {
      crashed = listener;
    },
  };
}
