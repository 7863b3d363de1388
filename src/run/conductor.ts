/** @file The conductor: prepares a run, paces its replicas, writes its log, tells the page. */
import { splitByName } from '#core/named-weights';
import type { Experiment } from '#experiment/experiment';
import type { Probe, TelemetryBatch } from '#protocol/replica';
import {
  type ActiveRun,
  abandon,
  adoptPlan,
  askFirst,
  newRun,
  samplesPerSecond,
  slowestOf,
  terminate,
} from './active-run.ts';
import { findSick } from './eviction.ts';
import { createWatchdog, hangOf } from './hang.ts';
import type { EndEvent } from './log.ts';
import { createLosses } from './losses.ts';
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

  const isCurrent = (run: ActiveRun): boolean => active === run && !isOver(state.status);

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

  const launch = (run: ActiveRun, prepared: PreparedRun, paused: boolean): void => {
    const { plan, event, ground, clock } = prepared;
    adoptPlan(run, plan, paused, now());
    run.ground = ground;
    run.clock = clock;
    state.preparation = null;
    state.totalSteps = plan.totalSteps;
    state.activity = run.completed.map(() => 'idle');
    state.status = paused ? 'paused' : 'running';
    run.log.append(event);
    feed.push([event]);
    losses.proceed(run);
  };

  const receive = (run: ActiveRun, batch: TelemetryBatch): void => {
    if (!isCurrent(run) || run.plan === null) return;
    if (run.isDeaf || batch.generation !== run.generation) return;
    state.activity[batch.rank] = batch.activity;
    run.completed[batch.rank] = batch.completed;
    // First, for a record may end the run, and the end says how far it came.
    state.completed = slowestOf(run);
    try {
      record(run, run.merger.add(batch.rank, batch.reports));
    } catch (error) {
      fail(run, failureOf(error));
    }
    if (!isCurrent(run) || run.isRegrouping) return;
    if (run.exhausted !== null) watchdog.feed();
    run.pacer.observe(state.completed, now());
    state.samplesPerSecond = samplesPerSecond(run);
    if (state.status === 'running' && state.completed >= run.target) settle(run);
    feed.push();
    losses.proceed(run);
  };

  const record = (run: ActiveRun, merged: readonly Merged[]): void => {
    if (run.plan === null || run.clock === null || merged.length === 0) return;
    run.exhausted ??= merged.find((entry) => entry.type === 'exhausted') ?? null;
    const nowMs = now();
    const { events, wall, ending } = recordMerged(
      run.plan,
      merged,
      nowMs - run.lastRecordMs,
      run.clock,
    );
    if (wall.length > 0) run.lastRecordMs = nowMs;
    const sick = findSick(run, events);
    const kept = sick === null ? events : events.slice(0, sick.index + 1);
    for (const event of kept) run.log.append(event);
    const steps = kept.filter(({ type }) => type === 'step').length;
    feed.push(kept, wall.slice(0, steps));
    if (sick !== null) {
      losses.lose(run, sick.loss);
      return;
    }
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
      if (!isCurrent(run)) return;
      const rank = run.replicas.find(({ id }) => id === replica.id)?.rank ?? replica.rank;
      if (run.plan === null || run.plan.recovery.policy === 'stop') {
        fail(run, failureOf(new Error(`the worker of rank ${rank} crashed: ${reason}`)));
      } else
        losses.lose(run, {
          kind: 'crash',
          ranks: [rank],
          cause: 'found',
          step: state.completed,
        });
    });
  };

  const losses = createLosses({
    state,
    feed,
    isCurrent,
    now,
    fail: (run, failure) => fail(run, failure),
    watch: (run, replica) => watchForCrash(run, replica),
  });

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
    losses.proceed(run);
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
    async kill(rank) {
      if (active?.plan == null || !isCurrent(active)) return false;
      const victim = active.replicas.find((replica) => replica.rank === rank);
      if (victim === undefined || victim.isGone()) return false;
      losses.lose(active, {
        kind: 'kill',
        ranks: [rank],
        cause: 'hand',
        step: state.completed,
      });
      return true;
    },
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
