/** @file One run as the conductor holds it, from its start until the next one replaces it. */
import type { Plan } from '#core/plan';
import { gradientsAStep } from '#core/sync-rules';
import { createMerger, type Merger } from './merge.ts';
import { createPacer, type Pacer } from './pacing.ts';
import { type Links, type ReplicaHandle, unlessGone } from './replica-pool.ts';
import { createRunLog, type RunLog } from './run-log.ts';

/** A rank that does not answer Stop within this time is terminated. Wall ms. */
const STOP_PATIENCE_MS = 300;

export interface ActiveRun {
  readonly abort: AbortController;
  readonly log: RunLog;
  readonly pacer: Pacer;
  /** Null while the run is being prepared. */
  plan: Plan | null;
  merger: Merger;
  replicas: readonly ReplicaHandle[];
  links: Links | null;
  /** Completed steps by rank. */
  completed: number[];
  granted: number;
  /** Steps may be granted up to here: the end, or the next step while stepping. */
  target: number;
  /** When the last record was made. Wall ms. */
  lastRecordMs: number;
  /** The rank that ran out of batches, and at which step; null while all have some. */
  exhausted: { readonly rank: number; readonly step: number } | null;
}

export function newRun(): ActiveRun {
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
    exhausted: null,
  };
}

/** Takes over a plan: the run has been prepared and stands before step 0. */
export function adoptPlan(run: ActiveRun, plan: Plan, paused: boolean, nowMs: number): void {
  run.plan = plan;
  run.merger = createMerger(plan.worldSize);
  run.completed = Array.from({ length: plan.worldSize }, () => 0);
  run.target = paused ? 0 : plan.totalSteps;
  run.lastRecordMs = nowMs;
}

export const slowestOf = (run: ActiveRun): number => Math.min(...run.completed);

/** Samples of all ranks a second of wall time, over the recent past. */
export function samplesPerSecond({ pacer, plan }: ActiveRun): number {
  if (plan === null) return 0;
  return pacer.rate() * gradientsAStep(plan.sync, plan.worldSize) * plan.batchPerRank;
}

/** Lets the replicas run up to the pacer's limit, or to the target if that is nearer. */
export function grantSteps(run: ActiveRun): void {
  if (run.plan === null) return;
  const limit = Math.min(run.target, run.plan.totalSteps, run.pacer.limit(slowestOf(run)));
  if (limit <= run.granted) return;
  run.granted = limit;
  for (const { service } of run.replicas) void service.grant(limit);
}

/** Ends all of the run's workers at once. */
export function terminate(run: ActiveRun): void {
  for (const replica of run.replicas) replica.terminate();
  run.replicas = [];
}

/** Ends what the ranks are doing; keeps the workers that answer, for a last look at the model. */
export async function abandon(run: ActiveRun): Promise<void> {
  run.abort.abort();
  run.links?.abort();
  if (run.plan === null) {
    terminate(run);
    return;
  }
  const alive = await Promise.all(run.replicas.map(abortOrTerminate));
  run.replicas = run.replicas.filter((_, index) => alive[index]);
}

/** Resolves with whether the replica still lives. */
async function abortOrTerminate(replica: ReplicaHandle): Promise<boolean> {
  const patience = new Promise<'late'>((resolve) => {
    setTimeout(() => resolve('late'), STOP_PATIENCE_MS);
  });
  const answer = await Promise.race([replica.service.abort(), patience]);
  if (answer === 'late') replica.terminate();
  return answer !== 'late';
}

/** Rank 0's answer; null where there is no rank 0, or where it ends before it has answered. */
export async function askFirst<T>(
  run: ActiveRun | null,
  call: (service: ReplicaHandle['service']) => Promise<T>,
): Promise<T | null> {
  const first = run?.replicas.find(({ rank }) => rank === 0);
  return first === undefined ? null : first.ask(call).catch(unlessGone(null));
}
