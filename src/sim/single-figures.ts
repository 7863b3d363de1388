/** @file Published single figures of clusters beside what the models give. */
import { ncclLatencyMicroseconds } from '#core/nccl-cost';
import type { ClusterChoice } from '#experiment/cluster-fields';
import { calibrated } from './calibrate.ts';
import { clusterOf } from './cluster-choice.ts';
import type { Protocol } from './collective-job.ts';
import { bestCollective, collectivePrices } from './collective-model.ts';
import { figure, type SingleFigure } from './figure.ts';
import { checkpointBytes, goodput } from './goodput.ts';
import { PLAIN_STEP, type StepJob, stepPrice } from './step-model.ts';
import { trainingFigures } from './training-figures.ts';
import { bert, WORKLOADS } from './workloads.ts';

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

/** Every single figure, in the order of docs/validation.md. */
export function singleFigures(): readonly SingleFigure[] {
  return [
    ...overlapFigures(),
    ...horovodFigures(),
    ...ncclFigures(),
    ...astraFigures(),
    ...reliabilityFigures(),
    ...trainingFigures(),
  ];
}
