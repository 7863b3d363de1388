/** @file The low-rate side of a run: what changes a few times in it, and so may render React. */
import type { Experiment } from '#experiment/experiment';
import type { BackendTiming } from '#protocol/replica';
import type {
  DisagreementEvent,
  EndEvent,
  EvalEvent,
  FallbackEvent,
  LogEvent,
  NonFiniteEvent,
  RunEvent,
} from '#run/log';
import type { Failure, PageBatch, Preparation, RunStatus } from '#run/service';

export interface RunState {
  readonly status: RunStatus;
  /** The experiment this run was started with; null before the first. */
  readonly experiment: Experiment | null;
  readonly preparation: Preparation | null;
  readonly failure: Failure | null;
  readonly timings: readonly BackendTiming[];
  readonly info: RunEvent | null;
  readonly evaluation: EvalEvent | null;
  readonly fallbacks: readonly FallbackEvent[];
  /** The first step at which the ranks' weights differed. */
  readonly disagreement: DisagreementEvent | null;
  readonly nonFinite: NonFiniteEvent | null;
  readonly end: EndEvent | null;
  readonly logHash: string | null;
}

export const NO_RUN: RunState = {
  status: 'idle',
  experiment: null,
  preparation: null,
  failure: null,
  timings: [],
  info: null,
  evaluation: null,
  fallbacks: [],
  disagreement: null,
  nonFinite: null,
  end: null,
  logHash: null,
};

function reduceEvent(run: RunState, event: LogEvent): RunState {
  switch (event.type) {
    case 'run':
      return { ...run, info: event };
    case 'eval':
      return { ...run, evaluation: event };
    case 'fallback':
      return { ...run, fallbacks: [...run.fallbacks, event] };
    case 'disagreement':
      return run.disagreement ? run : { ...run, disagreement: event };
    case 'nonFinite':
      return run.nonFinite ? run : { ...run, nonFinite: event };
    case 'end':
      return { ...run, end: event };
    default:
      return run;
  }
}

function samePreparation(a: Preparation | null, b: Preparation | null): boolean {
  return a?.stage === b?.stage && a?.fraction === b?.fraction && a?.detail === b?.detail;
}

function sameTimings(a: readonly BackendTiming[], b: readonly BackendTiming[]): boolean {
  return (
    a.length === b.length &&
    a.every((timing, i) => timing.backend === b[i]?.backend && timing.stepMs === b[i]?.stepMs)
  );
}

/** The run after a batch; the very same object where nothing of the low-rate side changed. */
export function reduceBatch(run: RunState, batch: PageBatch): RunState {
  const after = batch.events.reduce(reduceEvent, run);
  const same =
    after.status === batch.status &&
    samePreparation(after.preparation, batch.preparation) &&
    after.failure?.message === batch.failure?.message &&
    after.failure?.detail === batch.failure?.detail &&
    sameTimings(after.timings, batch.timings) &&
    after.logHash === batch.logHash;
  if (same) return after;
  return {
    ...after,
    status: batch.status,
    preparation: batch.preparation,
    failure: batch.failure,
    timings: batch.timings,
    logHash: batch.logHash,
  };
}

/** Whether a run holds the replicas: it may be paused, stepped and stopped. */
export function isActive(status: RunStatus): boolean {
  return status === 'preparing' || status === 'running' || status === 'paused';
}
