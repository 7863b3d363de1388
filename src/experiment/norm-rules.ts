/** @file Rules between batch normalisation and the ways ranks train together. */
import { isBalanced } from '#core/sync-rules';
import type { Experiment } from './experiment.ts';
import type { Fault, Rule } from './rule.ts';

export const NORM_RULES: readonly Rule[] = [
  { path: 'model.norm', reads: ['sync.kind'], fault: syncNormNeedsEveryStep },
  { path: 'model.norm', reads: ['sync'], fault: syncNormNeedsEqualBatches },
  {
    path: 'mistakes.noBufferBroadcast',
    reads: ['model.norm', 'replicas'],
    fault: noOwnBuffers,
  },
];

const normOf = ({ model }: Experiment): string => (model.kind === 'cnn' && model.norm) || 'none';

/** Synchronised statistics travel in every step, with all ranks in it. */
function syncNormNeedsEveryStep(experiment: Experiment): Fault {
  const { sync } = experiment;
  if (normOf(experiment) !== 'syncBatch' || sync.kind === 'allReduce') return null;
  return { message: 'problem.syncNormNeedsEveryStep', parameters: { sync: sync.kind } };
}

/** Its backward pass adds gradients of the ranks' own mean losses, as PyTorch's does. */
function syncNormNeedsEqualBatches(experiment: Experiment): Fault {
  if (normOf(experiment) !== 'syncBatch' || !isBalanced(experiment.sync)) return null;
  return { message: 'problem.syncNormNeedsEqualBatches', parameters: {} };
}

function noOwnBuffers(experiment: Experiment): Fault {
  if (!experiment.mistakes.noBufferBroadcast) return null;
  if (normOf(experiment) === 'batch' && experiment.replicas > 1) return null;
  return { message: 'problem.noOwnBuffers', parameters: {} };
}
