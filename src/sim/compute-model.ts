/** @file What a device takes for a layer: the roofline of arithmetic and memory. */
import { BYTES_PER_GB, type Cluster, US } from './cluster.ts';
import type { Layer, Workload } from './workloads.ts';
import { forwardFlops, parameterCount } from './workloads.ts';

export const PRECISIONS = ['fp32', 'tf32', 'fp16', 'bf16', 'fp8'] as const;
export type Precision = (typeof PRECISIONS)[number];

const TERA = 1e12;
/** Of a memory's peak that long streams reach. */
const STREAM_EFFICIENCY = 0.85;
/** Adam reads and writes weight and two moments, reads the gradient: 7 floats. */
const UPDATE_BYTES_PER_PARAMETER = 28;
/** In forward; backward has twice as many. */
const KERNELS_PER_TENSOR = 2;
/** Forward moves a third of what forward and backward do. */
const FORWARD_SHARE = 1 / 3;

/** FLOP/s that a large matrix product reaches. */
function usableFlops(cluster: Cluster, precision: Precision): number {
  switch (precision) {
    case 'fp32':
      return cluster.fp32Tflops * TERA * cluster.efficiency;
    case 'tf32':
      return cluster.tf32Tflops * TERA * cluster.halfEfficiency;
    case 'fp8':
      return cluster.fp8Tflops * TERA * cluster.halfEfficiency;
    case 'fp16':
    case 'bf16':
      return cluster.halfTflops * TERA * cluster.halfEfficiency;
  }
}

/** Peak FLOP/s of the vendor's sheet: what model FLOPs utilisation is a share of. */
export function peakFlops(cluster: Cluster, precision: Precision): number {
  const share = precision === 'fp32' ? cluster.efficiency : cluster.halfEfficiency;
  return usableFlops(cluster, precision) / share;
}

/** Bytes of one activation. */
const activationBytes = (precision: Precision): number =>
  precision === 'fp32' || precision === 'tf32' ? 4 : 2;

export interface LayerTimes {
  readonly layer: Layer;
  readonly forwardSeconds: number;
  readonly backwardSeconds: number;
}

export interface ComputeJob {
  readonly workload: Workload;
  readonly precision: Precision;
  /** Samples of one micro-batch. */
  readonly samples: number;
  /** Whether backward runs forward once more. */
  readonly recompute: boolean;
}

/**
 * Seconds of each layer, in forward order: arithmetic, activations and weights through memory. Where
 * the host launches kernels more slowly than that, all layers are stretched to its pace.
 */
export function layerTimes(cluster: Cluster, job: ComputeJob): readonly LayerTimes[] {
  const { workload, precision, samples, recompute } = job;
  const rate = usableFlops(cluster, precision);
  const flops = forwardFlops(workload);
  const memory = cluster.memoryGBps * BYTES_PER_GB * STREAM_EFFICIENCY;
  const bytes = activationBytes(precision);
  const activations = (workload.trafficBytes * bytes * FORWARD_SHARE) / 4;
  const device = workload.layers.map(({ parameters, forwardFlops: own }) => {
    const traffic = flops === 0 ? 0 : (activations * own) / flops;
    return samples * (own / rate + traffic / memory) + (parameters * bytes) / memory;
  });
  const stretch = hostStretch(cluster, workload, device);
  return workload.layers.map((layer, index) => {
    const forwardSeconds = stretch * (device[index] ?? 0);
    return { layer, forwardSeconds, backwardSeconds: forwardSeconds * (recompute ? 3 : 2) };
  });
}

/** How much slower than the device the host launches its kernels; at least 1. */
function hostStretch(cluster: Cluster, { layers }: Workload, device: readonly number[]): number {
  const tensors = layers.reduce((sum, layer) => sum + layer.tensors, 0);
  const host = tensors * KERNELS_PER_TENSOR * cluster.kernelUs * US;
  const busy = device.reduce((sum, seconds) => sum + seconds, 0);
  return busy > 0 ? Math.max(1, host / busy) : 1;
}

/** Seconds of the optimizer's pass over `1 / shards` of the parameters. */
export function updateSeconds(cluster: Cluster, workload: Workload, shards: number): number {
  const bytes = (UPDATE_BYTES_PER_PARAMETER * parameterCount(workload)) / shards;
  return bytes / (cluster.memoryGBps * BYTES_PER_GB * STREAM_EFFICIENCY);
}

/** Seconds to read `bytes` and write them elsewhere on the device. */
export function copySeconds(cluster: Cluster, bytes: number): number {
  return (2 * bytes) / (cluster.memoryGBps * BYTES_PER_GB * STREAM_EFFICIENCY);
}
