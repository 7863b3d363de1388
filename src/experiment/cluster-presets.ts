/**
 * @file Clusters by name: what each sets apart from the field table's defaults. Peaks and memory are
 * the vendors' dense figures; hop latencies and LL rates NCCL's (src/graph/tuning.cc), but where a
 * published measurement says more (docs/validation.md tells which). Sources stand beside each.
 */
import type { ClusterChoice, ClusterPresetId } from './cluster-fields.ts';

type Overrides = Partial<ClusterChoice>;

const NVLINK: Overrides = {
  intraTopology: 'switch',
  intraLlUs: 0.6,
  intraLl128Us: 1.9,
  intraSimpleUs: 3.4,
};
/** NCCL's hops over InfiniBand verbs, the wire included. */
const VERBS: Overrides = {
  networkEfficiency: 0.97,
  networkDelayUs: 0,
  networkLlUs: 2.7,
  networkLl128Us: 4,
  networkSimpleUs: 14,
  networkLlGBps: 45,
};
/** Elastic Fabric Adapter: libfabric's SRD and the proxy thread on every hop
 * [nccl-tests on p3dn]. LL's rate is NCCL's for two nodes of Ampere. */
const EFA: Overrides = {
  networkEfficiency: 0.875,
  networkDelayUs: 0,
  networkLlUs: 58,
  networkLl128Us: 0,
  networkSimpleUs: 180,
  networkLlGBps: 22.5,
};
const V100: Overrides = { memoryGBps: 900, variation: 0.025, halfEfficiency: 0.44 };
const A100: Overrides = {
  ...NVLINK,
  fp32Tflops: 19.5,
  tf32Tflops: 156,
  halfTflops: 312,
  fp8Tflops: 312,
  efficiency: 0.6,
  halfEfficiency: 0.55,
  memoryGBps: 1555,
  intraGBps: 235,
  intraLlUs: 1,
  intraLl128Us: 0,
  intraSimpleUs: 1.9,
  intraLlGBps: 25,
  launchUs: 22,
  channels: 24,
  kernelUs: 3,
  hookUs: 10,
};
const H100: Overrides = {
  ...NVLINK,
  fp32Tflops: 67,
  tf32Tflops: 494.5,
  halfTflops: 989,
  fp8Tflops: 1979,
  efficiency: 0.55,
  halfEfficiency: 0.5,
  memoryGBps: 3350,
  intraGBps: 370.8,
  intraLlGBps: 141,
  switchReduction: true,
  launchUs: 0,
  channels: 24,
  kernelUs: 3,
  hookUs: 10,
  contention: 0.6,
};
const H100_NDR: Overrides = {
  ...H100,
  ...VERBS,
  nodes: 64,
  gpusPerNode: 8,
  nicsPerNode: 8,
  nicGbps: 400,
};
const FABRIC: Overrides = { storageGBps: 40 };

export const CLUSTER_PRESETS: Readonly<Record<ClusterPresetId, Overrides>> = {
  /** Workers of one page share a laptop's cores; a link is a copy in memory (DESIGN's measurement). */
  laptop: {
    nodes: 1,
    gpusPerNode: 16,
    fp32Tflops: 0.05,
    tf32Tflops: 0.05,
    halfTflops: 0.05,
    fp8Tflops: 0.05,
    efficiency: 0.2,
    halfEfficiency: 0.2,
    memoryGBps: 20,
    variation: 0.05,
    intraGBps: 4,
    intraLlUs: 20,
    intraSimpleUs: 20,
    launchUs: 50,
    hookUs: 2,
    contention: 1,
    mtbfHoursPerGpu: 2000,
  },
  /** 3 ms and 50 MB/s between laptops on one access point. */
  'wifi-laptops': {
    fp32Tflops: 0.4,
    tf32Tflops: 0.4,
    halfTflops: 0.4,
    fp8Tflops: 0.4,
    efficiency: 0.3,
    halfEfficiency: 0.3,
    memoryGBps: 40,
    variation: 0.1,
    nicGbps: 0.4,
    sharedMedium: true,
    networkEfficiency: 1,
    networkDelayUs: 3000,
    library: 'gloo',
    hostGBps: 1.33,
    contention: 0.2,
    storageGBps: 0.5,
    mtbfHoursPerGpu: 500,
  },
  /** One V100 a machine, up to 10 Gb/s, TCP sockets (AWS p3.2xlarge class). */
  'cloud-10gbe': {},
  /** 128 servers of 4 Pascal GPUs, 25 Gbit/s RoCE [Horovod README]. */
  'pascal-25gbe': {
    ...VERBS,
    nodes: 128,
    gpusPerNode: 4,
    fp32Tflops: 10.6,
    tf32Tflops: 10.6,
    halfTflops: 21.2,
    fp8Tflops: 21.2,
    memoryGBps: 732,
    nicGbps: 25,
    networkLl128Us: 0,
    networkLlGBps: 1.5,
    intraGBps: 10,
    channels: 4,
  },
  /** No peer access: two GPUs share a PCIe 3 x16 uplink (12 GB/s over NCCL's 6/5 for Intel hosts). */
  'pcie-host': {
    nodes: 1,
    gpusPerNode: 4,
    intraGBps: 5,
    intraLlGBps: 2.5,
  },
  /** 8 V100 in a hybrid cube mesh of 6 NVLink2 each, 22.5 GB/s usable; 4 x 100 Gb/s InfiniBand. */
  'dgx1-v100': {
    ...NVLINK,
    ...VERBS,
    ...V100,
    ...FABRIC,
    nodes: 32,
    gpusPerNode: 8,
    intraTopology: 'mesh',
    intraGBps: 135,
    intraLlGBps: 39,
    intraLl128Us: 0,
    networkLl128Us: 0,
    nicsPerNode: 4,
    nicGbps: 100,
    channels: 8,
    slotKiB: 16,
  },
  /** 16 V100 on NVSwitch; 8 x 100 Gb/s InfiniBand. */
  'dgx2-v100': {
    ...NVLINK,
    ...VERBS,
    ...V100,
    ...FABRIC,
    nodes: 32,
    gpusPerNode: 16,
    intraGBps: 135,
    intraLlGBps: 39,
    nicsPerNode: 8,
    nicGbps: 100,
    channels: 8,
    slotKiB: 16,
  },
  /** 8 A100-40 on NVSwitch; 8 x 200 Gb/s. */
  'dgx-a100': {
    ...A100,
    ...VERBS,
    ...FABRIC,
    nodes: 32,
    gpusPerNode: 8,
    nicsPerNode: 8,
    nicGbps: 200,
  },
  /** One machine of 8 H100 SXM; NVLink SHARP adds up in the switch. */
  'dgx-h100': { ...H100_NDR, ...FABRIC, nodes: 2 },
  'hgx-h200': { ...H100_NDR, ...FABRIC, memoryGBps: 4800 },
  /** NVLink 5 is 721.8 GB/s in NCCL's topology. */
  'hgx-b200': {
    ...H100_NDR,
    ...FABRIC,
    fp32Tflops: 80,
    tf32Tflops: 1125,
    halfTflops: 2250,
    fp8Tflops: 4500,
    memoryGBps: 8000,
    intraGBps: 721.8,
  },
  'h100-ib-ndr': { ...H100_NDR, ...FABRIC, nodes: 128 },
  /** RoCE: the same rate, a little longer through Ethernet switches. */
  'h100-roce': { ...H100_NDR, ...FABRIC, nodes: 128, networkDelayUs: 2, networkEfficiency: 0.95 },
  /** 16,384 H100, RoCE 400 Gb/s, pods of 3,072 GPUs, 1:7 above; 419 faults in 54 days [Llama 3]. */
  'llama3-16k': {
    ...H100_NDR,
    nodes: 2048,
    networkDelayUs: 2,
    networkEfficiency: 0.95,
    nodesPerPod: 384,
    oversubscription: 7,
    storageGBps: 2000,
    mtbfHoursPerGpu: 50_700,
  },
  /** 8 V100, one 100 Gb/s EFA, no GPUDirect: bytes pass host memory at 10 of 12.5 GB/s, four fifths. */
  'p3dn-efa': {
    ...NVLINK,
    ...EFA,
    ...V100,
    gpusPerNode: 8,
    intraTopology: 'mesh',
    intraGBps: 135,
    intraLlGBps: 39,
    intraLl128Us: 0,
    nicGbps: 100,
    networkEfficiency: 0.7,
    channels: 8,
  },
  /** 8 A100-80, four 100 Gb/s EFA. */
  'p4de-efa': { ...A100, ...EFA, gpusPerNode: 8, memoryGBps: 2039, nicsPerNode: 4, nicGbps: 100 },
  /** One V100 a machine behind `tc netem`: 1 ms and 5 Gb/s. */
  'slow-link': { nicGbps: 5, networkDelayUs: 1000, networkEfficiency: 0.97 },
};

/** Where a preset's figures come from, for docs/clusters.md. */
export const CLUSTER_SOURCES: Readonly<Record<ClusterPresetId, string>> = {
  laptop: 'orders of magnitude: eight cores shared by page workers, copies in memory',
  'wifi-laptops': 'orders of magnitude: 3 ms and 50 MB/s on one access point',
  'cloud-10gbe': 'NVIDIA V100 sheet; BinhangYuan/tc_cluster_setting (AWS p3.2xlarge class)',
  'pascal-25gbe': 'NVIDIA P100 sheet; Horovod README: 128 servers of 4, 25 Gbit/s RoCE',
  'pcie-host': 'nccl src/graph/topo.h: PCIe 3 x16 12 GB/s, 6/5 on Intel hosts; NVIDIA/nccl#445',
  'dgx1-v100': 'NVIDIA DGX-1 sheet; NVLink 2: 6 links of 22.5 GB/s usable; vTrain traces',
  'dgx2-v100': 'NVIDIA DGX-2 sheet; links as DGX-1',
  'dgx-a100': 'NVIDIA DGX A100 sheet; vTrain traces for the ring on NVSwitch',
  'dgx-h100': 'NVIDIA DGX H100 sheet; nccl src/graph/topo.h: 18 x 20.6 GB/s; nccl-tests on p5',
  'hgx-h200': 'as dgx-h100, memory 4.8 TB/s (NVIDIA H200 sheet)',
  'hgx-b200': 'NVIDIA HGX B200 sheet; nccl src/graph/topo.h: 18 x 40.1 GB/s',
  'h100-ib-ndr': 'as dgx-h100; NDR 400 Gb/s, 48.5 of 50 GB/s (SimAI)',
  'h100-roce': 'as h100-ib-ndr; 2 us more through Ethernet switches (assumed)',
  'llama3-16k':
    'Llama 3 report, 3.3: RoCE 400 Gb/s, pods of 3,072, 1:7 above, Tectonic 2 TB/s, 419 faults in 54 days',
  'p3dn-efa': 'AWS p3dn.24xlarge: one 100 Gb/s EFA without GPUDirect; nccl-tests on it',
  'p4de-efa': 'AWS p4de.24xlarge: four 100 Gb/s EFA with GPUDirect, hops as p3dn',
  'slow-link': 'BinhangYuan/tc_cluster_setting: `tc netem` with 1 ms and 5 Gb/s',
};
