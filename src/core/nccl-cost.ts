/**
 * @file NCCL's model of an all-reduce's time, by which it chooses algorithm and protocol
 * (nccl src/graph/tuning.cc): time = latency + bytes / bandwidth. GPUs on NVLink within a node;
 * without the caps of single GPU generations, network overhead and corrections by message size.
 */

export type NcclAlgorithm = 'ring' | 'tree';
export type NcclProtocol = 'LL' | 'LL128' | 'Simple';

export interface NcclCluster {
  /** Divisible by `nodes`. */
  readonly ranks: number;
  readonly nodes: number;
  /** Bus bandwidth of all channels together, 10^9 bytes a second. */
  readonly gigabytesPerSecond: number;
}

export interface NcclChoice {
  readonly algorithm: NcclAlgorithm;
  readonly protocol: NcclProtocol;
  readonly microseconds: number;
}

type Table = Readonly<Record<NcclAlgorithm, Readonly<Record<NcclProtocol, number>>>>;

const BASE_MICROSECONDS: Table = {
  ring: { LL: 6.6, LL128: 14, Simple: 8.4 },
  tree: { LL: 6.8, LL128: 14, Simple: 8.4 },
};

const NVLINK_HOP_MICROSECONDS: Table = {
  ring: { LL: 0.6, LL128: 1.9, Simple: 3.4 },
  tree: { LL: 0.6, LL128: 1.25, Simple: 4 },
};

const NETWORK_HOP_MICROSECONDS: Table = {
  ring: { LL: 2.7, LL128: 4, Simple: 14 },
  tree: { LL: 5, LL128: 8.5, Simple: 14 },
};

const CANDIDATES = [
  ['ring', 'LL'],
  ['ring', 'LL128'],
  ['ring', 'Simple'],
  ['tree', 'LL'],
  ['tree', 'LL128'],
  ['tree', 'Simple'],
] as const;

/** The fastest (algorithm, protocol) for an all-reduce of `bytes`; see ncclMicroseconds. */
export function ncclChoice(cluster: NcclCluster, bytes: number): NcclChoice {
  const times = CANDIDATES.map(
    ([algorithm, protocol]): NcclChoice => ({
      algorithm,
      protocol,
      microseconds: ncclMicroseconds(cluster, bytes, algorithm, protocol),
    }),
  );
  return times.reduce((best, each) => (each.microseconds < best.microseconds ? each : best));
}

/**
 * Modelled time of an all-reduce of `bytes`; 0 for one rank. Throws RangeError unless ranks and
 * nodes are positive integers and every node has the same number of ranks.
 */
export function ncclMicroseconds(
  cluster: NcclCluster,
  bytes: number,
  algorithm: NcclAlgorithm,
  protocol: NcclProtocol,
): number {
  if (cluster.ranks === 1) return 0;
  const bandwidth = algorithmGigabytesPerSecond(cluster, algorithm, protocol);
  return ncclLatencyMicroseconds(cluster, algorithm, protocol) + bytes / (1000 * bandwidth);
}

/** The part of the time that does not depend on the bytes. Throws as ncclMicroseconds does. */
export function ncclLatencyMicroseconds(
  cluster: NcclCluster,
  algorithm: NcclAlgorithm,
  protocol: NcclProtocol,
): number {
  const { ranks, nodes } = cluster;
  requireEqualNodes(cluster);
  const base = BASE_MICROSECONDS[algorithm][protocol];
  const inner = NVLINK_HOP_MICROSECONDS[algorithm][protocol];
  const outer = NETWORK_HOP_MICROSECONDS[algorithm][protocol];
  if (algorithm === 'ring') {
    const outerSteps = 2 * (nodes - 1);
    return base + (2 * (ranks - 1) - outerSteps) * inner + outerSteps * outer;
  }
  return base + 2 * ((ranks / nodes - 1) * inner + Math.floor(Math.log2(nodes)) * outer);
}

/** Bus bandwidth x the protocol's efficiency x vector bytes over bytes through a link. */
function algorithmGigabytesPerSecond(
  { ranks, nodes, gigabytesPerSecond }: NcclCluster,
  algorithm: NcclAlgorithm,
  protocol: NcclProtocol,
): number {
  if (algorithm === 'ring') {
    const efficiency = { LL: 0.5, LL128: 0.92, Simple: 1 }[protocol];
    return (gigabytesPerSecond * efficiency * ranks) / (2 * (ranks - 1));
  }
  const efficiency = { LL: 1 / 3.8, LL128: nodes === 1 ? 7 / 9 : 120 / 128, Simple: 1 }[protocol];
  return gigabytesPerSecond * 0.92 * efficiency * 0.5;
}

function requireEqualNodes({ ranks, nodes }: NcclCluster): void {
  const valid = Number.isInteger(ranks) && Number.isInteger(nodes) && ranks >= 1 && nodes >= 1;
  if (valid && ranks % nodes === 0) return;
  throw new RangeError(
    `NCCL's cost model: ${ranks} ranks on ${nodes} nodes; every node must have the same number`,
  );
}
