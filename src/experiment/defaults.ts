/**
 * @file Defaults, where they depend on what was chosen: spirals want another model and learning
 * rate than digits. One list of recipes says so.
 */
import { samplesPerRank } from '#core/sampler';
import { hasServer } from '#core/sync-rules';
import { CLUSTER_PRESET_IDS } from './cluster-fields.ts';
import { CLUSTER_PRESETS } from './cluster-presets.ts';
import { sampleCounts, totalSteps } from './counts.ts';
import type { Experiment, PointsName } from './experiment.ts';
import { FIELDS } from './fields.ts';
import type { Values } from './values.ts';

/** The fields other defaults depend on. */
export const CHOICE_PATHS = [
  'data.name',
  'data.size',
  'model.kind',
  'duration.unit',
  'optimizer.kind',
  'precision.format',
  'lossScaling.kind',
  'learningRate.decay',
  'communication.collective',
  'communication.combine',
  'compression.kind',
  'sync.kind',
  'recovery.policy',
  'cluster.preset',
  'buckets.rule',
] as const;
type ChoicePath = (typeof CHOICE_PATHS)[number];

/** What was chosen; the rest takes its default. */
export type Choices = { readonly [Path in ChoicePath]?: Values[Path] };

/** Defaults that hold where every named choice has one of the listed values. */
export interface Recipe {
  readonly when: { readonly [Path in ChoicePath]?: readonly Values[Path][] };
  readonly values: Partial<Values>;
}

const POINTS: readonly PointsName[] = ['spirals', 'moons', 'circles', 'xor'];

/** In order; a later one wins. */
export const RECIPES: readonly Recipe[] = [
  { when: { 'data.name': ['mnist'] }, values: { 'learningRate.decay': 'cosine' } },
  { when: { 'data.name': ['mnist'], 'data.size': ['full'] }, values: { evalEvery: 469 } },
  {
    when: { 'data.name': POINTS },
    values: {
      'model.hidden': [8, 8],
      'model.activation': 'tanh',
      batchPerRank: 10,
      'duration.count': 40,
      'optimizer.kind': 'adam',
      evalEvery: 25,
      logEvery: 5,
      // Thousands of steps a second: a commit sends what was recorded, so it must be rare.
      'recovery.commitEvery': 1000,
    },
  },
  {
    when: { 'data.name': ['spirals'] },
    values: { 'data.noise': 0.02, 'model.hidden': [16, 16], 'duration.count': 150, logEvery: 10 },
  },
  { when: { 'data.name': ['moons'] }, values: { 'data.noise': 0.1, 'duration.count': 60 } },
  { when: { 'data.name': ['circles'] }, values: { 'data.noise': 0.1, 'model.hidden': [8] } },
  { when: { 'data.name': ['xor'] }, values: { 'model.hidden': [4] } },
  {
    when: { 'data.name': ['moby-dick'] },
    values: {
      'model.kind': 'transformer',
      replicas: 2,
      batchPerRank: 16,
      'duration.unit': 'steps',
      'optimizer.kind': 'adamw',
      'optimizer.beta2': 0.98,
      'learningRate.warmupSteps': 100,
      'learningRate.decay': 'cosine',
      evalEvery: 250,
    },
  },
  // DGC has the momentum inside, signSGD's result is no gradient: both want plain SGD behind them.
  {
    when: { 'compression.kind': ['dgc', 'signSgd'] },
    values: { 'optimizer.kind': 'sgd', 'optimizer.momentum': 0 },
  },
  // Horovod's way of adding adaptively: pairs of ranks, their distance doubled.
  {
    when: { 'communication.combine': ['adasum'] },
    values: { 'communication.collective': 'halving-doubling' },
  },
  // A parameter server is a star.
  {
    when: { 'sync.kind': ['async', 'ssp'] },
    values: { 'communication.collective': 'star' },
  },
  { when: { 'duration.unit': ['steps'] }, values: { 'duration.count': 500 } },
  {
    when: { 'duration.unit': ['steps'], 'data.name': ['moby-dick'] },
    values: { 'duration.count': 1500 },
  },
  {
    when: { 'duration.unit': ['epochs'], 'data.name': ['moby-dick'] },
    values: { 'duration.count': 1 },
  },
  {
    when: { 'data.name': ['mnist'], 'model.kind': ['mlp'] },
    values: { 'learningRate.base': 0.1 },
  },
  { when: { 'optimizer.kind': ['adam', 'adamw'] }, values: { 'learningRate.base': 0.001 } },
  // bf16 has the range of fp32 and does without.
  {
    when: { 'precision.format': ['fp16', 'e4m3', 'e5m2'] },
    values: { 'lossScaling.kind': 'dynamic' },
  },
  { when: { 'optimizer.kind': ['adamw'] }, values: { 'optimizer.weightDecay': 0.01 } },
  {
    when: { 'optimizer.kind': ['lamb'] },
    values: { 'learningRate.base': 0.01, 'optimizer.weightDecay': 0.01, 'optimizer.epsilon': 1e-6 },
  },
  {
    when: { 'optimizer.kind': ['lars'] },
    values: { 'learningRate.base': 5, 'optimizer.weightDecay': 0.0001 },
  },
  {
    when: { 'data.name': POINTS, 'optimizer.kind': ['sgd'] },
    values: { 'learningRate.base': 0.1 },
  },
  {
    when: { 'data.name': POINTS, 'optimizer.kind': ['adam', 'adamw'] },
    values: { 'learningRate.base': 0.02 },
  },
  {
    when: { 'data.name': ['moby-dick'], 'optimizer.kind': ['adam', 'adamw'] },
    values: { 'learningRate.base': 0.004 },
  },
  { when: { 'compression.kind': ['signSgd'] }, values: { 'learningRate.base': 0.001 } },
  {
    when: { 'sync.kind': ['localSgd', 'postLocalSgd', 'diloco', 'async', 'ssp', 'backup'] },
    values: { 'recovery.policy': 'stop' },
  },
  {
    when: { 'compression.kind': ['signSgd'], 'data.name': POINTS },
    values: { 'learningRate.base': 0.01 },
  },
  ...CLUSTER_PRESET_IDS.map((id) => ({
    when: { 'cluster.preset': [id] },
    values: Object.fromEntries(
      Object.entries(CLUSTER_PRESETS[id]).map(([name, value]) => [`cluster.${name}`, value]),
    ) as Partial<Values>,
  })),
];

/** Typed by hand: `Values` is made from this very table, which `fromEntries` cannot know. */
const TABLE = Object.fromEntries(
  FIELDS.map((field) => [field.path, field.default]),
) as unknown as Values;

/** A value for every field, as the recipes have them for these choices. */
export function defaultsFor(choices: Choices): Values {
  let values: Values = { ...TABLE, ...choices };
  for (const recipe of RECIPES) {
    if (applies(recipe, values)) values = { ...values, ...recipe.values, ...choices };
  }
  return values;
}

function applies(recipe: Recipe, values: Values): boolean {
  return CHOICE_PATHS.every((path) => {
    const allowed: readonly string[] | undefined = recipe.when[path];
    return allowed === undefined || allowed.includes(values[path]);
  });
}

/**
 * Defaults that the given fields leave no room for are moved to the nearest that fits: a batch
 * larger than the shard, heads that do not divide the width, nodes that do not divide the replicas,
 * a warm-up longer than the run, more splits than replicas, a cluster with fewer devices than replicas.
 * Fields in `given` stay as they are. Needs an experiment whose fields are each within their limits.
 */
export function fitDefaults(experiment: Experiment, given: ReadonlySet<string>): Experiment {
  let fitted = experiment;
  const { train } = sampleCounts(fitted.data, fitted.model);
  if (!given.has('batchPerRank')) {
    const shard = samplesPerRank(train, fitted.replicas, false);
    fitted = { ...fitted, batchPerRank: Math.min(fitted.batchPerRank, shard) };
  }
  const { model, learningRate, communication, replicas, sync } = fitted;
  if (hasServer(sync) && !given.has('sync.splits')) {
    fitted = { ...fitted, sync: { ...sync, splits: Math.min(sync.splits, replicas) } };
  }
  if (communication.collective === 'hierarchical' && !given.has('communication.ranksPerNode')) {
    const ranksPerNode = divisorOf(replicas, communication.ranksPerNode);
    fitted = { ...fitted, communication: { ...communication, ranksPerNode } };
  }
  if (model.kind === 'transformer' && !given.has('model.heads')) {
    fitted = { ...fitted, model: { ...model, heads: divisorOf(model.width, model.heads) } };
  }
  const { cluster } = fitted;
  if (!given.has('cluster.nodes')) {
    const nodes = Math.max(cluster.nodes, Math.ceil(replicas / cluster.gpusPerNode));
    fitted = { ...fitted, cluster: { ...cluster, nodes } };
  }
  const steps = totalSteps(fitted, train);
  if (!given.has('learningRate.warmupSteps') && learningRate.warmupSteps > steps) {
    fitted = { ...fitted, learningRate: { ...learningRate, warmupSteps: Math.floor(steps / 10) } };
  }
  return fitted;
}

/** The largest number up to `wish` that divides `whole`. */
function divisorOf(whole: number, wish: number): number {
  let divisor = wish;
  while (whole % divisor !== 0) divisor--;
  return divisor;
}
