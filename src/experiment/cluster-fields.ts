/**
 * @file The field table's rows of the cluster that the clock prices. Every row is a scalar and always
 * there: a preset only sets the defaults of the others (cluster-presets.ts).
 */
import type { Field, Unit } from './field.ts';

export const CLUSTER_PRESET_IDS = [
  'laptop',
  'wifi-laptops',
  'cloud-10gbe',
  'pascal-25gbe',
  'pcie-host',
  'dgx1-v100',
  'dgx2-v100',
  'dgx-a100',
  'dgx-h100',
  'hgx-h200',
  'hgx-b200',
  'h100-ib-ndr',
  'h100-roce',
  'llama3-16k',
  'p3dn-efa',
  'p4de-efa',
  'slow-link',
] as const;

export const WORKLOAD_IDS = [
  'itself',
  'resnet50',
  'resnet101',
  'resnext50',
  'resnext101',
  'inception3',
  'vgg16',
  'gnmt',
  'bert-base',
  'bert-large',
  'gpt2-124m',
  'gpt2-1.5b',
  'llama3-8b',
  'llama3-70b',
] as const;

/** A number from `minimum` to `maximum`. */
const number = <const Name extends string>(
  name: Name,
  unit: Unit | null,
  [minimum, maximum]: readonly [number, number],
  value: number,
) =>
  ({
    path: `cluster.${name}`,
    group: 'cluster',
    kind: 'number',
    minimum,
    maximum,
    unit,
    scale: minimum > 0 ? 'log' : 'linear',
    default: value,
  }) as const;

/** As `number`, whole. */
const integer = <const Name extends string>(
  name: Name,
  unit: Unit | null,
  [minimum, maximum]: readonly [number, number],
  value: number,
) => ({ ...number(name, unit, [minimum, maximum], value), kind: 'integer' }) as const;

const TFLOPS = [0.0001, 10_000] as const;
const SHARE = [0.001, 1] as const;
const RATE = [0.0001, 100_000] as const;
const DELAY = [0, 1_000_000] as const;

/** The defaults are those of the preset cloud-10gbe. */
export const CLUSTER_FIELDS = [
  {
    path: 'cluster.preset',
    group: 'cluster',
    kind: 'choice',
    choices: CLUSTER_PRESET_IDS,
    default: 'cloud-10gbe',
  },
  {
    path: 'cluster.workload',
    group: 'cluster',
    kind: 'choice',
    choices: WORKLOAD_IDS,
    default: 'itself',
  },
  integer('nodes', 'nodes', [1, 16_384], 16),
  integer('gpusPerNode', 'gpus', [1, 64], 1),
  number('fp32Tflops', 'teraflops', TFLOPS, 15.7),
  number('tf32Tflops', 'teraflops', TFLOPS, 15.7),
  number('halfTflops', 'teraflops', TFLOPS, 125),
  number('fp8Tflops', 'teraflops', TFLOPS, 125),
  number('efficiency', null, SHARE, 0.72),
  number('halfEfficiency', null, SHARE, 0.5),
  number('memoryGBps', 'gigabytesPerSecond', RATE, 900),
  number('variation', null, [0, 1], 0.015),
  {
    path: 'cluster.intraTopology',
    group: 'cluster',
    kind: 'choice',
    choices: ['switch', 'mesh'],
    default: 'switch',
  },
  { path: 'cluster.switchReduction', group: 'cluster', kind: 'switch', default: false },
  number('intraGBps', 'gigabytesPerSecond', RATE, 10),
  number('intraLlUs', 'microseconds', DELAY, 1),
  number('intraLl128Us', 'microseconds', DELAY, 0),
  number('intraSimpleUs', 'microseconds', DELAY, 5.7),
  number('intraLlGBps', 'gigabytesPerSecond', RATE, 5),
  integer('nicsPerNode', 'nics', [1, 64], 1),
  number('nicGbps', 'gigabitsPerSecond', [0.001, 10_000], 10),
  number('networkEfficiency', null, SHARE, 0.92),
  number('networkDelayUs', 'microseconds', [0, 10_000_000], 30),
  number('networkLlUs', 'microseconds', DELAY, 20),
  number('networkLl128Us', 'microseconds', DELAY, 0),
  number('networkSimpleUs', 'microseconds', DELAY, 50),
  number('networkLlGBps', 'gigabytesPerSecond', RATE, 0.57),
  { path: 'cluster.sharedMedium', group: 'cluster', kind: 'switch', default: false },
  number('oversubscription', null, [1, 64], 1),
  integer('nodesPerPod', 'nodes', [1, 16_384], 16_384),
  {
    path: 'cluster.library',
    group: 'cluster',
    kind: 'choice',
    choices: ['nccl', 'gloo'],
    default: 'nccl',
  },
  number('launchUs', 'microseconds', DELAY, 5),
  integer('channels', 'channels', [1, 64], 2),
  number('slotKiB', 'kibibytes', [1, 65_536], 512),
  number('hostGBps', 'gigabytesPerSecond', RATE, 1.33),
  integer('segmentsInFlight', 'segments', [1, 64], 2),
  number('kernelUs', 'microseconds', DELAY, 4),
  number('hookUs', 'microseconds', DELAY, 18),
  number('contention', null, [0, 1], 0.45),
  number('loaderSamplesPerSecond', 'samplesPerSecond', [0, 1_000_000_000], 0),
  integer('loaderPrefetch', 'batches', [0, 64], 2),
  number('storageGBps', 'gigabytesPerSecond', RATE, 1),
  number('mtbfHoursPerGpu', 'hours', [0.01, 100_000_000], 50_000),
] as const satisfies readonly Field[];

type Row = (typeof CLUSTER_FIELDS)[number];
type ValueOf<R> = R extends { kind: 'choice'; choices: readonly (infer Choice)[] }
  ? Choice
  : R extends { kind: 'switch' }
    ? boolean
    : number;

/** The section `cluster` of an experiment: units are in the names, GB are 10^9 bytes. */
export type ClusterChoice = {
  readonly [R in Row as R['path'] extends `cluster.${infer Name}` ? Name : never]: ValueOf<R>;
};
export type ClusterPresetId = ClusterChoice['preset'];
export type WorkloadId = ClusterChoice['workload'];
