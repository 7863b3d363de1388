/**
 * @file Published all-reduce times, and whether presets were fitted to them. Sizes are binary, times
 * microseconds, out of place.
 */
import type { ClusterChoice } from '#experiment/cluster-fields';
import type { Algorithm } from './collective-job.ts';

export interface CollectiveSeries {
  readonly id: string;
  readonly what: string;
  readonly source: string;
  readonly fitted: boolean;
  readonly cluster: Partial<ClusterChoice>;
  readonly ranks: number;
  readonly algorithm?: Algorithm;
  /** "32K 43.83; 64K 46.80". */
  readonly microseconds: string;
  /** What of the measurement no cause explains, where the error is above 20 %. */
  readonly cause?: string;
}

const VTRAIN = 'vTrain trace/';

/** vTrain's table: 1, 4, 16, 64, 256 and 1024 MiB. */
const byGpus = (id: string, fitted: boolean, ranks: number, times: string): CollectiveSeries => {
  const [family, preset, what] = id.startsWith('A100')
    ? (['A100', 'dgx-a100', 'NVSwitch'] as const)
    : (['V100', 'dgx1-v100', 'hybrid mesh'] as const);
  const sizes = ['1M', '4M', '16M', '64M', '256M', '1G'];
  const microseconds = times
    .split(' ')
    .map((time, index) => `${sizes[index]} ${time}`)
    .join('; ');
  const source = VTRAIN;
  return {
    id,
    what: `${ranks} ${family}, ${what}`,
    source,
    fitted,
    cluster: { preset },
    ranks,
    microseconds,
  };
};

const NETEM = 'BinhangYuan/tc_cluster_setting';
/** One V100 a machine behind `tc netem`; 128 and 256 MiB on 4 and on 8 nodes, milliseconds. */
const netem = (
  id: string,
  fitted: boolean,
  cluster: Partial<ClusterChoice>,
  ranks: number,
  milliseconds: readonly [number, number],
): CollectiveSeries => ({
  id,
  what: `${ranks} x 1 V100, ${cluster.library === 'gloo' ? 'Gloo' : 'NCCL'}, tc netem`,
  source: NETEM,
  fitted,
  cluster,
  ranks,
  microseconds: `128M ${milliseconds[0] * 1000}; 256M ${milliseconds[1] * 1000}`,
});

const SLOW: Partial<ClusterChoice> = {
  preset: 'slow-link',
  nicGbps: 1,
  networkDelayUs: 10_000,
};
const GLOO = { library: 'gloo' } as const;

export const COLLECTIVE_SERIES: readonly CollectiveSeries[] = [
  {
    id: 'T1',
    what: '8 A100, one node, NVSwitch',
    source: 'stas00/ml-engineering',
    fitted: true,
    cluster: { preset: 'dgx-a100' },
    ranks: 8,
    microseconds:
      '32K 43.83; 64K 46.80; 128K 51.76; 256K 61.38; 512K 80.40; 1M 101.9; 2M 101.4; 4M 101.5; 8M 133.5; 16M 276.6; 32M 424.0; 64M 684.6; 128M 1327.6; 256M 2420.6; 512M 4218.4; 1G 8203.9; 4G 32136; 16G 127997',
  },
  {
    id: 'T3',
    what: '8 H100, one node (p5)',
    source: 'aws-samples/awsome-distributed-training',
    fitted: false,
    cluster: { preset: 'dgx-h100' },
    ranks: 8,
    microseconds:
      '8 12.90; 1K 16.43; 32K 18.78; 128K 19.37; 512K 21.17; 1M 28.56; 4M 55.44; 8M 84.29; 16M 124.0; 32M 198.6; 64M 326.6; 128M 592.8; 256M 1121.4; 1G 4253.0; 4G 15791; 16G 62239',
  },
  {
    id: 'T4',
    what: '2 x 8 H100, NDR 400',
    source: 'NVIDIA/nccl-tests#309',
    fitted: true,
    cluster: { preset: 'h100-ib-ndr' },
    ranks: 16,
    microseconds:
      '8 24.70; 1K 26.65; 8K 32.12; 32K 34.10; 128K 38.77; 256K 48.67; 512K 77.69; 1M 71.93; 4M 94.38; 8M 132.6; 16M 185.4; 32M 267.9; 64M 466.1; 128M 748.3; 256M 1282.8; 1G 4484.9; 4G 17262; 16G 68652',
  },
  {
    id: 'T13',
    what: '2 x 8 A100-80 (p4de), EFA',
    source: 'aws-samples/awsome-distributed-training',
    fitted: false,
    cluster: { preset: 'p4de-efa' },
    ranks: 16,
    microseconds:
      '8 164.3; 1K 165.0; 8K 175.9; 32K 224.6; 128K 229.7; 512K 260.3; 1M 309.4; 4M 533.9; 8M 762.8; 16M 1191.8; 32M 1540; 64M 2644.6; 128M 3912.9; 256M 7201.7; 1G 26217; 2G 51406',
  },
  {
    id: 'T16',
    what: '2 x 8 V100 (p3dn), EFA, ring',
    source: 'AWS Deep Learning AMI guide',
    fitted: true,
    cluster: { preset: 'p3dn-efa' },
    algorithm: 'ring',
    ranks: 16,
    microseconds:
      '8 145.4; 1K 151; 8K 144.6; 32K 156.7; 128K 193.8; 512K 309; 1M 709.3; 4M 2088.9; 8M 2869.7; 16M 4631.7; 32M 8769; 64M 16964; 128M 33403; 256M 59045; 512M 115842; 1G 228178',
  },
  {
    id: 'T20c',
    what: '4 GPUs over PCIe, host path',
    source: 'NVIDIA/nccl#445',
    fitted: false,
    cluster: { preset: 'pcie-host' },
    ranks: 4,
    microseconds: '1M 349.1; 8M 2605; 64M 20653; 1G 328867',
  },
  byGpus('A100-2', true, 2, '44.2 61.2 131.9 404.7 1455.8 5442.8'),
  byGpus('A100-4', false, 4, '51.4 77.3 179.6 543.8 1929.0 7259.4'),
  byGpus('A100-8', true, 8, '92.8 95.8 232.4 579.9 2162.3 8193.0'),
  byGpus('V100-2', false, 2, '70.1 208.6 764.1 2998.9 11915 47610'),
  byGpus('V100-4', true, 4, '67.3 142.1 324.2 1202.1 4714 18869'),
  byGpus('V100-8', false, 8, '79.9 150.9 273.8 911.3 3527.4 13969'),
  netem('netem-aws-nccl-4', true, {}, 4, [175, 363]),
  netem('netem-aws-nccl-8', false, {}, 8, [208, 443]),
  netem('netem-aws-gloo-4', true, GLOO, 4, [327, 657]),
  netem('netem-aws-gloo-8', false, GLOO, 8, [382, 765]),
  netem('netem-1ms-nccl-4', true, { preset: 'slow-link' }, 4, [329, 655]),
  netem('netem-1ms-nccl-8', false, { preset: 'slow-link' }, 8, [383, 763]),
  netem('netem-1ms-gloo-4', true, { preset: 'slow-link', ...GLOO }, 4, [485, 959]),
  netem('netem-1ms-gloo-8', false, { preset: 'slow-link', ...GLOO }, 8, [537, 1111]),
  netem('netem-10ms-nccl-4', true, SLOW, 4, [1669, 3298]),
  netem('netem-10ms-nccl-8', false, SLOW, 8, [1940, 3841]),
  netem('netem-10ms-gloo-4', true, { ...SLOW, ...GLOO }, 4, [2993, 5909]),
  netem('netem-10ms-gloo-8', false, { ...SLOW, ...GLOO }, 8, [3582, 6999]),
];

/** "64M 684.6; ..." as bytes and seconds. */
export function parsePoints(
  text: string,
): readonly { bytes: number; seconds: number; size: string }[] {
  return text.split('; ').map((point) => {
    const [size = '', time = ''] = point.split(' ');
    const scale = 1024 ** (['K', 'M', 'G'].indexOf(size.slice(-1)) + 1);
    return { bytes: Number.parseFloat(size) * scale, seconds: Number(time) * 1e-6, size };
  });
}
