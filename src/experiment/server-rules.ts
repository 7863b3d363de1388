/** @file Rules where ranks are not waited for, or get batches by their speeds. */
import { samplesPerRank } from '#core/sampler';
import { balancedBatches, hasServer, isBalanced, speedsOf } from '#core/sync-rules';
import { sampleCounts } from './counts.ts';
import type { Experiment } from './experiment.ts';
import type { Fault, Rule } from './rule.ts';

export const SERVER_RULES: readonly Rule[] = [
  { path: 'sync.splits', reads: ['replicas', 'sync.kind'], fault: splitsOverReplicas },
  { path: 'sync.backups', reads: ['replicas', 'sync.kind'], fault: backupsOverReplicas },
  { path: 'sync.slowdowns', reads: ['replicas', 'sync'], fault: slowdownsOfNobody },
  {
    path: 'sync.balance',
    reads: ['replicas', 'batchPerRank', 'data', 'model.kind', 'model.context', 'sync'],
    fault: rankWithoutSamples,
  },
  { path: 'communication.collective', reads: ['sync.kind'], fault: serverIsStar },
  { path: 'compression.kind', reads: ['sync.kind'], fault: compressionNeedsAllReduce },
  {
    path: 'accumulation.noSync',
    reads: ['accumulation.microBatches', 'sync'],
    fault: partsNeedNoSync,
  },
  { path: 'lossScaling.kind', reads: ['sync.kind', 'precision.format'], fault: scaleNeedsAllRanks },
  { path: 'mistakes.noBroadcast', reads: ['sync.kind'], fault: serverBroadcasts },
];

function splitsOverReplicas({ sync, replicas }: Experiment): Fault {
  if (!hasServer(sync) || sync.splits <= replicas) return null;
  return { message: 'problem.splitsOverReplicas', parameters: { replicas } };
}

function backupsOverReplicas({ sync, replicas }: Experiment): Fault {
  if (sync.kind !== 'backup' || sync.backups < replicas) return null;
  return {
    message: 'problem.backupsOverReplicas',
    parameters: { replicas, maximum: replicas - 1 },
  };
}

function slowdownsOfNobody({ sync, replicas }: Experiment): Fault {
  if (!('slowdowns' in sync) || sync.slowdowns.length === 0) return null;
  if (sync.kind === 'allReduce' && sync.balance === 'off') {
    return { message: 'problem.slowdownsUnused', parameters: {} };
  }
  if (sync.slowdowns.length <= replicas) return null;
  return { message: 'problem.slowdownsOverReplicas', parameters: { replicas } };
}

/** Judges the smallest step: the last one of an epoch. */
function rankWithoutSamples({ sync, replicas, batchPerRank, data, model }: Experiment): Fault {
  if (sync.kind !== 'allReduce' || sync.balance === 'off') return null;
  const perRank = samplesPerRank(sampleCounts(data, model).train, replicas, false);
  const total = replicas * (perRank % batchPerRank || batchPerRank);
  const rank = balancedBatches(total, speedsOf(sync.slowdowns, replicas)).indexOf(0);
  if (rank < 0) return null;
  return { message: 'problem.rankWithoutSamples', parameters: { rank, total } };
}

function serverIsStar({ communication, sync }: Experiment): Fault {
  if (!hasServer(sync) || communication.collective === 'star') return null;
  return { message: 'problem.serverIsStar', parameters: { sync: sync.kind } };
}

function compressionNeedsAllReduce({ compression, sync }: Experiment): Fault {
  if (compression.kind === 'none' || !(hasServer(sync) || sync.kind === 'backup')) return null;
  return { message: 'problem.compressionNeedsAllReduce', parameters: { sync: sync.kind } };
}

function partsNeedNoSync({ accumulation, sync }: Experiment): Fault {
  if (accumulation.noSync || accumulation.microBatches === 1) return null;
  const unlike = hasServer(sync) || sync.kind === 'backup' || isBalanced(sync);
  return unlike ? { message: 'problem.partsNeedNoSync', parameters: {} } : null;
}

function scaleNeedsAllRanks({ lossScaling, sync }: Experiment): Fault {
  if (lossScaling.kind !== 'dynamic' || !hasServer(sync)) return null;
  return { message: 'problem.scaleNeedsAllRanks', parameters: { sync: sync.kind } };
}

function serverBroadcasts({ mistakes, sync }: Experiment): Fault {
  if (!mistakes.noBroadcast || !hasServer(sync)) return null;
  return { message: 'problem.serverBroadcasts', parameters: { sync: sync.kind } };
}
