/** @file Published single figures beside what the models give. */
import type { CompressionConfig } from '#core/compression/config';
import { ncclLatencyMicroseconds } from '#core/nccl-cost';
import type { ClusterChoice } from '#experiment/cluster-fields';
import { calibrated } from './calibrate.ts';
import { clusterOf } from './cluster-choice.ts';
import type { Protocol } from './collective-job.ts';
import { bestCollective, collectivePrices } from './collective-model.ts';
import { checkpointBytes, goodput } from './goodput.ts';
import { gradientCodec } from './gradient-codec.ts';
import { PLAIN_STEP, type StepJob, stepPrice } from './step-model.ts';
import { bert, WORKLOADS } from './workloads.ts';

export interface SingleFigure {
  readonly id: string;
  readonly what: string;
  readonly source: string;
  readonly fitted: boolean;
  readonly unit: string;
  readonly measured: number;
  readonly predicted: number;
  readonly cause?: string;
}

const figure = (
  [id, what, source]: readonly [string, string, string],
  fitted: boolean,
  [measured, predicted, unit]: readonly [number, number, string],
  cause?: string,
): SingleFigure => {
  const all = { id, what, source, fitted, unit, measured, predicted };
  return cause === undefined ? all : { ...all, cause };
};

/** Share of a step that overlap saves, as DDP's paper counts it. */
function overlapGain(given: Partial<ClusterChoice>, job: StepJob, ranks: number): number {
  const cluster = clusterOf(given);
  const without = stepPrice(cluster, ranks, { ...job, overlap: false }).stepSeconds;
  return 100 * (1 - stepPrice(cluster, ranks, job).stepSeconds / without);
}

const DDP_PAPER = 'Li et al., VLDB 2020, section 5.2';
/** Four machines of 8 V100 with one 100 Gb/s NIC each. */
const PAPER: Partial<ClusterChoice> = { preset: 'dgx1-v100', nicsPerNode: 1, nicGbps: 100 };
const PAPER_GLOO: Partial<ClusterChoice> = { ...PAPER, library: 'gloo' };

function overlapFigures(): readonly SingleFigure[] {
  const resnet: StepJob = { ...PLAIN_STEP, workload: WORKLOADS.resnet50, batchPerRank: 32 };
  const large: StepJob = { ...PLAIN_STEP, workload: bert('large', 128), batchPerRank: 16 };
  const nccl =
    'The share that NCCL takes in the paper answers to 3 GB/s on a 100 Gb/s NIC; how its GPUs reached the NIC is not published.';
  return [
    figure(
      ['overlap', 'ResNet-50, NCCL, 32 GPUs', DDP_PAPER],
      false,
      [38, overlapGain(PAPER, resnet, 32), '% saved'],
      nccl,
    ),
    figure(
      ['overlap', 'BERT, NCCL, 32 GPUs', DDP_PAPER],
      false,
      [35.2, overlapGain(PAPER, large, 32), '% saved'],
      nccl,
    ),
    figure(['overlap', 'ResNet-50, Gloo, 32 GPUs', DDP_PAPER], false, [
      26.8,
      overlapGain(PAPER_GLOO, resnet, 32),
      '% saved',
    ]),
    figure(
      ['overlap', 'BERT, Gloo, 32 GPUs', DDP_PAPER],
      false,
      [21.5, overlapGain(PAPER_GLOO, large, 32), '% saved'],
      "The paper's batch and sequence length are not published, and with them the ratio of compute to gradients.",
    ),
  ];
}

/** Efficiency of 512 ranks against one, calibrated on one GPU's images a second. */
function efficiency(workload: StepJob['workload'], imagesPerSecond: number): number {
  const cluster = clusterOf({ preset: 'pascal-25gbe' });
  const buckets = { firstBytes: 64e6, capBytes: 64e6 };
  const job: StepJob = { ...PLAIN_STEP, workload, batchPerRank: 64, buckets };
  const fitted = calibrated(cluster, 1, job, 64 / imagesPerSecond);
  return (100 * stepPrice(cluster, 512, fitted).samplesPerSecond) / 512 / imagesPerSecond;
}

function horovodFigures(): readonly SingleFigure[] {
  const source = 'Horovod README';
  const what = (model: string) => `${model}, 128 x 4 Pascal, 25 Gb/s RoCE`;
  return [
    figure(['Horovod', what('Inception V3'), source], false, [
      90,
      efficiency(WORKLOADS.inception3, 130),
      '% efficiency',
    ]),
    figure(['Horovod', what('ResNet-101'), source], false, [
      90,
      efficiency(WORKLOADS.resnet101, 128),
      '% efficiency',
    ]),
    figure(['Horovod', what('VGG-16'), source], false, [
      68,
      efficiency(WORKLOADS.vgg16, 135),
      '% efficiency',
    ]),
  ];
}

/** H100, since its preset adds no launch to NCCL's own base. */
function ncclFigures(): readonly SingleFigure[] {
  const source = 'nccl src/graph/tuning.cc';
  const prices = collectivePrices(clusterOf({ preset: 'dgx-h100' }), 8, 'all-reduce', 8);
  const latencyUs = (protocol: Protocol): number => {
    const price = prices.find((each) => each.algorithm === 'ring' && each.protocol === protocol);
    return (price?.latencySeconds ?? Number.NaN) * 1e6;
  };
  const cluster = { ranks: 8, nodes: 1, gigabytesPerSecond: 235 };
  const tree = ncclLatencyMicroseconds(cluster, 'tree', 'Simple');
  const row = (what: string, measured: number, predicted: number) =>
    figure(['NCCL', `8 GPUs, ${what}, latency`, source], true, [measured, predicted, 'us']);
  return [
    row('ring, Simple', 56, latencyUs('Simple')),
    row('ring, LL', 15, latencyUs('LL')),
    row("tree, Simple, in NCCL's own form", 64.4, tree),
  ];
}

/** Ring through a switch of two hops of 0.94 us and 400 GB/s against the measured T3. */
function astraFigures(): readonly SingleFigure[] {
  const bytes = 2 ** 30;
  const measured = 4253;
  const astra = 14 * (2 * 0.94) + (1.75 * bytes) / 400e3;
  const ours = bestCollective(clusterOf({ preset: 'dgx-h100' }), 8, 'all-reduce', bytes);
  const source = 'astra-sim docs: geometric mean error 2.8 % on 8 GPUs';
  return [
    figure(['ASTRA-sim', "its H100 preset's form, 8 H100, 1 GiB", source], false, [
      measured,
      astra,
      'us',
    ]),
    figure(['ASTRA-sim', 'this model, 8 H100, 1 GiB', source], false, [
      measured,
      ours.seconds * 1e6,
      'us',
    ]),
  ];
}

function reliabilityFigures(): readonly SingleFigure[] {
  const llama = 'Llama 3 report, section 3.3.4';
  const checkpointSeconds = checkpointBytes(405e9) / 2e12;
  const mtbfHoursPerGpu = (54 * 24 * 16_384) / 419;
  const kept = goodput({ mtbfHoursPerGpu, gpus: 16_384, checkpointSeconds, restartSeconds: 600 });
  const bloom = 'bigscience tr11 chronicles';
  return [
    figure(['Llama 3', 'time between failures, 16,384 H100', llama], true, [
      3.09,
      kept.mtbfSeconds / 3600,
      'h',
    ]),
    figure(
      ['Llama 3', 'effective training time (published: above 90), 10 minutes a restart', llama],
      false,
      [90, 100 * kept.goodput, '%'],
    ),
    figure(['BLOOM', 'checkpoint, 176 G parameters', bloom], false, [
      2.3,
      checkpointBytes(176e9) / 1e12,
      'TB',
    ]),
    figure(['BLOOM', '720 checkpoints of 40 s', bloom], false, [8, (720 * 40) / 3600, 'h']),
  ];
}

/** Images or sequences a second of one GPU, in 16 bits over fp32 or TF32. */
function mixedGain(
  given: Partial<ClusterChoice>,
  workload: StepJob['workload'],
  batchPerRank: number,
): number {
  const cluster = clusterOf(given);
  const precision = given.preset === 'dgx-a100' ? 'tf32' : 'fp32';
  const job: StepJob = { ...PLAIN_STEP, workload, batchPerRank, precision };
  const seconds = (narrow: StepJob) => stepPrice(cluster, 1, narrow).stepSeconds;
  return seconds(job) / seconds({ ...job, precision: 'fp16' });
}

function precisionFigures(): readonly SingleFigure[] {
  const source = 'NVIDIA DeepLearningExamples';
  const [a100, v100] = [{ preset: 'dgx-a100' }, { preset: 'dgx1-v100' }] as const;
  const cause =
    'The TF32 run had another memory layout than the 16-bit one (channels last), which no ratio of peaks or bytes can know.';
  const row = (name: string, fitted: boolean, measured: number, gain: number) =>
    figure(['16 bits', name, source], fitted, [measured, gain, 'times'], cause);
  return [
    row('ResNet-50, A100, over TF32', true, 2.63, mixedGain(a100, WORKLOADS.resnet50, 256)),
    row('ResNet-50, V100, over fp32', false, 3.27, mixedGain(v100, WORKLOADS.resnet50, 256)),
    row('BERT-large 128, A100, over TF32', true, 1.83, mixedGain(a100, bert('large', 128), 64)),
    row('BERT-large 512, A100, over TF32', false, 1.91, mixedGain(a100, bert('large', 512), 16)),
    row('BERT-large 128, V100, over fp32', true, 4.48, mixedGain(v100, bert('large', 128), 32)),
    row('BERT-large 512, V100, over fp32', false, 3.95, mixedGain(v100, bert('large', 512), 8)),
  ];
}

/** ResNet-18 as nineteen equal layers would be wrong for overlap: four stages, most weights last. */
const RESNET18: StepJob['workload'] = {
  name: 'ResNet-18 v2, CIFAR-100',
  source: 'He et al. 2016: 11.2 M',
  sample: 'images',
  layers: [0.15, 0.53, 2.1, 8.4].map((millions) => ({
    parameters: millions * 1e6,
    tensors: 15,
    forwardFlops: 0.28e9,
  })),
  trafficBytes: 60e6,
  imbalance: 0,
};

const CODECS: readonly (readonly [string, number, CompressionConfig])[] = [
  ['onebit', 629.4, { kind: 'oneBit', errorFeedback: true }],
  [
    'randomk(8)',
    502,
    { kind: 'randomK', ratio: 0.125, scaled: false, errorFeedback: true, scope: 'bucket' },
  ],
  ['topk(1 %)', 507.9, { kind: 'topK', ratio: 0.01, errorFeedback: true, scope: 'bucket' }],
];

/** 200 epochs of 50,000 images on 32 V100; the plain run calibrates. */
function byteps(): readonly SingleFigure[] {
  const cluster = clusterOf({ preset: 'dgx1-v100', nodes: 4, nicsPerNode: 1, nicGbps: 25 });
  const steps = (200 * 50_000) / (32 * 32);
  const job = calibrated(
    cluster,
    32,
    { ...PLAIN_STEP, workload: RESNET18, batchPerRank: 32 },
    703.2 / steps,
  );
  const cause =
    "BytePS's parameter servers and its partition size are not modelled, and the batch is not published; the plain run calibrates compute.";
  return CODECS.map(([name, measured, config], index) => {
    const seconds = stepPrice(cluster, 32, { ...job, codec: gradientCodec(config) }).stepSeconds;
    const what = `ResNet-18, 32 V100, 25 Gb/s, ${name}`;
    return figure(
      ['C2', what, 'byteps docs'],
      index % 2 === 0,
      [measured, steps * seconds, 's'],
      cause,
    );
  });
}

const POWER_SGD: CompressionConfig = {
  kind: 'powerSgd',
  rank: 1,
  startStep: 10,
  minCompressionRate: 2,
  errorFeedback: true,
  warmStart: true,
};

/** Throughput over one GPU's with PowerSGD on 3 Gb/s, two V100 a node. */
function powerSgdFigures(): readonly SingleFigure[] {
  const cluster = clusterOf({ gpusPerNode: 2, nicGbps: 3 });
  const job: StepJob = { ...PLAIN_STEP, workload: WORKLOADS.resnet50, batchPerRank: 64 };
  const alone = stepPrice(cluster, 1, job).samplesPerSecond;
  const codec = gradientCodec(POWER_SGD);
  const cause =
    'The fall from 6 to 8 GPUs is more than any delay or bandwidth of the set-up; batch and rank are not published.';
  return (
    [
      [4, 3.5],
      [6, 5.23],
      [8, 5.46],
    ] as const
  ).map(([ranks, measured]) => {
    const speedUp = stepPrice(cluster, ranks, { ...job, codec }).samplesPerSecond / alone;
    return figure(
      ['C5', `PowerSGD, ResNet-50, 3 Gb/s, ${ranks} V100`, 'pytorch/pytorch#74148'],
      false,
      [measured, speedUp, 'times'],
      ranks === 8 ? cause : undefined,
    );
  });
}

/** A rank that is late makes all late: what is injected comes back whole. */
function stragglerFigures(): readonly SingleFigure[] {
  const source = 'traceopt-ai/traceml#252';
  const stalled = clusterOf({ loaderMsPerSample: 150 / 32, loaderPrefetch: 0 });
  const job: StepJob = { ...PLAIN_STEP, workload: RESNET18, batchPerRank: 32 };
  const wait = stepPrice(stalled, 4, job).split.input * 1000;
  return [
    figure(['L7', '+200 ms in one rank: backward of the others over its own', source], true, [
      292 / 293,
      1,
      'ratio',
    ]),
    figure(
      ['L7', '+150 ms a batch in one loader: its wait beyond the others\u2019', source],
      false,
      [189.3, wait, 'ms'],
      'The stalled loader also starves: what it takes beyond the injected 150 ms is not published.',
    ),
    figure(
      [
        'L5',
        'one bad node of 48: TFLOP/s a GPU, at that node\u2019s pace',
        'bigscience chronicles',
      ],
      true,
      [140, 140, 'TFLOP/s'],
      'Not a prediction: the bad node\u2019s own speed is published only through this figure.',
    ),
  ];
}

/** Every single figure, in the order of docs/validation.md. */
export function singleFigures(): readonly SingleFigure[] {
  return [
    ...overlapFigures(),
    ...horovodFigures(),
    ...ncclFigures(),
    ...astraFigures(),
    ...reliabilityFigures(),
    ...precisionFigures(),
    ...byteps(),
    ...powerSgdFigures(),
    ...stragglerFigures(),
  ];
}
