/**
 * @file Published data-parallel scaling. A series is calibrated on its first point and judged on what
 * the others take beyond it.
 */
import type { ClusterChoice } from '#experiment/cluster-fields';
import { PLAIN_STEP, type StepJob } from './step-model.ts';
import { bert, gptShape, transformer, WORKLOADS } from './workloads.ts';

type Preset = ClusterChoice['preset'];

export interface ScalingSeries {
  readonly id: string;
  readonly what: string;
  readonly source: string;
  readonly fitted: boolean;
  readonly preset: Preset;
  readonly job: StepJob;
  /** Samples of all ranks in a step, where that is fixed; micro-batches follow from it. */
  readonly globalBatch?: number;
  /** Seconds a step, samples a second of all ranks, or of one. */
  readonly measured: 'step' | 'throughput' | 'throughputPerRank';
  readonly points: readonly (readonly [ranks: number, measured: number])[];
  /** What no cause of the model explains, where the error is above 20 %. */
  readonly cause?: string;
}

/** "1 0.097; 2 0.103": ranks and what was measured. */
const pointsOf = (text: string): ScalingSeries['points'] =>
  text.split('; ').map((point) => {
    const [ranks = 0, measured = 0] = point.split(' ').map(Number);
    return [ranks, measured];
  });

/** Tokens a second as samples a second. */
const perSample = (points: ScalingSeries['points'], tokens: number): ScalingSeries['points'] =>
  points.map(([ranks, measured]) => [ranks, measured / tokens]);

const JITTER =
  'Beyond what hooks, contention and the slowest rank explain; the README gives medians in whole milliseconds and no spread.';

/** 32 images a GPU, fp32, buckets of 25 MB; the first point is without DDP. */
const ddp = (
  name: 'resnet50' | 'resnet101' | 'resnext50' | 'resnext101',
  fitted: boolean,
  steps: string,
): ScalingSeries => ({
  id: `S1 ${name}`,
  what: `${WORKLOADS[name].name}, PyTorch DDP, fp32, 32 a GPU`,
  source: 'pytorch benchmarks/distributed/ddp',
  fitted,
  preset: 'dgx1-v100',
  job: { ...PLAIN_STEP, workload: WORKLOADS[name], batchPerRank: 32 },
  measured: 'step',
  points: pointsOf(steps),
  cause: JITTER,
});

const SENTENCES =
  'How unequal the sentences of a batch are is one number for all machines; in 16 bits the host and the embedding weigh more than is modelled.';
type Precision = StepJob['precision'];

/** 128 sentences of some 56 tokens a GPU. */
const gnmt = (
  [machine, fitted, preset, precision]: readonly [string, boolean, Preset, Precision],
  throughput: string,
): ScalingSeries => ({
  id: `S4 ${machine} ${precision}`,
  what: `GNMT, 128 sentences a GPU, ${precision}`,
  source: 'DeepLearningExamples GNMT v2',
  fitted,
  preset,
  job: { ...PLAIN_STEP, workload: WORKLOADS.gnmt, batchPerRank: 128, precision },
  measured: 'throughput',
  points: perSample(pointsOf(throughput), 56),
  cause: SENTENCES,
});

/** Samples of a step in pre-training's two phases; 0: none accumulated (SQuAD). */
const GLOBAL_BATCH = { 128: 65_536, 512: 32_768, 384: 0 } as const;
type BertRow = readonly [
  machine: string,
  fitted: boolean,
  Preset,
  context: keyof typeof GLOBAL_BATCH,
  batchPerRank: number,
  Precision,
];

/** Horovod fuses up to 64 MB; pre-training accumulates to a fixed global batch. */
const horovodBert = (
  [machine, fitted, preset, context, batchPerRank, precision]: BertRow,
  throughput: string,
  cause = 'Small steps that one number for a device’s spread and one for contention do not tell apart.',
): ScalingSeries => {
  const globalBatch = GLOBAL_BATCH[context];
  const workload = bert('large', context);
  const buckets = { firstBytes: 64e6, capBytes: 64e6 };
  return {
    id: `S7 ${machine} ${context} ${precision}`,
    what: `BERT-large, ${batchPerRank} x ${context} tokens a GPU, ${precision}`,
    source: 'DeepLearningExamples BERT TF2, Horovod',
    fitted,
    preset,
    // Accumulated gradients are reduced when the last micro-batch is done.
    job: { ...PLAIN_STEP, workload, batchPerRank, precision, buckets, overlap: globalBatch === 0 },
    ...(globalBatch > 0 && { globalBatch }),
    measured: 'throughput',
    points: pointsOf(throughput),
    cause,
  };
};

const DGX_2H_CAUSE =
  'Between 4 and 16 nodes the published efficiency falls by a quarter at once and then stays: no bandwidth or delay does that, and the same models on DGX A100 do not show it.';
const FIRST_POINT_CAUSE =
  'The first point lies 17 % above all others of its own series, which agree with each other.';

type MptRow = readonly [
  name: string,
  depth: number,
  width: number,
  batch: number,
  throughput: string,
];

const MPT_CAUSES = {
  A100: 'Small models wait for the host between the gathers of their short layers, which is not modelled; of large ones the overhead is as small as the scatter between neighbouring points (some are negative).',
  H100: 'From 256 GPUs on the published overhead grows faster than the ring’s hops: congestion on a fabric that other jobs share has no parameter but the network’s efficiency. Below, it is as small as the scatter.',
} as const;

/** FSDP, bf16, 2048 tokens; every second series is left out. */
const mpt = (
  family: keyof typeof MPT_CAUSES,
  preset: Preset,
  rows: readonly MptRow[],
): readonly ScalingSeries[] =>
  rows.map(([name, depth, width, batch, throughput], index) => {
    const source = 'llm-foundry scripts/train/benchmarking';
    const shape = gptShape(`MPT ${name}`, [depth, width], 2048, 50_368, source);
    return {
      id: `MPT ${family} ${name}`,
      what: `MPT ${name}, FSDP, bf16, ${family}`,
      source,
      fitted: index % 2 === 0,
      preset,
      job: {
        ...PLAIN_STEP,
        workload: transformer(shape),
        batchPerRank: batch,
        precision: 'bf16',
        gradientBytes: 2,
        sharded: true,
      },
      measured: 'throughputPerRank',
      points: perSample(pointsOf(throughput), 2048),
      cause: MPT_CAUSES[family],
    };
  });

export const SCALING_SERIES: readonly ScalingSeries[] = [
  ddp('resnet50', true, '1 0.097; 2 0.103; 4 0.103; 8 0.104; 16 0.104'),
  ddp('resnet101', false, '1 0.162; 2 0.176; 4 0.176; 8 0.179; 16 0.179'),
  ddp('resnext50', true, '1 0.145; 2 0.153; 4 0.153; 8 0.157; 16 0.157'),
  ddp('resnext101', false, '1 0.415; 2 0.438; 4 0.439; 8 0.447; 16 0.450'),
  gnmt(['DGX A100', true, 'dgx-a100', 'tf32'], '1 83214; 4 278576; 8 519952'),
  gnmt(['DGX A100', false, 'dgx-a100', 'fp16'], '1 140909; 4 463144; 8 822024'),
  gnmt(['DGX-1', true, 'dgx1-v100', 'fp32'], '1 21860; 4 80224; 8 154168'),
  gnmt(['DGX-1', false, 'dgx1-v100', 'fp16'], '1 76438; 4 249168; 8 447832'),
  gnmt(['DGX-2H', true, 'dgx2-v100', 'fp32'], '1 25583; 4 91400; 8 176616; 16 351792'),
  gnmt(['DGX-2H', false, 'dgx2-v100', 'fp16'], '1 87829; 4 290640; 8 522008; 16 1010880'),
  horovodBert(
    ['DGX-2', true, 'dgx2-v100', 128, 60, 'fp16'],
    '1 206.5; 4 789.75; 8 1561.8; 16 3078',
  ),
  horovodBert(['DGX-2', false, 'dgx2-v100', 128, 32, 'fp32'], '1 49.97; 4 194; 8 367.9; 16 762'),
  horovodBert(['DGX-2', true, 'dgx2-v100', 512, 10, 'fp16'], '1 40.95; 4 158.5; 8 312; 16 614.9'),
  horovodBert(['DGX-2', false, 'dgx2-v100', 512, 10, 'fp32'], '1 11.06; 4 43.05; 8 85.5; 16 161.4'),
  horovodBert(
    ['DGX-2H', true, 'dgx2-v100', 128, 60, 'fp16'],
    '16 3528.5; 64 13370; 256 42697; 512 84223',
    DGX_2H_CAUSE,
  ),
  horovodBert(
    ['DGX-2H', false, 'dgx2-v100', 128, 32, 'fp32'],
    '16 841.7; 64 3060; 256 10384; 512 20094',
    DGX_2H_CAUSE,
  ),
  horovodBert(
    ['DGX-2H', true, 'dgx2-v100', 512, 10, 'fp16'],
    '16 678; 64 2678; 256 7835; 512 18787',
    DGX_2H_CAUSE,
  ),
  horovodBert(
    ['DGX-2H', false, 'dgx2-v100', 512, 10, 'fp32'],
    '16 180; 64 647; 256 2205; 512 4196',
    DGX_2H_CAUSE,
  ),
  horovodBert(
    ['DGX A100', true, 'dgx-a100', 128, 312, 'fp16'],
    '8 3804; 16 7551; 64 29711; 256 110281',
  ),
  horovodBert(
    ['DGX A100', false, 'dgx-a100', 128, 176, 'tf32'],
    '8 2063; 16 4085; 64 16134; 256 59570',
  ),
  horovodBert(
    ['DGX A100', true, 'dgx-a100', 512, 40, 'fp16'],
    '8 750; 16 1492; 64 5871; 256 22506',
  ),
  horovodBert(
    ['DGX A100', false, 'dgx-a100', 512, 22, 'tf32'],
    '8 432; 16 739; 64 2927; 256 11241',
    FIRST_POINT_CAUSE,
  ),
  horovodBert(['V100-16', true, 'dgx1-v100', 384, 6, 'fp16'], '1 39.1; 4 128.5; 8 255.4'),
  horovodBert(['V100-16', false, 'dgx1-v100', 384, 3, 'fp32'], '1 9.85; 4 36.5; 8 73'),
  horovodBert(['V100-32', true, 'dgx1-v100', 384, 12, 'fp16'], '1 47.06; 4 165.3; 8 330.3'),
  horovodBert(['V100-32', false, 'dgx1-v100', 384, 8, 'fp32'], '1 11.11; 4 42.8; 8 85.9'),
  horovodBert(['A100', true, 'dgx-a100', 384, 32, 'fp16'], '1 134.2; 8 1048'),
  horovodBert(['A100', false, 'dgx-a100', 384, 16, 'tf32'], '1 43.9; 8 341'),
  ...mpt('A100', 'dgx-a100', [
    ['125M', 12, 768, 32, '8 136334; 16 130535; 32 127122; 64 125234; 128 123936'],
    ['350M', 24, 1024, 32, '8 55995; 16 55413; 32 53811; 64 52689; 128 51934'],
    ['760M', 24, 1536, 16, '8 30173; 16 29607; 32 29648; 64 29344; 128 28940'],
    ['1.3B', 24, 2048, 16, '8 19271; 16 19085; 64 19001; 128 18647'],
    ['2.65B', 32, 2560, 8, '8 10065; 16 9750; 32 9914; 64 9736; 128 9538'],
    ['6.66B', 32, 4096, 8, '8 3679; 16 3645; 32 3725; 64 3665; 128 3623'],
    ['13B', 40, 5120, 6, '16 1993; 32 1998; 64 1976; 128 1972'],
    ['30B', 48, 7168, 4, '32 857; 128 865'],
  ]),
  ...mpt('H100', 'h100-ib-ndr', [
    ['7B', 32, 4096, 6, '8 10643; 128 10475; 256 10119; 512 9670'],
    ['1.3B', 24, 2048, 16, '128 44123; 256 42555; 512 39837'],
    ['3B', 32, 2560, 12, '128 23422; 256 22772; 512 21664'],
    ['13B', 40, 5120, 6, '128 5080; 256 4989; 512 4952'],
    ['30B', 48, 7168, 6, '128 2199; 256 2148; 512 2115'],
    ['70B', 64, 9216, 4, '128 1058; 256 1035; 512 1007'],
    ['1.3B, 8 to 64', 24, 2048, 16, '8 45455; 16 46037; 32 45130; 64 44402'],
    ['13B, 8 to 64', 40, 5120, 6, '8 4792; 16 4767; 32 4811; 64 4800'],
  ]),
];
