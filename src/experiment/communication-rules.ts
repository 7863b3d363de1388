/** @file Rules between fields of communication, compression and synchronisation. */
import { isBalanced } from '#core/sync-rules';
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

/** Whether every step takes the gradients of all ranks, and of equal batches. */
const sharesAlike = (sync: Experiment['sync']): boolean =>
  sync.kind === 'allReduce' && !isBalanced(sync);

export const COMMUNICATION_RULES: readonly Rule[] = [
  { path: 'communication.ranksPerNode', reads: ['replicas'], fault: nodesDivideReplicas },
  { path: 'communication.collective', reads: ['compression.kind'], fault: gatherNeedsRing },
  { path: 'compression.kind', reads: ['sync.kind'], fault: compressionNeedsGradients },
  { path: 'optimizer.kind', reads: ['compression.kind', 'optimizer'], fault: dgcHasMomentum },
  { path: 'compression.scaled', reads: ['compression'], fault: scaledWithFeedback },
  { path: 'communication.combine', reads: ['replicas'], fault: adasumPowerOfTwo },
  { path: 'communication.collective', reads: ['communication.combine'], fault: adasumNeedsHalving },
  {
    path: 'communication.combine',
    reads: ['sync', 'compression.kind'],
    fault: adasumAlone,
  },
  { path: 'measure.noiseScale', reads: ['replicas'], fault: noiseNeedsReplicas },
  {
    path: 'measure.noiseScale',
    reads: ['sync', 'compression.kind', 'communication.combine', 'accumulation'],
    fault: noiseNeedsMean,
  },
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

/** Adasum combines pairs of ranks, then pairs of pairs. */
function adasumPowerOfTwo({ communication, replicas }: Experiment): Fault {
  if (communication.combine !== 'adasum' || (replicas & (replicas - 1)) === 0) return null;
  return { message: 'problem.adasumPowerOfTwo', parameters: { replicas } };
}

function adasumNeedsHalving({ communication }: Experiment): Fault {
  const { combine, collective } = communication;
  if (combine !== 'adasum' || collective === 'halving-doubling') return null;
  return { message: 'problem.adasumNeedsHalving', parameters: {} };
}

function adasumAlone({ communication, compression, sync }: Experiment): Fault {
  if (communication.combine !== 'adasum') return null;
  if (sharesAlike(sync) && compression.kind === 'none') return null;
  return { message: 'problem.adasumAlone', parameters: {} };
}

/** With one rank there is no second batch size to compare with. */
function noiseNeedsReplicas({ measure, replicas }: Experiment): Fault {
  if (!measure.noiseScale || replicas > 1) return null;
  return { message: 'problem.noiseNeedsReplicas', parameters: {} };
}

function noiseNeedsMean(experiment: Experiment): Fault {
  const { measure, communication, compression, sync, accumulation } = experiment;
  if (!measure.noiseScale) return null;
  const isMean = communication.combine === 'mean' && compression.kind === 'none';
  const isWhole = accumulation.noSync || accumulation.microBatches === 1;
  if (sharesAlike(sync) && isMean && isWhole) return null;
  return { message: 'problem.noiseNeedsMean', parameters: {} };
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
