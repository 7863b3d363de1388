/** @file Rules between fields of faults and recovery. */
import { parseFaults } from '#core/faults';
import { sampleCounts, totalSteps } from './counts.ts';
import type { Experiment } from './experiment.ts';
import type { Fault, Rule } from './rule.ts';
import { parseStraggler, wantedForm } from './straggler-lines.ts';

const RUN_LENGTH = [
  'data',
  'model.kind',
  'model.context',
  'replicas',
  'batchPerRank',
  'duration',
] as const;

export const RECOVERY_RULES: readonly Rule[] = [
  { path: 'stragglers', reads: ['replicas', 'cluster', 'sync'], fault: absentStraggler },
  { path: 'recovery.policy', reads: ['sync.kind'], fault: recoveryNeedsAllReduce },
  { path: 'recovery.faults', reads: ['replicas', 'recovery.policy'], fault: absentRank },
  { path: 'recovery.faults', reads: RUN_LENGTH, fault: stepAfterTheEnd },
];

/** Between two averages every rank has weights of its own; a commit of one is none of another. */
function recoveryNeedsAllReduce({ recovery, sync }: Experiment): Fault {
  if (recovery.policy === 'stop' || sync.kind === 'allReduce') return null;
  return { message: 'problem.recoveryNeedsAllReduce', parameters: { sync: sync.kind } };
}

/** Ranks that are left are numbered anew after each loss, unless newcomers take the places. */
function absentRank({ recovery, replicas }: Experiment): Fault {
  let present = replicas;
  for (const { kind, ranks, step } of parseFaults(recovery.faults)) {
    const absent = ranks.find((rank) => rank >= present);
    if (absent !== undefined) {
      return {
        message: 'problem.faultRank',
        parameters: { rank: absent, step, last: present - 1 },
      };
    }
    if (recovery.policy === 'stop') return null;
    const apart = kind === 'split' ? Math.min(ranks.length, present - ranks.length) : ranks.length;
    if (apart === present) return { message: 'problem.faultNeedsRanks', parameters: { step } };
    if (recovery.policy === 'shrink') present -= apart;
  }
  return null;
}

function absentStraggler({ stragglers, replicas, cluster, sync }: Experiment): Fault {
  if (stragglers.length > 0 && ['async', 'ssp', 'backup'].includes(sync.kind)) {
    return { message: 'problem.stragglersOrdered', parameters: { sync: sync.kind } };
  }
  for (const line of stragglers) {
    const straggler = parseStraggler(line);
    if (straggler === null) continue;
    const example = wantedForm(straggler);
    if (example !== null)
      return { message: 'problem.stragglerForm', parameters: { line, example } };
    if (straggler.kind === 'loader' && cluster.loaderSamplesPerSecond === 0) {
      return { message: 'problem.stragglerLoader', parameters: { line } };
    }
    const { ranks } = straggler;
    const absent = ranks === 'all' ? undefined : ranks.find((rank) => rank >= replicas);
    if (absent === undefined) continue;
    const parameters = { line, rank: absent, last: replicas - 1 };
    return { message: 'problem.stragglerRank', parameters };
  }
  return null;
}

function stepAfterTheEnd(experiment: Experiment): Fault {
  const { data, model, recovery } = experiment;
  const steps = totalSteps(experiment, sampleCounts(data, model).train);
  const late = parseFaults(recovery.faults).find(({ step }) => step >= steps);
  if (late === undefined) return null;
  return { message: 'problem.faultStep', parameters: { step: late.step, last: steps - 1 } };
}
