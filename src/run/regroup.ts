/** @file After a loss: the ranks that are left, and newcomers, become a group that goes on. */
import { resumePlan } from '#core/course';
import type { Plan } from '#core/plan';
import { vectorLengthOf } from '#transport/channel';
import { type ActiveRun, abandonLinks, slowestOf } from './active-run.ts';
import { type RunGround, replicaSetup } from './prepare.ts';
import { withTransfer } from './remote.ts';
import {
  createLinks,
  linkTransfers,
  ReplicaGoneError,
  type ReplicaHandle,
  startReplicas,
} from './replica-pool.ts';
import { RunFailure } from './run-failure.ts';

export interface RegroupContext extends RunGround {
  /** Whether the run is still wanted. */
  readonly isCurrent: () => boolean;
  /** Called whenever the run has other workers than before. */
  readonly onReplicas: (replicas: readonly ReplicaHandle[]) => void;
}

export interface Regrouped {
  readonly plan: Plan;
  /** Of the weights that all ranks begin with, one a rank. */
  readonly weightsHash: readonly string[];
  readonly newcomers: number;
  /** That rank 0 sent to hand on its state. */
  readonly bytesSent: number;
}

/**
 * Gives up what is under way, goes back to the last commit that all who are left have in common (and
 * that is no later than the last record in which all agreed), and hands rank 0's state to all. Begins
 * again where more are lost meanwhile. Throws RunFailure where nobody is left.
 */
export async function regroup(run: ActiveRun, context: RegroupContext): Promise<Regrouped | null> {
  while (context.isCurrent()) {
    try {
      return await regroupOnce(run, context);
    } catch (error) {
      if (!(error instanceof ReplicaGoneError)) throw error;
    }
  }
  return null;
}

async function regroupOnce(run: ActiveRun, context: RegroupContext): Promise<Regrouped | null> {
  const { plan } = run;
  if (plan === null) throw new Error('the run has no plan yet');
  const answering = await abandonLinks(run);
  const kept = await Promise.all(answering.map(({ ask }) => ask((service) => service.commits())));
  // A newcomer that was not handed the state in time has nothing to go back to.
  const survivors = answering.filter((_, i) => kept[i]?.length);
  for (const replica of answering) if (!survivors.includes(replica)) replica.terminate();
  if (survivors.length === 0) {
    throw new RunFailure('failure.lostAll', { step: run.agreed }, 'every worker is gone');
  }
  // What a lost rank did after its last message is not in the log, and what came after the last
  // record has yet to be compared.
  const step = commonCommit(
    kept.filter((steps) => steps.length),
    Math.min(run.agreed, slowestOf(run)),
  );
  // From here on the log has what it needs of the old group.
  run.generation++;
  run.isDeaf = false;
  const worldSize = plan.recovery.policy === 'replace' ? run.wanted : survivors.length;
  const newcomers = await startReplicas(worldSize - survivors.length, context.spawn);
  const members = [...survivors, ...newcomers].map((handle, rank) => ({ ...handle, rank }));
  run.replicas = members;
  context.onReplicas(newcomers);
  if (!context.isCurrent()) return null;

  const resumed = resumePlan(plan, worldSize, step);
  const next = { ...resumed, recovery: { ...plan.recovery, faults: run.faults } };
  const links = createLinks(context.transport, worldSize, vectorLengthOf(next), false);
  run.links = links;
  const generation = run.generation;
  await Promise.all(
    members.map(async ({ ask, rank }) => {
      const link = links.setups[rank];
      if (link === undefined) throw new Error(`rank ${rank} has no link`);
      if (rank < survivors.length) {
        const place = { rank, generation, plan: next, link, step };
        await ask((service) => service.rejoin(withTransfer(place, linkTransfers(link))));
        return;
      }
      const setup = replicaSetup(context, { rank, generation, plan: next, link });
      await ask((service) => service.prepare(withTransfer(setup.setup, setup.transfers)));
      await ask((service) => service.useBackend(context.backend));
    }),
  );
  const shared = await Promise.all(
    members.map(({ ask }) => ask((service) => service.shareState())),
  );
  return {
    plan: next,
    weightsHash: shared.map(({ weightsHash }) => weightsHash),
    newcomers: newcomers.length,
    bytesSent: shared[0]?.bytesSent ?? 0,
  };
}

/** Two commits a rank are kept, so that the last but one is common to all. */
function commonCommit(kept: readonly (readonly number[])[], latest: number): number {
  const [first = [], ...others] = kept;
  const common = first.filter((step) => others.every((steps) => steps.includes(step)));
  const sound = common.filter((step) => step <= latest);
  const step = sound.length > 0 ? Math.max(...sound) : Math.min(...common);
  if (Number.isFinite(step)) return step;
  throw new Error(`the ranks have no commit in common: ${JSON.stringify(kept)}`);
}
