/** @file The lab's store: the experiment and its draft, the run, and what a learner may do. */

import { createStore, type StoreApi } from 'zustand/vanilla';
import type { DataChoice, Experiment, ParseResult, Problem } from '#experiment/experiment';
import type { Field } from '#experiment/field';
import { FIELDS, isPresent } from '#experiment/fields';
import { parseExperiment, requireExperiment } from '#experiment/parse';
import type { BatchSample, Probe } from '#protocol/replica';
import type { Failure, PageBatch } from '#run/service';
import { type Beat, createBeat } from './beat.ts';
import type { LabClient } from './client.ts';
import { type Json, type JsonObject, valueAt, without, withValue } from './draft.ts';
import { createRunSeries, type RunSeries } from './run-series.ts';
import { isActive, NO_RUN, type RunState, reduceBatch } from './run-state.ts';

/** Wall milliseconds between two beats: as fast as digits can be read. */
const BEAT_MS = 250;

export interface LabState {
  /** The last good experiment; the next run uses it. */
  readonly experiment: Experiment;
  /** What the fields show. */
  readonly draft: JsonObject;
  readonly problems: readonly Problem[];
  readonly run: RunState;
  readonly probe: Probe | null;
  /** The first samples of each rank's present batch, by rank. */
  readonly batches: readonly BatchSample[];
}

export interface LabActions {
  /** Puts a value at a path of the draft; a bad one leaves the last good experiment in force. */
  edit(path: string, value: Json): void;
  /** Replaces the whole experiment, unless it is refused: then its problems are shown. */
  load(result: ParseResult): void;
  /** Another data set, with the defaults that suit it; the seed stays. */
  chooseTask(name: DataChoice['name']): void;
  /** Starts, pauses or resumes, whichever the run's status allows. */
  train(): void;
  /** One step, then paused; starts the run where there is none. */
  step(): void;
  stop(): void;
  /** Starts anew with the last good experiment, whatever is going on. */
  /** Terminates a rank's worker in the run under way. */
  kill(rank: number): void;
  restart(): void;
  /** Ends the run and forgets it; the experiment stays. */
  reset(): void;
  showProbe(probe: Probe | null): void;
  showBatches(batches: readonly BatchSample[]): void;
}

export interface LabStore extends StoreApi<LabState> {
  readonly actions: LabActions;
  readonly series: RunSeries;
  /** When live figures are to be shown anew. */
  readonly beat: Beat;
  readonly client: LabClient;
}

export interface LabOptions {
  readonly client: LabClient;
  /** Where the packed data is served, absolute. */
  readonly dataUrl: string;
  /** The experiment to begin with; the default one where it is null or refused. */
  readonly initial: ParseResult | null;
  /** Wall clock, milliseconds. */
  readonly now: () => number;
}

function initialState(initial: ParseResult | null): LabState {
  const experiment = initial?.ok ? initial.experiment : requireExperiment({});
  return {
    experiment,
    draft: draftOf(experiment),
    problems: initial && !initial.ok ? initial.problems : [],
    run: NO_RUN,
    probe: null,
    batches: [],
  };
}

/** An experiment is JSON by definition; its interface only lacks the index signature. */
function draftOf(experiment: Experiment): JsonObject {
  return experiment as unknown as JsonObject;
}

function judge(draft: JsonObject): Partial<LabState> {
  const parsed = parseExperiment(draft);
  if (!parsed.ok) return { draft, problems: parsed.problems };
  return { experiment: parsed.experiment, draft: draftOf(parsed.experiment), problems: [] };
}

/** The edited draft, without what belongs to variants that are no longer chosen. */
function withChoice(draft: JsonObject, path: string, value: Json): JsonObject {
  const edited = withValue(draft, path, value);
  const gone = FIELDS.filter(
    (field: Field) => field.when?.path === path && !isPresent(field, (at) => valueAt(edited, at)),
  );
  return gone.reduce((kept, field) => without(kept, field.path), edited);
}

/** A vanilla store over one client. Batches of runs that were reset are ignored. */
export function createLabStore(options: LabOptions): LabStore {
  const { client, dataUrl, now } = options;
  const { conductor } = client;
  const store = createStore<LabState>(() => initialState(options.initial));
  const series = createRunSeries();
  /** Batches count from this run on; Infinity while there is none. */
  let firstRun = Number.POSITIVE_INFINITY;
  let latestRun = 0;
  /** Steps asked for while the run was still being prepared. */
  let stepsWanted = 0;

  const setRun = (change: Partial<RunState>): void =>
    store.setState((state) => ({ run: { ...state.run, ...change } }));

  function fail(error: unknown): void {
    const failure: Failure = {
      message: 'page.failure.call',
      parameters: {},
      detail: error instanceof Error ? error.message : String(error),
    };
    setRun({ status: 'failed', failure });
  }

  const call = (promise: Promise<unknown>): void => void promise.catch(fail);

  function take(batch: PageBatch): void {
    latestRun = Math.max(latestRun, batch.run);
    if (batch.run < firstRun) return;
    series.take(batch, now());
    const { run } = store.getState();
    const next = reduceBatch(run, batch);
    if (next !== run) store.setState({ run: next });
    if (batch.status === 'paused' && stepsWanted > 0) {
      stepsWanted--;
      call(conductor.step());
    }
  }

  function start(paused: boolean): void {
    const { experiment } = store.getState();
    series.clear();
    firstRun = latestRun + 1;
    store.setState({
      run: { ...NO_RUN, status: 'preparing', experiment },
      probe: null,
      batches: [],
    });
    call(
      conductor.start(experiment, { paused, dataUrl, given: null }).then((run) => {
        latestRun = Math.max(latestRun, run);
      }),
    );
  }

  const actions: LabActions = {
    edit: (path, value) => store.setState((state) => judge(withChoice(state.draft, path, value))),
    load: (result) =>
      store.setState((state) =>
        result.ok
          ? { experiment: result.experiment, draft: draftOf(result.experiment), problems: [] }
          : { draft: draftOf(state.experiment), problems: result.problems },
      ),
    chooseTask: (name) =>
      store.setState((state) => judge({ data: { name }, seed: state.experiment.seed })),
    train() {
      const { status } = store.getState().run;
      if (status === 'running') call(conductor.pause());
      else if (status === 'paused') call(conductor.resume());
      else if (status !== 'preparing') start(false);
    },
    step() {
      const { status } = store.getState().run;
      if (status === 'preparing') stepsWanted++;
      else if (isActive(status)) call(conductor.step());
      else {
        stepsWanted = 1;
        start(true);
      }
    },
    stop() {
      stepsWanted = 0;
      if (isActive(store.getState().run.status)) call(conductor.stop());
    },
    kill(rank) {
      void client.conductor.kill(rank);
    },
    restart() {
      stepsWanted = 0;
      start(false);
    },
    reset() {
      stepsWanted = 0;
      firstRun = Number.POSITIVE_INFINITY;
      if (isActive(store.getState().run.status)) call(conductor.stop());
      series.clear();
      store.setState({ run: NO_RUN, probe: null, batches: [] });
    },
    showProbe: (probe) => store.setState({ probe }),
    showBatches: (batches) => store.setState({ batches }),
  };

  client.subscribe(take);
  return { ...store, actions, series, beat: createBeat(series.subscribe, BEAT_MS), client };
}
