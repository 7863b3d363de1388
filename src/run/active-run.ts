/** @file One run as the conductor holds it, from its start until the next one replaces it. */
import { type Fault, isSilent } from '#core/faults';
import type { Plan } from '#core/plan';
import { gradientsAStep } from '#core/sync-rules';
import type { RunClock } from '#sim/run-clock';
import { createMerger, type Merger } from './merge.ts';
import { createPacer, type Pacer } from './pacing.ts';
import type { RunGround } from './prepare.ts';
import { type Links, type ReplicaHandle, unlessGone } from './replica-pool.ts';
import { createRunLog, type RunLog } from './run-log.ts';

/** A rank whose step takes longer than this is given up with those that are gone. Wall ms. */
const REGROUP_PATIENCE_MS = 5000;
/** A rank that does not answer Stop within this time is terminated. Wall ms. */
const STOP_PATIENCE_MS = 300;

export interface ActiveRun {
  readonly abort: AbortController;
  readonly log: RunLog;
  readonly pacer: Pacer;
  /** Null while the run is being prepared. */
  plan: Plan | null;
  merger: Merger;
  /** What a worker that joins later is set up with; null while the run is being prepared. */
  ground: RunGround | null;
  /** The cluster's; null while the run is being prepared. */
  clock: RunClock | null;
  replicas: readonly ReplicaHandle[];
  links: Links | null;
  /** Completed steps by rank. */
  completed: number[];
  granted: number;
  /** Goes up whenever the ranks are gathered anew. */
  generation: number;
  /** Ranks that the run began with. */
  wanted: number;
  /** Scheduled faults that have yet to come, by step. */
  faults: readonly Fault[];
  /** Completed steps when all ranks last agreed. */
  agreed: number;
  /** Ranks are being gathered anew. */
  isRegrouping: boolean;
  /** What the ranks still have to say is about steps that are given up. */
  isDeaf: boolean;
  /** The next scheduled fault is about to happen. */
  isStriking: boolean;
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
    ground: null,
    clock: null,
    replicas: [],
    links: null,
    completed: [],
    granted: 0,
    generation: 0,
    wanted: 0,
    faults: [],
    agreed: 0,
    isRegrouping: false,
    isDeaf: false,
    isStriking: false,
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
  run.wanted = plan.worldSize;
  run.faults = plan.recovery.faults;
  run.target = paused ? 0 : plan.totalSteps;
  run.lastRecordMs = nowMs;
}

export const slowestOf = (run: ActiveRun): number => Math.min(...run.completed);

/** Samples of all ranks a second of wall time, over the recent past. */
export function samplesPerSecond({ pacer, plan }: ActiveRun): number {
  if (plan === null) return 0;
  return pacer.rate() * gradientsAStep(plan.sync, plan.worldSize) * plan.batchPerRank;
}

/** Takes over the plan of ranks that were gathered anew, before its first step. */
export function adoptRegrouped(run: ActiveRun, plan: Plan, nowMs: number): void {
  const step = plan.resumed?.step ?? 0;
  const ran = run.target === run.plan?.totalSteps;
  run.plan = plan;
  run.merger = createMerger(plan.worldSize);
  run.completed = Array.from({ length: plan.worldSize }, () => step);
  run.granted = step;
  run.agreed = step;
  run.target = ran ? plan.totalSteps : Math.min(run.target, plan.totalSteps);
  run.lastRecordMs = nowMs;
  run.pacer.rest();
}

/** The next scheduled fault that comes from outside, and does not happen within a rank's step. */
export const nextFault = ({ faults }: ActiveRun): Fault | undefined =>
  faults.find(({ kind }) => !isSilent(kind));

/** Completed steps at the record that shows the next scheduled flip of a bit. */
function flipShows({ faults, plan }: ActiveRun): number {
  const flip = faults.find(({ kind }) => kind === 'flip');
  if (flip === undefined || plan === null) return Number.POSITIVE_INFINITY;
  return Math.ceil((flip.step + 1) / plan.logEvery) * plan.logEvery;
}

/**
 * Lets the replicas run up to the pacer's limit, or to the target if that is nearer; not beyond the
 * step of a scheduled fault, so that all that came before it is told, nor beyond the record that
 * shows one, so that the commit before it is still kept.
 */
export function grantSteps(run: ActiveRun): void {
  if (run.plan === null || run.isRegrouping) return;
  const limit = Math.min(run.target, run.plan.totalSteps, run.pacer.limit(slowestOf(run)));
  const granted = Math.min(limit, nextFault(run)?.step ?? limit, flipShows(run));
  if (granted <= run.granted) return;
  run.granted = granted;
  for (const { service } of run.replicas) void service.grant(granted);
}

/** Lets all ranks but some into the step that comes next, which they cannot finish without these. */
export function grantWithout(run: ActiveRun, held: readonly number[]): void {
  for (const { service, rank } of run.replicas) {
    if (!held.includes(rank)) void service.grant(run.granted + 1);
  }
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
  const alive = await Promise.all(
    run.replicas.map((replica) => abortOrTerminate(replica, STOP_PATIENCE_MS)),
  );
  run.replicas = run.replicas.filter((_, index) => alive[index]);
}

/** Ends what the ranks are doing so that they can be gathered anew; returns those that answer. */
export async function abandonLinks(run: ActiveRun): Promise<ReplicaHandle[]> {
  run.links?.abort();
  const alive = run.replicas.filter((replica) => !replica.isGone());
  const answers = await Promise.all(
    alive.map((replica) => abortOrTerminate(replica, REGROUP_PATIENCE_MS)),
  );
  return alive.filter((replica, index) => answers[index] && !replica.isGone());
}

/** Resolves with whether the replica still lives. */
async function abortOrTerminate(replica: ReplicaHandle, patienceMs: number): Promise<boolean> {
  const patience = new Promise<'late'>((resolve) => {
    setTimeout(() => resolve('late'), patienceMs);
  });
  const answer = await Promise.race([
    replica.ask((service) => service.abort()).catch(unlessGone('late' as const)),
    patience,
  ]);
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
