/** @file Ranks are lost: by script, by hand, by a crash, or because their numbers are wrong. */
import type { Fault } from '#core/faults';
import type { RegroupDelays } from '#sim/run-clock';
import {
  type ActiveRun,
  adoptRegrouped,
  grantSteps,
  grantWithout,
  nextFault,
  slowestOf,
  terminate,
} from './active-run.ts';
import type { FaultEvent, LogEvent, RecoveryEvent } from './log.ts';
import type { PageFeed, RunState } from './page-feed.ts';
import type { RunGround } from './prepare.ts';
import { regroup } from './regroup.ts';
import type { ReplicaHandle } from './replica-pool.ts';
import { failureOf, RunFailure } from './run-failure.ts';
import type { Failure } from './service.ts';

/** Wall ms until the others are surely waiting for those that a fault is about to take. */
const INTO_THE_STEP_MS = 50;

export interface LossesContext {
  readonly state: RunState;
  readonly feed: PageFeed;
  /** Whether this is the run under way, and it has not ended. */
  readonly isCurrent: (run: ActiveRun) => boolean;
  readonly fail: (run: ActiveRun, failure: Failure) => void;
  /** Called for workers that have just joined. */
  readonly watch: (run: ActiveRun, replica: ReplicaHandle) => void;
  /** Wall ms. */
  readonly now: () => number;
}

export interface Loss {
  readonly kind: FaultEvent['kind'];
  /** As they are numbered now. */
  readonly ranks: readonly number[];
  readonly cause: FaultEvent['cause'];
  /** Steps that were completed by then. */
  readonly step: number;
}

/** Where the old group ended. */
interface Ending {
  readonly kind: FaultEvent['kind'];
  readonly completed: number;
}

export interface Losses {
  /** Ends the ranks' workers; the others go on as the plan says, or the run fails. */
  lose(run: ActiveRun, loss: Loss): void;
  /** Grants steps, and lets the next scheduled fault happen if its step has come. */
  proceed(run: ActiveRun): void;
}

export function createLosses(context: LossesContext): Losses {
  const { state, feed, isCurrent, now } = context;

  const append = (run: ActiveRun, event: LogEvent): void => {
    run.log.append(event);
    feed.push([event]);
  };

  const lose = (run: ActiveRun, { kind, ranks, cause, step }: Loss): void => {
    const gone = run.replicas.filter(({ rank, isGone }) => ranks.includes(rank) && !isGone());
    for (const replica of gone) replica.terminate();
    append(run, { type: 'fault', step, kind, ranks, cause });
    if (run.isRegrouping) return;
    if (run.plan === null || run.ground === null || run.plan.recovery.policy === 'stop') {
      context.fail(run, lostFailure(step, ranks));
      return;
    }
    run.isRegrouping = true;
    run.isDeaf = cause === 'found' && kind !== 'crash';
    void goOn(run, run.ground, { kind, completed: step });
  };

  const goOn = async (
    run: ActiveRun,
    ground: RunGround,
    { kind, completed }: Ending,
  ): Promise<void> => {
    try {
      const regrouped = await regroup(run, {
        ...ground,
        isCurrent: () => isCurrent(run),
        onReplicas: (replicas) => {
          for (const replica of replicas) context.watch(run, replica);
        },
      });
      if (regrouped === null || !isCurrent(run)) {
        terminate(run);
        return;
      }
      const { plan, weightsHash, newcomers, bytesSent } = regrouped;
      run.isRegrouping = false;
      adoptRegrouped(run, plan, now());
      const step = plan.resumed?.step ?? 0;
      const clusterMs = run.clock?.regroup(plan, step, delaysOf(ground, kind, newcomers)) ?? 0;
      const event: RecoveryEvent = {
        type: 'recovery',
        step,
        lostSteps: completed - step,
        worldSize: plan.worldSize,
        newcomers,
        totalSteps: plan.totalSteps,
        weightsHash,
        bytesSent,
        clusterMs,
      };
      state.completed = step;
      state.totalSteps = plan.totalSteps;
      state.activity = run.completed.map(() => 'idle');
      append(run, event);
      proceed(run);
    } catch (error) {
      if (isCurrent(run)) context.fail(run, failureOf(error));
      else terminate(run);
    }
  };

  const proceed = (run: ActiveRun): void => {
    grantSteps(run);
    strike(run);
  };

  const strike = (run: ActiveRun): void => {
    const fault = nextFault(run);
    if (fault === undefined || run.isRegrouping || run.isStriking) return;
    // A paused run stands still; its faults wait.
    if (slowestOf(run) < fault.step || run.target <= fault.step) return;
    run.isStriking = true;
    const { kind, step } = fault;
    const { generation } = run;
    const ranks = lostBy(fault, run.completed.length);
    grantWithout(run, ranks);
    setTimeout(() => {
      if (!isCurrent(run)) return;
      run.isStriking = false;
      // Others were lost meanwhile: this one happens when its step comes again.
      if (run.isRegrouping) return;
      if (run.generation !== generation) {
        proceed(run);
        return;
      }
      run.faults = run.faults.filter((other) => other !== fault);
      lose(run, { kind, ranks, cause: 'script', step });
    }, INTO_THE_STEP_MS);
  };

  return { lose, proceed };
}

/** A rank that is killed is noticed at once; one that says nothing only by its silence. */
function delaysOf(
  { experiment }: RunGround,
  kind: FaultEvent['kind'],
  newcomers: number,
): RegroupDelays {
  const { recovery } = experiment;
  if (recovery.policy === 'stop') return { detectSeconds: 0, joinSeconds: 0 };
  const isSilent = kind === 'hang' || kind === 'link' || kind === 'split';
  return {
    detectSeconds: isSilent ? recovery.timeoutSeconds : 0,
    joinSeconds: newcomers > 0 ? recovery.joinSeconds : 0,
  };
}

/** When the network splits, the smaller side is lost; of two halves the one without rank 0. */
function lostBy({ kind, ranks }: Fault, worldSize: number): readonly number[] {
  if (kind !== 'split') return ranks;
  const others = Array.from({ length: worldSize }, (_, rank) => rank).filter(
    (rank) => !ranks.includes(rank),
  );
  if (ranks.length !== others.length) return ranks.length < others.length ? ranks : others;
  return ranks.includes(0) ? others : ranks;
}

function lostFailure(step: number, ranks: readonly number[]): Failure {
  const parameters = { step, ranks: ranks.join(', '), count: ranks.length };
  return new RunFailure('failure.lost', parameters, '').failure;
}
