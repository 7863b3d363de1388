/** @file Rules between fields of communication, compression and synchronisation. */
import type { Experiment } from './experiment.ts';
import type { Fault, Rule } from './rule.ts';

const GATHERED: readonly string[] = [
  'topK',
  'dgc',
  'qsgd',
  'ternGrad',
  'signSgd',
  'efSignSgd',
  'oneBit',
];

/** Whether a compressor's payloads differ from rank to rank, so that they cannot be added on the way. */
export function isGathered(kind: Experiment['compression']['kind']): boolean {
  return GATHERED.includes(kind);
}

export const COMMUNICATION_RULES: readonly Rule[] = [
  { path: 'communication.ranksPerNode', reads: ['replicas'], fault: nodesDivideReplicas },
  { path: 'communication.collective', reads: ['compression.kind'], fault: gatherNeedsRing },
  { path: 'compression.kind', reads: ['sync.kind'], fault: compressionNeedsGradients },
  { path: 'optimizer.kind', reads: ['compression.kind', 'optimizer'], fault: dgcHasMomentum },
  { path: 'compression.scaled', reads: ['compression'], fault: scaledWithFeedback },
  { path: 'mistakes.noErrorFeedback', reads: ['compression'], fault: nothingKeptBack },
  { path: 'mistakes.sumNotMean', reads: ['sync.kind'], fault: sumNeedsGradients },
  {
    path: 'accumulation.microBatches',
    reads: ['batchPerRank', 'data', 'replicas'],
    fault: microBatchesOverBatch,
  },
  { path: 'learningRate.milestones', reads: ['learningRate'], fault: milestonesAscend },
];

function nodesDivideReplicas({ communication, replicas }: Experiment): Fault {
  if (communication.collective !== 'hierarchical') return null;
  if (replicas % communication.ranksPerNode === 0) return null;
  const sizes = Array.from({ length: replicas }, (_, i) => i + 1);
  const allowed = sizes.filter((size) => replicas % size === 0).join(', ');
  return { message: 'problem.nodesDivideReplicas', parameters: { replicas, allowed } };
}

function gatherNeedsRing({ communication, compression }: Experiment): Fault {
  if (communication.collective === 'ring' || !isGathered(compression.kind)) return null;
  return { message: 'problem.gatherNeedsRing', parameters: { kind: compression.kind } };
}

function compressionNeedsGradients({ compression, sync }: Experiment): Fault {
  if (compression.kind === 'none' || !('period' in sync)) return null;
  return { message: 'problem.compressionNeedsGradients', parameters: { sync: sync.kind } };
}

function dgcHasMomentum({ compression, optimizer }: Experiment): Fault {
  if (compression.kind !== 'dgc') return null;
  if (optimizer.kind === 'sgd' && optimizer.momentum === 0) return null;
  return { message: 'problem.dgcHasMomentum', parameters: {} };
}

function scaledWithFeedback({ compression }: Experiment): Fault {
  if (compression.kind !== 'randomK') return null;
  if (!(compression.scaled && compression.errorFeedback)) return null;
  return { message: 'problem.scaledWithFeedback', parameters: {} };
}

function nothingKeptBack({ compression, mistakes }: Experiment): Fault {
  if (!mistakes.noErrorFeedback) return null;
  const keeps =
    compression.kind === 'dgc' ||
    compression.kind === 'efSignSgd' ||
    ('errorFeedback' in compression && compression.errorFeedback);
  return keeps ? null : { message: 'problem.nothingKeptBack', parameters: {} };
}

function sumNeedsGradients({ mistakes, sync }: Experiment): Fault {
  if (!mistakes.sumNotMean || sync.kind === 'allReduce') return null;
  return { message: 'problem.sumNeedsGradients', parameters: { sync: sync.kind } };
}

function microBatchesOverBatch({ accumulation, batchPerRank }: Experiment): Fault {
  if (accumulation.microBatches <= batchPerRank) return null;
  return { message: 'problem.microBatchesOverBatch', parameters: { batch: batchPerRank } };
}

function milestonesAscend({ learningRate }: Experiment): Fault {
  const milestones = learningRate.milestones ?? [];
  const ascend = milestones.every((step, i) => i === 0 || step > (milestones[i - 1] ?? 0));
  return ascend ? null : { message: 'problem.milestonesAscend', parameters: {} };
}
