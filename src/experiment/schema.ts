/**
 * @file The structure of an experiment for the validator. Limits come from the field table; what
 * stands here is only which fields lie together, and the types prove it is an `Experiment`.
 */
import * as v from 'valibot';
import { FLOAT_FORMAT_NAMES } from '#core/float-formats';
import { CLUSTER_FIELDS, type ClusterChoice } from './cluster-fields.ts';
import { EXPERIMENT_VERSION, type Experiment } from './experiment.ts';
import type { Field, ListField, NumberField } from './field.ts';
import { type FieldPath, fieldAt, type ValueAt } from './fields.ts';

type AnySchema = v.GenericSchema<unknown, unknown>;

/** The schema of one field. */
function leaf<Path extends FieldPath>(path: Path): v.GenericSchema<unknown, ValueAt<Path>> {
  // The table's type says what each kind of field holds; the validator cannot follow it.
  return leafSchema(fieldAt(path)) as v.GenericSchema<unknown, ValueAt<Path>>;
}

function leafSchema(field: Field): AnySchema {
  switch (field.kind) {
    case 'choice':
      return v.picklist(field.choices);
    case 'switch':
      return v.boolean();
    case 'list':
      return listSchema(field);
    case 'script':
      return v.pipe(
        v.array(v.pipe(v.string(), v.regex(new RegExp(field.pattern)))),
        v.maxLength(field.maximumLength),
      );
    case 'integer':
      return integerSchema(field);
    case 'number':
      return v.pipe(rangeSchema(field), withoutMinusZero);
  }
}

/** -0 is 0 in every address and table, so it is 0 here too. */
const withoutMinusZero = v.transform((value: number) => value + 0);

function rangeSchema({ minimum, maximum }: { minimum: number; maximum: number }) {
  return v.pipe(v.number(), v.minValue(minimum), v.maxValue(maximum));
}

function integerSchema(field: NumberField | ListField) {
  return v.pipe(rangeSchema(field), v.integer(), withoutMinusZero);
}

function listSchema(field: ListField): AnySchema {
  return v.pipe(
    v.array(integerSchema(field)),
    v.minLength(field.minimumLength),
    v.maxLength(field.maximumLength),
  );
}

const data = v.variant('name', [
  v.strictObject({
    name: v.literal('mnist'),
    size: leaf('data.size'),
    augment: leaf('data.augment'),
  }),
  v.strictObject({
    name: v.picklist(['spirals', 'moons', 'circles', 'xor']),
    samples: leaf('data.samples'),
    noise: leaf('data.noise'),
  }),
  v.strictObject({ name: v.literal('moby-dick') }),
]);

const model = v.variant('kind', [
  v.strictObject({ kind: v.literal('softmax') }),
  v.strictObject({
    kind: v.literal('mlp'),
    hidden: leaf('model.hidden'),
    activation: leaf('model.activation'),
  }),
  v.strictObject({
    kind: v.literal('cnn'),
    channels: leaf('model.channels'),
    dense: leaf('model.dense'),
    norm: leaf('model.norm'),
  }),
  v.strictObject({
    kind: v.literal('transformer'),
    width: leaf('model.width'),
    heads: leaf('model.heads'),
    depth: leaf('model.depth'),
    context: leaf('model.context'),
  }),
]);

const optimizer = v.variant('kind', [
  v.strictObject({
    kind: v.literal('sgd'),
    momentum: leaf('optimizer.momentum'),
    nesterov: leaf('optimizer.nesterov'),
    weightDecay: leaf('optimizer.weightDecay'),
  }),
  v.strictObject({
    kind: v.picklist(['adam', 'adamw', 'lamb']),
    beta1: leaf('optimizer.beta1'),
    beta2: leaf('optimizer.beta2'),
    epsilon: leaf('optimizer.epsilon'),
    weightDecay: leaf('optimizer.weightDecay'),
  }),
  v.strictObject({
    kind: v.literal('lars'),
    momentum: leaf('optimizer.momentum'),
    trustCoefficient: leaf('optimizer.trustCoefficient'),
    weightDecay: leaf('optimizer.weightDecay'),
  }),
]);

const rate = {
  base: leaf('learningRate.base'),
  warmupSteps: leaf('learningRate.warmupSteps'),
  scaling: leaf('learningRate.scaling'),
  referenceBatch: leaf('learningRate.referenceBatch'),
};

const learningRate = v.variant('decay', [
  v.strictObject({ ...rate, decay: v.picklist(['none', 'cosine']) }),
  v.strictObject({
    ...rate,
    decay: v.literal('step'),
    milestones: leaf('learningRate.milestones'),
    factor: leaf('learningRate.factor'),
  }),
]);

const combine = leaf('communication.combine');

const communication = v.variant('collective', [
  v.strictObject({
    combine,
    collective: v.picklist([
      'ring',
      'halving-doubling',
      'binary-tree',
      'double-binary-tree',
      'star',
    ]),
  }),
  v.strictObject({
    combine,
    collective: v.literal('hierarchical'),
    ranksPerNode: leaf('communication.ranksPerNode'),
  }),
]);

const selection = { ratio: leaf('compression.ratio'), scope: leaf('compression.scope') };
const errorFeedback = leaf('compression.errorFeedback');

const compression = v.variant('kind', [
  v.strictObject({ kind: v.literal('none') }),
  v.strictObject({ kind: v.literal('cast'), format: leaf('compression.format') }),
  v.strictObject({ kind: v.literal('topK'), ...selection, errorFeedback }),
  v.strictObject({
    kind: v.literal('randomK'),
    ...selection,
    errorFeedback,
    scaled: leaf('compression.scaled'),
  }),
  v.strictObject({
    kind: v.literal('dgc'),
    ...selection,
    momentum: leaf('compression.momentum'),
    nesterov: leaf('compression.nesterov'),
    clipNorm: leaf('compression.clipNorm'),
    warmUp: leaf('compression.warmUp'),
  }),
  v.strictObject({
    kind: v.literal('qsgd'),
    levels: leaf('compression.levels'),
    bucketSize: leaf('compression.bucketSize'),
    coding: leaf('compression.coding'),
  }),
  v.strictObject({
    kind: v.literal('ternGrad'),
    clipDeviations: leaf('compression.clipDeviations'),
  }),
  v.strictObject({ kind: v.picklist(['signSgd', 'efSignSgd']) }),
  v.strictObject({ kind: v.literal('oneBit'), errorFeedback }),
  v.strictObject({
    kind: v.literal('powerSgd'),
    errorFeedback,
    rank: leaf('compression.rank'),
    startStep: leaf('compression.startStep'),
    minCompressionRate: leaf('compression.minCompressionRate'),
    warmStart: leaf('compression.warmStart'),
  }),
]);

const period = leaf('sync.period');

const slowdowns = leaf('sync.slowdowns');
const speeds = { slowdowns, jitter: leaf('sync.jitter') };
const server = {
  splits: leaf('sync.splits'),
  stalenessAware: leaf('sync.stalenessAware'),
  ...speeds,
};

const sync = v.variant('kind', [
  v.strictObject({ kind: v.literal('allReduce'), balance: leaf('sync.balance'), slowdowns }),
  v.strictObject({ kind: v.literal('localSgd'), period }),
  v.strictObject({
    kind: v.literal('postLocalSgd'),
    period,
    warmupSteps: leaf('sync.warmupSteps'),
  }),
  v.strictObject({
    kind: v.literal('diloco'),
    period,
    outerRate: leaf('sync.outerRate'),
    outerMomentum: leaf('sync.outerMomentum'),
  }),
  v.strictObject({ kind: v.literal('async'), ...server }),
  v.strictObject({ kind: v.literal('ssp'), bound: leaf('sync.bound'), ...server }),
  v.strictObject({ kind: v.literal('backup'), backups: leaf('sync.backups'), ...speeds }),
]);

const mistakes = v.strictObject({
  sumNotMean: leaf('mistakes.sumNotMean'),
  noErrorFeedback: leaf('mistakes.noErrorFeedback'),
  noSetEpoch: leaf('mistakes.noSetEpoch'),
  noBroadcast: leaf('mistakes.noBroadcast'),
  equalAugmentation: leaf('mistakes.equalAugmentation'),
  unequalBatches: leaf('mistakes.unequalBatches'),
  noLossScaling: leaf('mistakes.noLossScaling'),
  clipBeforeUnscale: leaf('mistakes.clipBeforeUnscale'),
  pureLowWeights: leaf('mistakes.pureLowWeights'),
  unsyncedModule: leaf('mistakes.unsyncedModule'),
  noBufferBroadcast: leaf('mistakes.noBufferBroadcast'),
});

const faults = leaf('recovery.faults');

const recovery = v.variant('policy', [
  v.strictObject({
    policy: v.picklist(['shrink', 'replace']),
    commitEvery: leaf('recovery.commitEvery'),
    timeoutSeconds: leaf('recovery.timeoutSeconds'),
    joinSeconds: leaf('recovery.joinSeconds'),
    faults,
  }),
  v.strictObject({ policy: v.literal('stop'), faults }),
]);

const buckets = v.variant('rule', [
  v.strictObject({
    rule: v.literal('ddp'),
    firstMiB: leaf('buckets.firstMiB'),
    capMiB: leaf('buckets.capMiB'),
  }),
  v.strictObject({ rule: v.literal('horovod'), fusionMiB: leaf('buckets.fusionMiB') }),
]);

const masterWeights = leaf('precision.masterWeights');

const precision = v.variant('format', [
  v.strictObject({ format: v.literal('fp32') }),
  v.strictObject({ format: v.picklist(FLOAT_FORMAT_NAMES), masterWeights }),
]);

const lossScaling = v.variant('kind', [
  v.strictObject({ kind: v.literal('none') }),
  v.strictObject({ kind: v.literal('fixed'), scale: leaf('lossScaling.scale') }),
  v.strictObject({
    kind: v.literal('dynamic'),
    scale: leaf('lossScaling.scale'),
    growthInterval: leaf('lossScaling.growthInterval'),
  }),
]);

/** Every row of the section; `ClusterChoice` is made from the same rows. */
const cluster = v.strictObject(
  Object.fromEntries(
    CLUSTER_FIELDS.map((field) => [field.path.slice('cluster.'.length), leafSchema(field)]),
  ),
) as unknown as v.GenericSchema<unknown, ClusterChoice>;

/** Every field present, nothing else, each within its limits; rules between fields stand apart. */
export const experimentSchema: v.GenericSchema<unknown, Experiment> = v.strictObject({
  version: v.literal(EXPERIMENT_VERSION),
  seed: leaf('seed'),
  data,
  model,
  replicas: leaf('replicas'),
  batchPerRank: leaf('batchPerRank'),
  duration: v.strictObject({ unit: leaf('duration.unit'), count: leaf('duration.count') }),
  optimizer,
  learningRate,
  clipNorm: leaf('clipNorm'),
  accumulation: v.strictObject({
    microBatches: leaf('accumulation.microBatches'),
    noSync: leaf('accumulation.noSync'),
  }),
  communication,
  compression,
  sync,
  mistakes,
  buckets,
  measure: v.strictObject({ noiseScale: leaf('measure.noiseScale') }),
  precision,
  lossScaling,
  recovery,
  stragglers: leaf('stragglers'),
  checkpointing: leaf('checkpointing'),
  cluster,
  backend: leaf('backend'),
  transport: leaf('transport'),
  evalEvery: leaf('evalEvery'),
  logEvery: leaf('logEvery'),
});
