/** @file Published single figures of training: precision, compression, stragglers. */
import type { CompressionConfig } from '#core/compression/config';
import { calibrated } from './calibrate.ts';
import { clusterOf } from './cluster-choice.ts';
import { figure, type SingleFigure } from './figure.ts';
import { gradientCodec } from './gradient-codec.ts';
import { PLAIN_STEP, type StepJob, stepPrice } from './step-model.ts';
import { bert, gptShape, transformer, WORKLOADS } from './workloads.ts';

/** Images or sequences a second of `ranks` GPUs, in 16 bits over fp32 or TF32. */
function mixedGain(
  preset: 'dgx-a100' | 'dgx1-v100',
  workload: StepJob['workload'],
  batchPerRank: number,
  ranks = 1,
): number {
  const cluster = clusterOf({ preset });
  const precision = preset === 'dgx-a100' ? 'tf32' : 'fp32';
  const job: StepJob = { ...PLAIN_STEP, workload, batchPerRank, precision };
  const seconds = (narrow: StepJob) => stepPrice(cluster, ranks, narrow).stepSeconds;
  return seconds(job) / seconds({ ...job, precision: 'fp16' });
}

function precisionFigures(): readonly SingleFigure[] {
  const { resnet50 } = WORKLOADS;
  const cause =
    'The TF32 run had another memory layout than the 16-bit one (channels last), which no ratio of peaks or bytes can know.';
  const row = (name: string, fitted: boolean, measured: number, gain: number) =>
    figure(
      ['16 bits', name, 'NVIDIA DeepLearningExamples'],
      fitted,
      [measured, gain, 'times'],
      name.startsWith('8') ? LOADER_CAUSE : cause,
    );
  return [
    row('ResNet-50, A100, over TF32', true, 2.63, mixedGain('dgx-a100', resnet50, 256)),
    row('ResNet-50, V100, over fp32', false, 3.27, mixedGain('dgx1-v100', resnet50, 256)),
    row('8 GPUs, ResNet-50, A100, over TF32', true, 2.29, mixedGain('dgx-a100', resnet50, 256, 8)),
    row(
      '8 GPUs, ResNet-50, V100, over fp32',
      false,
      2.91,
      mixedGain('dgx1-v100', resnet50, 256, 8),
    ),
    row(
      'BERT-large 128, A100, over TF32',
      true,
      1.83,
      mixedGain('dgx-a100', bert('large', 128), 64),
    ),
    row(
      'BERT-large 512, A100, over TF32',
      false,
      1.91,
      mixedGain('dgx-a100', bert('large', 512), 16),
    ),
    row(
      'BERT-large 128, V100, over fp32',
      true,
      4.48,
      mixedGain('dgx1-v100', bert('large', 128), 32),
    ),
    row(
      'BERT-large 512, V100, over fp32',
      false,
      3.95,
      mixedGain('dgx1-v100', bert('large', 512), 8),
    ),
  ];
}

const LOADER_CAUSE =
  'With 8 GPUs the 16-bit run also waits for its images; the loader’s rate is not published.';

/** PyTorch DDP around one GPU's model: hooks and bucket copies, nothing sent. */
function wrappedFigures(): readonly SingleFigure[] {
  const rows = [
    ['resnet50', 0.097, 0.1],
    ['resnet101', 0.162, 0.171],
    ['resnext50', 0.145, 0.147],
    ['resnext101', 0.415, 0.425],
  ] as const;
  const cluster = clusterOf({ preset: 'dgx1-v100' });
  return rows.map(([name, bare, measured], index) => {
    const job: StepJob = { ...PLAIN_STEP, workload: WORKLOADS[name], batchPerRank: 32 };
    const fitted = calibrated(cluster, 1, job, bare);
    const { stepSeconds } = stepPrice(cluster, 1, { ...fitted, wrapped: true });
    const what = `${WORKLOADS[name].name}, DDP on one V100, ${bare} s without`;
    const source = 'pytorch benchmarks/distributed/ddp';
    return figure(['S1', what, source], index % 2 === 0, [measured, stepSeconds, 's']);
  });
}

/** FSDP of 70 G parameters: twice the GPUs, and twice the micro-batch. */
function mpt70b(): SingleFigure {
  const cluster = clusterOf({ preset: 'dgx-a100' });
  const source = 'llm-foundry scripts/train/benchmarking';
  const job: StepJob = {
    ...PLAIN_STEP,
    workload: transformer(gptShape('MPT 70B', [64, 9216], 2048, 50_368, source)),
    batchPerRank: 2,
    precision: 'bf16',
    gradientBytes: 2,
    sharded: true,
    recompute: true,
  };
  const fitted = calibrated(cluster, 64, job, (2 * 2048) / 276);
  const { samplesPerSecond } = stepPrice(cluster, 128, { ...fitted, batchPerRank: 4 });
  const what = 'MPT 70B, FSDP, 128 A100, micro-batch 4, from 64 with 2: tok/s a GPU';
  return figure(
    ['MPT', what, source],
    false,
    [376, (samplesPerSecond * 2048) / 128, 'tok/s'],
    'What a larger micro-batch gains in the kernels themselves is not modelled.',
  );
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
  const source = 'pytorch/pytorch#74148';
  const cause =
    'The fall from 6 to 8 GPUs is more than any delay or bandwidth of the set-up; batch and rank are not published.';
  const row = (ranks: number, measured: number, codecOf: StepJob['codec'], what: string) => {
    const speedUp = stepPrice(cluster, ranks, { ...job, codec: codecOf }).samplesPerSecond / alone;
    return figure(['C5', what, source], false, [measured, speedUp, 'times'], cause);
  };
  const name = (ranks: number) => `PowerSGD, ResNet-50, 3 Gb/s, ${ranks} V100`;
  const silent: StepJob['codec'] = {
    ...codec,
    messages: () => ({ kind: 'all-reduce', bytes: 1, count: 0 }),
  };
  return [
    row(4, 3.5, codec, name(4)),
    row(6, 5.23, codec, name(6)),
    row(8, 5.46, codec, name(8)),
    row(8, 6.29, silent, `${name(8)}, P and Q not sent`),
  ];
}

/** A rank that is late makes all late: what is injected comes back whole. */
function stragglerFigures(): readonly SingleFigure[] {
  const source = 'traceopt-ai/traceml#252';
  const stalled = clusterOf({ loaderSamplesPerSecond: 32 / 0.15, loaderPrefetch: 0 });
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
      ['L5', 'one bad node of 48: TFLOP/s a GPU, 149 without it', 'bigscience chronicles'],
      true,
      [140, null, 'TFLOP/s'],
      'The bad node\u2019s own speed is published only through this figure.',
    ),
  ];
}

/** In the order of docs/validation.md. */
export function trainingFigures(): readonly SingleFigure[] {
  return [
    ...wrappedFigures(),
    mpt70b(),
    ...precisionFigures(),
    ...byteps(),
    ...powerSgdFigures(),
    ...stragglerFigures(),
  ];
}
