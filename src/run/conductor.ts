/** @file The conductor: prepares a run, paces its replicas, writes its log, tells the page. */
import { splitByName } from '#core/named-weights';
import type { Experiment } from '#experiment/experiment';
import type { Probe, TelemetryBatch } from '#protocol/replica';
import {
  type ActiveRun,
  abandon,
  adoptPlan,
  askFirst,
  grantSteps,
  newRun,
  samplesPerSecond,
  slowestOf,
  terminate,
} from './active-run.ts';
import { createWatchdog, hangOf } from './hang.ts';
import type { EndEvent } from './log.ts';
import type { Merged } from './merge.ts';
import { createPageFeed, type RunState } from './page-feed.ts';
import { type PreparedRun, prepareRun } from './prepare.ts';
import { recordMerged } from './record.ts';
import { callback } from './remote.ts';
import { type ReplicaHandle, type ReplicaWorker, unlessGone } from './replica-pool.ts';
import { failureOf, hangFailure } from './run-failure.ts';
import type { ConductorService, Failure, PageHost, StartOptions } from './service.ts';

export interface ConductorEnvironment {
  /** Starts a replica worker from here; the page does it where this is null. */
  readonly spawnNested: (() => ReplicaWorker) | null;
  readonly isolated: boolean;
  /** Wall ms. */
  readonly now: () => number;
}

export function createConductor(environment: ConductorEnvironment): ConductorService {
  const { now } = environment;
  let host: PageHost | null = null;
  let nested = true;
  let active: ActiveRun | null = null;
  let starts = 0;
  const state = initialState();
  const feed = createPageFeed(state, () => host);
  const watchdog = createWatchdog(() => {
    if (active !== null && state.status === 'running') reportHang(active);
  });

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
      launch(run, prepared, options.paused);
    } catch (error) {
      if (active === run && !run.abort.signal.aborted) fail(run, failureOf(error));
      else terminate(run);
    }
  };

  const launch = (run: ActiveRun, { plan, event }: PreparedRun, paused: boolean): void => {
    adoptPlan(run, plan, paused, now());
    state.preparation = null;
    state.totalSteps = plan.totalSteps;
    state.activity = run.completed.map(() => 'idle');
    state.status = paused ? 'paused' : 'running';
    run.log.append(event);
    feed.push([event]);
    grantSteps(run);
  };

  const receive = (run: ActiveRun, batch: TelemetryBatch): void => {
    if (active !== run || isOver(state.status)) return;
    state.activity[batch.rank] = batch.activity;
    run.completed[batch.rank] = batch.completed;
    // First, for a record may end the run, and the end says how far it came.
    state.completed = slowestOf(run);
    try {
      record(run, run.merger.add(batch.rank, batch.reports));
    } catch (error) {
      fail(run, failureOf(error));
    }
    if (isOver(state.status)) return;
    if (run.exhausted !== null) watchdog.feed();
    run.pacer.observe(state.completed, now());
    state.samplesPerSecond = samplesPerSecond(run);
    if (state.status === 'running' && state.completed >= run.target) settle(run);
    feed.push();
    grantSteps(run);
  };

  const record = (run: ActiveRun, merged: readonly Merged[]): void => {
    if (run.plan === null || merged.length === 0) return;
    run.exhausted ??= merged.find((entry) => entry.type === 'exhausted') ?? null;
    const nowMs = now();
    const { events, wall, ending } = recordMerged(run.plan, merged, nowMs - run.lastRecordMs);
    if (wall.length > 0) run.lastRecordMs = nowMs;
    for (const event of events) run.log.append(event);
    feed.push(events, wall);
    if (ending?.reason === 'failed') fail(run, ending.failure);
    else if (ending !== null) end(run, ending.reason, ending.failure);
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

  const end = (
    run: ActiveRun,
    reason: EndEvent['reason'],
    failure: Failure | null = null,
  ): void => {
    const event: EndEvent = { type: 'end', step: state.completed, reason };
    watchdog.stop();
    run.log.append(event);
    state.status = reason === 'nonFinite' || reason === 'hang' ? 'failed' : reason;
    state.failure = failure;
    state.preparation = null;
    state.activity = run.completed.map(() => 'idle');
    state.logHash = run.log.hash();
    feed.push([event]);
  };

  const fail = (run: ActiveRun, failure: Failure): void => {
    end(run, 'failed', failure);
    run.abort.abort();
    terminate(run);
  };

  /** The ranks that wait are woken, so that the model can still be looked at. */
  const reportHang = (run: ActiveRun): void => {
    const hang = hangOf(run, state.activity);
    if (hang === null) return;
    run.log.append(hang);
    feed.push([hang]);
    end(run, 'hang', hangFailure(hang));
    void abandon(run);
  };

  const watchForCrash = (run: ActiveRun, replica: ReplicaHandle): void => {
    void replica.crashed.then((reason) => {
      if (active !== run || isOver(state.status)) return;
      fail(run, failureOf(new Error(`the worker of rank ${replica.rank} crashed: ${reason}`)));
    });
  };

  /** Ends the active run, if one is under way, and leaves its log and its rank 0 where possible. */
  const stopActive = async (): Promise<void> => {
    if (active === null || isOver(state.status) || state.status === 'idle') return;
    end(active, 'stopped');
    await abandon(active);
  };

  /** Lets the paused or pausing run go on to `target` steps. */
  const runTo = (run: ActiveRun, target: number): void => {
    run.target = target;
    run.lastRecordMs = now();
    state.status = 'running';
    feed.push();
    grantSteps(run);
  };

  return {
    async connect(page, nestedWorkers) {
      host = page;
      nested = nestedWorkers;
    },
    async start(experiment, options) {
      const request = ++starts;
      await stopActive();
      // Of starts that come while one is still waiting here, the last one counts.
      if (request !== starts) return state.run;
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
      if (slowestOf(active) >= active.target) settle(active);
      feed.push();
    },
    async resume() {
      if (active?.plan == null || isOver(state.status)) return;
      runTo(active, active.plan.totalSteps);
    },
    async step() {
      if (active === null || state.status !== 'paused') return;
      runTo(active, slowestOf(active) + 1);
    },
    stop: stopActive,
    async probe() {
      return askFirst(active, async (service): Promise<Probe | null> => service.probe());
    },
    async sampleBatches() {
      if (active?.plan == null || active.replicas.length < active.plan.worldSize) return [];
      const batches = active.replicas.map(({ ask }) => ask((service) => service.sampleBatch()));
      return Promise.all(batches).catch(unlessGone([]));
    },
    async weights() {
      const plan = active?.plan;
      const state = await askFirst(active, (service) => service.state());
      return plan == null || state === null ? {} : splitByName(plan.model, state);
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

function isOver(status: RunState['status']): boolean {
  return status === 'finished' || status === 'stopped' || status === 'failed';
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
