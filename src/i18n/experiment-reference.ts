/** @file The published reference of the experiment: JSON Schema and documentation, in English. */
import type { Field } from '#experiment/field';
import { fieldTables } from '#experiment/field-docs';
import { experimentJsonSchema } from '#experiment/json-schema';
import { translate } from './translate.ts';

/** Text of public/experiment.schema.json. */
export function schemaFile(): string {
  const schema = experimentJsonSchema((path) => ({
    title: translate('en', `field.${path}.label`),
    description: `${translate('en', `field.${path}.line`)} ${translate('en', `field.${path}.help`)}`,
  }));
  return `${JSON.stringify(schema, null, 2)}\n`;
}

const INTRODUCTION = `# The experiment

An experiment is one JSON value. Every field may be left out and then takes its default; unknown
fields are refused, and so are values outside the limits and combinations that make no sense, all
at once and each with its path. Defaults depend on the data, the optimizer and the unit of the
length, and on the compression, as the tables say; of several that apply the last in the row holds. A default that the
given fields leave no room for is moved to the nearest that fits: a batch larger than the shard, heads
that do not divide the width, nodes that do not divide the replicas, a warm-up longer than the run, more
splits than replicas, a cluster with fewer devices than replicas.

\`version\` is \`1\`. A minimal experiment is \`{}\`: MNIST, an MLP, four replicas. Another:

\`\`\`json
{ "data": { "name": "spirals" }, "replicas": 8, "model": { "hidden": [16, 8] } }
\`\`\`

The same in an address: \`#v=1&data.name=spirals&model.hidden=16,8&replicas=8\`.

Structure and limits are published as a JSON Schema, [experiment.schema.json](../public/experiment.schema.json).
This file and the schema are made from the field table in \`src/experiment/fields.ts\`; after a change
there run \`npx vitest run src/i18n/experiment-reference.test.ts -u\`.
`;

const RULES = `## Rules between fields

- \`model.kind\`: \`mnist\` takes \`softmax\`, \`mlp\` or \`cnn\`; points take \`softmax\` or \`mlp\`; \`moby-dick\` takes \`transformer\`.
- \`model.heads\` divides \`model.width\`.
- \`batchPerRank\` is at most a rank's shard, ceil(training samples / replicas).
- \`learningRate.warmupSteps\` is at most the steps of the run, and a run has at most 1,000,000 steps.
- \`optimizer.nesterov\` needs a momentum above 0.
- \`communication.ranksPerNode\` divides \`replicas\`.
- \`compression.kind\` \`topK\`, \`dgc\`, \`qsgd\`, \`ternGrad\`, \`signSgd\`, \`efSignSgd\` and \`oneBit\` are gathered around the ring, so \`communication.collective\` is \`ring\`.
- \`communication.combine\` \`adasum\` needs a power of two of \`replicas\`, \`communication.collective\` \`halving-doubling\` (its default then), \`sync.kind\` \`allReduce\` without \`sync.balance\` and no compression.
- \`measure.noiseScale\` needs at least 2 replicas, \`sync.kind\` \`allReduce\` without \`sync.balance\`, \`communication.combine\` \`mean\`, no compression, and \`accumulation.noSync\` with micro-batches.
- Compression and \`mistakes.sumNotMean\` need \`sync.kind\` \`allReduce\`.
- \`compression.kind\` \`dgc\` needs \`sgd\` with momentum 0.
- \`compression.scaled\` and \`compression.errorFeedback\` exclude each other.
- \`mistakes.noErrorFeedback\` needs a compression that keeps a residual.
- \`mistakes.sumNotMean\` needs \`communication.combine\` \`mean\`.
- \`mistakes.equalAugmentation\` needs \`data.augment\`, at least 2 replicas, and steps that all ranks share: neither \`async\` nor \`ssp\`, and no \`sync.balance\`.
- \`mistakes.unequalBatches\` and \`mistakes.unsyncedModule\` need \`sync.kind\` \`allReduce\` without \`sync.balance\` and at least 2 replicas and exclude each other; the former needs a run of at least one epoch.
- \`mistakes.noLossScaling\` needs \`precision.format\` \`fp16\`, \`e4m3\` or \`e5m2\` and a loss scaling to leave out.
- \`mistakes.clipBeforeUnscale\` needs \`clipNorm\` above 0 and a loss scaling in effect.
- \`mistakes.pureLowWeights\` needs a narrow \`precision.format\` with \`precision.masterWeights\`.
- \`accumulation.microBatches\` is at most \`batchPerRank\`.
- \`learningRate.milestones\` ascend.
- \`sync.kind\` \`async\` and \`ssp\` are a star: \`communication.collective\` is \`star\` (the default there). They exclude compression, dynamic loss scaling, \`mistakes.noBroadcast\` and several micro-batches without \`accumulation.noSync\`; \`sync.splits\` is at most \`replicas\`.
- \`sync.backups\` is less than \`replicas\`; \`sync.kind\` \`backup\` excludes compression and several micro-batches without \`accumulation.noSync\`.
- \`sync.slowdowns\` has at most \`replicas\` entries, and with \`sync.kind\` \`allReduce\` needs \`sync.balance\` \`speeds\`, which must leave every rank a sample.
- \`precision.format\` \`e4m3\` and \`e5m2\` need \`lossScaling.kind\` \`fixed\` or \`dynamic\`.
- \`replicas\` are at most \`cluster.nodes\` times \`cluster.gpusPerNode\`, and \`hierarchical\` needs more than one node.
- \`model.norm\` \`syncBatch\` needs \`sync.kind\` \`allReduce\` without \`sync.balance\`; \`mistakes.noBufferBroadcast\` needs \`model.norm\` \`batch\` and two replicas or more.
- \`backend\` \`fused\` trains \`softmax\` and \`mlp\` only.
`;

/** Text of docs/experiment.md. */
export function docsFile(): string {
  const tables = fieldTables({
    group: (group) => translate('en', `group.${group}`),
    line: (path) => translate('en', `field.${path}.line`),
    unit: unitWord,
  });
  return [INTRODUCTION, tables, RULES].join('\n');
}

/** "steps": the plural without its number. */
function unitWord(field: Field): string {
  if (!('unit' in field) || field.unit === null) return '';
  return translate('en', `unit.${field.unit}`, { count: 2 }).replace('2 ', '');
}
