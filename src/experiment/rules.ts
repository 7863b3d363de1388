/** @file Rules between fields: combinations that make no sense although each part is allowed. */
import { samplesPerRank } from '#core/sampler';
import { CLUSTER_RULES } from './cluster-rules.ts';
import { COMMUNICATION_RULES } from './communication-rules.ts';
import { sampleCounts, totalSteps } from './counts.ts';
import type { DataChoice, Experiment, Problem } from './experiment.ts';
import { fieldAt } from './fields.ts';
import { MISTAKES_RULES } from './mistakes-rules.ts';
import { NORM_RULES } from './norm-rules.ts';
import { PRECISION_RULES } from './precision-rules.ts';
import { describeFound, overlaps } from './problem.ts';
import { RECOVERY_RULES } from './recovery-rules.ts';
import type { Fault, Rule } from './rule.ts';
import { SERVER_RULES } from './server-rules.ts';
import { valueAt } from './values.ts';

/** Steps of one run; with a record each this is what a page's memory bears. */
const MOST_STEPS = 1_000_000;

/** Models that can read a data set. */
export function modelsFor(data: DataChoice['name']): readonly Experiment['model']['kind'][] {
  if (data === 'moby-dick') return ['transformer'];
  return data === 'mnist' ? ['softmax', 'mlp', 'cnn'] : ['softmax', 'mlp'];
}

/** Models that the fused backend can train. */
const FUSED_MODELS: readonly string[] = ['softmax', 'mlp'];

const trainCount = ({ data, model }: Experiment): number => sampleCounts(data, model).train;

/** What the number of steps depends on. */
const STEPS_READ = [
  'data',
  'model.kind',
  'model.context',
  'replicas',
  'batchPerRank',
  'duration',
  'sync',
] as const;

const RULES: readonly Rule[] = [
  { path: 'model.kind', reads: ['data.name'], fault: modelNotForData },
  { path: 'model.heads', reads: ['model.width'], fault: headsDivideWidth },
  {
    path: 'batchPerRank',
    reads: ['data', 'model.kind', 'model.context', 'replicas'],
    fault: batchOverShard,
  },
  {
    path: 'duration.count',
    reads: STEPS_READ,
    fault: tooManySteps,
  },
  {
    path: 'learningRate.warmupSteps',
    reads: STEPS_READ,
    fault: warmupOverRun,
  },
  { path: 'optimizer.nesterov', reads: ['optimizer.momentum'], fault: nesterovNeedsMomentum },
  { path: 'backend', reads: ['model.kind'], fault: fusedModel },
  ...NORM_RULES,
  ...PRECISION_RULES,
  ...COMMUNICATION_RULES,
  ...RECOVERY_RULES,
  ...CLUSTER_RULES,
  ...MISTAKES_RULES,
  ...SERVER_RULES,
];

/**
 * Faults between the fields of `draft`. Rules that touch a path in `faulty` are left out: their
 * fields are not what the types say.
 */
export function ruleProblems(draft: Experiment, faulty: readonly string[]): readonly Problem[] {
  const problems: Problem[] = [];
  for (const { path, reads, fault } of RULES) {
    if (faulty.some((bad) => [path, ...reads].some((read) => overlaps(bad, read)))) continue;
    const found = fault(draft);
    if (found !== null)
      problems.push({ path, found: describeFound(valueAt(draft, path)), ...found });
  }
  return problems;
}

function modelNotForData({ data, model }: Experiment): Fault {
  const allowed = modelsFor(data.name);
  if (allowed.includes(model.kind)) return null;
  const parameters = { data: data.name, allowed: allowed.join(', ') };
  return { message: 'problem.modelNotForData', parameters };
}

function headsDivideWidth({ model }: Experiment): Fault {
  if (model.kind !== 'transformer' || model.width % model.heads === 0) return null;
  const { width } = model;
  const field = fieldAt('model.heads');
  const most = field.kind === 'integer' ? field.maximum : 1;
  const divisors = Array.from({ length: most }, (_, i) => i + 1).filter((n) => width % n === 0);
  return {
    message: 'problem.headsDivideWidth',
    parameters: { width, allowed: divisors.join(', ') },
  };
}

function batchOverShard(experiment: Experiment): Fault {
  const { replicas, batchPerRank } = experiment;
  const shard = samplesPerRank(trainCount(experiment), replicas, false);
  if (batchPerRank <= shard) return null;
  return { message: 'problem.batchOverShard', parameters: { replicas, shard } };
}

function tooManySteps(experiment: Experiment): Fault {
  const steps = totalSteps(experiment, trainCount(experiment));
  if (steps <= MOST_STEPS) return null;
  return { message: 'problem.tooManySteps', parameters: { steps, maximum: MOST_STEPS } };
}

function warmupOverRun(experiment: Experiment): Fault {
  const steps = totalSteps(experiment, trainCount(experiment));
  if (experiment.learningRate.warmupSteps <= steps) return null;
  return { message: 'problem.warmupOverRun', parameters: { steps } };
}

function nesterovNeedsMomentum({ optimizer }: Experiment): Fault {
  if (optimizer.kind !== 'sgd' || !optimizer.nesterov || optimizer.momentum > 0) return null;
  return { message: 'problem.nesterovNeedsMomentum', parameters: {} };
}

function fusedModel({ backend, model }: Experiment): Fault {
  if (backend !== 'fused' || FUSED_MODELS.includes(model.kind)) return null;
  return { message: 'problem.fusedModel', parameters: { allowed: FUSED_MODELS.join(', ') } };
}
