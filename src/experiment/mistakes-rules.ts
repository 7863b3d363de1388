/** @file Rules of the classic mistakes: each is refused where it could do nothing. */
import { stepsPerEpoch } from '#core/sampler';
import { hasServer, isBalanced } from '#core/sync-rules';
import { sampleCounts, totalSteps } from './counts.ts';
import type { Experiment } from './experiment.ts';
import type { Fault, Rule } from './rule.ts';

type Mistake = keyof Experiment['mistakes'];

export const MISTAKES_RULES: readonly Rule[] = [
  { path: 'mistakes.noErrorFeedback', reads: ['compression'], fault: nothingKeptBack },
  {
    path: 'mistakes.sumNotMean',
    reads: ['sync.kind', 'communication.combine'],
    fault: sumNeedsGradients,
  },
  ...(['equalAugmentation', 'unequalBatches', 'unsyncedModule'] as const).map(needsReplicas),
  ...(['unequalBatches', 'unsyncedModule'] as const).map(needsGradients),
  ...(['equalAugmentation', 'unequalBatches', 'unsyncedModule'] as const).map(needsEqualBatches),
  { path: 'mistakes.equalAugmentation', reads: ['sync.kind'], fault: drawnAtOtherTimes },
  { path: 'mistakes.equalAugmentation', reads: ['data'], fault: nothingAugmented },
  {
    path: 'mistakes.unequalBatches',
    reads: ['data', 'model.kind', 'model.context', 'replicas', 'batchPerRank', 'duration', 'sync'],
    fault: epochNotReached,
  },
  { path: 'mistakes.unequalBatches', reads: ['mistakes.unsyncedModule'], fault: nobodyWaits },
  {
    path: 'mistakes.noLossScaling',
    reads: ['precision.format', 'lossScaling.kind'],
    fault: nothingScaled,
  },
  {
    path: 'mistakes.clipBeforeUnscale',
    reads: ['clipNorm', 'lossScaling.kind', 'mistakes.noLossScaling'],
    fault: nothingClipped,
  },
  { path: 'mistakes.pureLowWeights', reads: ['precision'], fault: noMasterWeights },
];

function nothingKeptBack({ compression, mistakes }: Experiment): Fault {
  if (!mistakes.noErrorFeedback) return null;
  const keeps =
    compression.kind === 'dgc' ||
    compression.kind === 'efSignSgd' ||
    ('errorFeedback' in compression && compression.errorFeedback);
  return keeps ? null : { message: 'problem.nothingKeptBack', parameters: {} };
}

function sumNeedsGradients({ mistakes, sync, communication }: Experiment): Fault {
  if (!mistakes.sumNotMean) return null;
  if (sync.kind !== 'allReduce') {
    return { message: 'problem.sumNeedsGradients', parameters: { sync: sync.kind } };
  }
  if (communication.combine === 'mean') return null;
  return { message: 'problem.sumNeedsGradients', parameters: { sync: communication.combine } };
}

function needsReplicas(name: Mistake): Rule {
  return {
    path: `mistakes.${name}`,
    reads: ['replicas'],
    fault: ({ mistakes, replicas }) =>
      mistakes[name] && replicas === 1
        ? { message: 'problem.mistakeNeedsReplicas', parameters: {} }
        : null,
  };
}

function needsGradients(name: Mistake): Rule {
  return {
    path: `mistakes.${name}`,
    reads: ['sync.kind'],
    fault: ({ mistakes, sync }) =>
      mistakes[name] && sync.kind !== 'allReduce'
        ? { message: 'problem.mistakeNeedsGradients', parameters: { sync: sync.kind } }
        : null,
  };
}

function needsEqualBatches(name: Mistake): Rule {
  return {
    path: `mistakes.${name}`,
    reads: ['sync'],
    fault: ({ mistakes, sync }) =>
      mistakes[name] && isBalanced(sync)
        ? { message: 'problem.mistakeNeedsEqualBatches', parameters: {} }
        : null,
  };
}

/** Under a server the gradients of an update are of different batch numbers. */
function drawnAtOtherTimes({ mistakes, sync }: Experiment): Fault {
  if (!mistakes.equalAugmentation || !hasServer(sync)) return null;
  return { message: 'problem.mistakeNeedsGradients', parameters: { sync: sync.kind } };
}

function nothingAugmented({ mistakes, data }: Experiment): Fault {
  if (!mistakes.equalAugmentation) return null;
  if (data.name === 'mnist' && data.augment !== 'none') return null;
  return { message: 'problem.nothingAugmented', parameters: {} };
}

/** The rank leaves at the last step of the first epoch, so the run must come that far. */
function epochNotReached(experiment: Experiment): Fault {
  if (!experiment.mistakes.unequalBatches) return null;
  const { data, model, replicas, batchPerRank } = experiment;
  const { train } = sampleCounts(data, model);
  const epoch = stepsPerEpoch(train, replicas, batchPerRank);
  const steps = totalSteps(experiment, train);
  if (steps >= epoch) return null;
  return { message: 'problem.epochNotReached', parameters: { steps, epoch } };
}

function nobodyWaits({ mistakes }: Experiment): Fault {
  if (!(mistakes.unequalBatches && mistakes.unsyncedModule)) return null;
  return { message: 'problem.nobodyWaits', parameters: {} };
}

const SCALED_FORMATS: readonly string[] = ['fp16', 'e4m3', 'e5m2'];

function nothingScaled({ mistakes, precision, lossScaling }: Experiment): Fault {
  if (!mistakes.noLossScaling) return null;
  if (SCALED_FORMATS.includes(precision.format) && lossScaling.kind !== 'none') return null;
  return {
    message: 'problem.nothingScaled',
    parameters: { allowed: SCALED_FORMATS.join(', ') },
  };
}

function nothingClipped({ mistakes, clipNorm, lossScaling }: Experiment): Fault {
  if (!mistakes.clipBeforeUnscale) return null;
  const scales = lossScaling.kind !== 'none' && !mistakes.noLossScaling;
  if (clipNorm > 0 && scales) return null;
  return { message: 'problem.nothingClipped', parameters: {} };
}

function noMasterWeights({ mistakes, precision }: Experiment): Fault {
  if (!mistakes.pureLowWeights) return null;
  if (precision.format !== 'fp32' && precision.masterWeights) return null;
  return { message: 'problem.noMasterWeights', parameters: {} };
}
