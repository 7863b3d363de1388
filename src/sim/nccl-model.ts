/**
 * @file NCCL's latency model with the causes that it leaves out: pipelines that fill, channels left
 * idle, the copy of a rank's own share, delay that chunks hide. Closed forms in the number of ranks.
 */
import {
  BYTES_PER_GB,
  type Cluster,
  intraBytesPerSecond,
  type Layout,
  nodeBytesPerSecond,
  US,
} from './cluster.ts';
import {
  type CollectiveJob as Job,
  type CollectiveParts as Parts,
  PROTOCOLS,
  type Protocol,
  ringBytesPerSecond,
} from './collective-job.ts';

/** [nccl src/graph/tuning.cc, baseLat] */
const BASE_US = {
  ring: { LL: 6.6, LL128: 14, Simple: 8.4 },
  tree: { LL: 6.8, LL128: 14, Simple: 8.4 },
};
/** A tree's hop over a ring's [hwLat]. */
const TREE_INTRA = { LL: 1, LL128: 1.25 / 1.9, Simple: 4 / 3.4 };
const TREE_NETWORK = { LL: 5 / 2.7, LL128: 8.5 / 4, Simple: 1 };
/** In and out of the switch that adds [hwLat of NVLS, half a way]. */
const SWITCH_HOP_US = 17;
/** Of a link's bandwidth that multicast loads and stores through the switch reach. */
const SWITCH_EFFICIENCY = 0.78;
const LL128_EFFICIENCY = 0.92;
/** [tuning.cc: LL's share of a ring's and of a tree's bandwidth] */
const RING_LL = 1 / 2;
const TREE_LL = 1 / 3.8;
/** Reads two operands and writes one. */
const COPIES_OF_OWN_SHARE = 3;
/** A message is cut into at least this many slots before slots are full. */
const SLOTS_OF_A_MESSAGE = 4;
/** Slots of a channel [NCCL_STEPS]. */
const SLOTS_PER_CHANNEL = 8;
/** 512 threads. */
const BYTES_PER_CHANNEL_AND_RANK = 512 * 64;

/** LL128 is off where one of its hops on the way is 0. */
export function offeredProtocols(
  cluster: Cluster,
  { nodes, perNode }: Layout,
): readonly Protocol[] {
  const isOff =
    (nodes > 1 && cluster.networkLl128Us === 0) || (perNode > 1 && cluster.intraLl128Us === 0);
  return isOff ? ['LL', 'Simple'] : PROTOCOLS;
}

const intraHopUs = (cluster: Cluster, protocol: Protocol): number =>
  ({ LL: cluster.intraLlUs, LL128: cluster.intraLl128Us, Simple: cluster.intraSimpleUs })[protocol];
const networkHopUs = (cluster: Cluster, protocol: Protocol): number =>
  ({ LL: cluster.networkLlUs, LL128: cluster.networkLl128Us, Simple: cluster.networkSimpleUs })[
    protocol
  ];

/** LL sends a flag with every word, LL128 with every line; `llShare` is what LL reaches of `full`. */
function protocolBytesPerSecond(
  job: Job,
  protocol: Protocol,
  full: number,
  llShare: number,
): number {
  const { cluster, layout } = job;
  if (protocol === 'Simple') return full;
  if (protocol === 'LL128') return full * LL128_EFFICIENCY;
  const cap = layout.nodes > 1 ? cluster.networkLlGBps : cluster.intraLlGBps;
  return Math.min(cap * BYTES_PER_GB * Math.min(1, 2 * llShare), full * llShare);
}

/** 2(N-1) or N-1 hops of S/N, of which those between nodes cost the network's. */
export function ringParts(job: Job, protocol: Protocol): Parts {
  const { cluster, layout, kind, bytes } = job;
  const { ranks, nodes } = layout;
  const rounds = kind === 'all-reduce' ? 2 : 1;
  const outer = rounds * (nodes - 1);
  const inner = rounds * (ranks - 1) - outer;
  const hopsUs = inner * intraHopUs(cluster, protocol) + outer * networkHopUs(cluster, protocol);
  const rate = protocolBytesPerSecond(job, protocol, ringBytesPerSecond(job), RING_LL);
  const isChain = kind === 'broadcast' || kind === 'reduce';
  const share = isChain ? bytes : (rounds * (ranks - 1) * bytes) / ranks;
  const transferSeconds = (share / rate) * idleChannels(job, protocol);
  return {
    latencySeconds:
      (BASE_US.ring[protocol] + cluster.launchUs + hopsUs) * US +
      delay(job, outer, bytes / ranks, rate),
    transferSeconds,
    overheadSeconds: protocol === 'LL' ? 0 : fill(job, (share / bytes || 0) / rate) + ownShare(job),
  };
}

/**
 * How much longer a small message takes because some channels are left without work: in the Simple
 * protocol each must have 64 bytes a thread and rank [nccl src/enqueue.cc]. 1 for large messages.
 */
function idleChannels(job: Job, protocol: Protocol): number {
  if (protocol !== 'Simple') return 1;
  const least = channelsOf(job) * BYTES_PER_CHANNEL_AND_RANK * job.layout.ranks;
  return Math.max(1, least / job.bytes);
}

/** Between nodes NCCL opens at most two a NIC. */
function channelsOf({ cluster, layout }: Job): number {
  return layout.nodes > 1 ? Math.min(cluster.channels, 2 * cluster.nicsPerNode) : cluster.channels;
}

/**
 * NCCL's double binary tree: a chain within a node, two trees of half the data between them. Within
 * one node a chain is as long as the ring and half as wide, so it is not offered there.
 */
export function treeParts(job: Job, protocol: Protocol): Parts {
  const { cluster, layout, bytes } = job;
  const { nodes, perNode } = layout;
  const depth = Math.floor(Math.log2(nodes));
  const innerUs = (perNode - 1) * intraHopUs(cluster, protocol) * TREE_INTRA[protocol];
  const outerUs = depth * networkHopUs(cluster, protocol) * TREE_NETWORK[protocol];
  const full = treeBytesPerSecond(job, intraBytesPerSecond(cluster, perNode) / 2);
  const rate = protocolBytesPerSecond(job, protocol, full, TREE_LL);
  return {
    latencySeconds:
      (BASE_US.tree[protocol] +
        cluster.launchUs +
        2 * (innerUs + outerUs) +
        2 * depth * cluster.networkDelayUs) *
      US,
    transferSeconds: bytes / rate,
    overheadSeconds: protocol === 'LL' ? 0 : fill(job, 1 / rate),
  };
}

/** The switch adds within a node (NVLink SHARP), the trees between nodes. */
export function switchParts(job: Job): Parts {
  const { cluster, layout, bytes } = job;
  const depth = Math.floor(Math.log2(layout.nodes));
  const outerUs = depth * (cluster.networkSimpleUs + cluster.networkDelayUs);
  const link = intraBytesPerSecond(cluster, layout.perNode);
  const rate = treeBytesPerSecond(job, (link * SWITCH_EFFICIENCY) / (1 + 1 / layout.perNode));
  return {
    latencySeconds: (BASE_US.tree.Simple + cluster.launchUs + 2 * (SWITCH_HOP_US + outerUs)) * US,
    transferSeconds: bytes / rate,
    overheadSeconds: fill(job, 1 / rate),
  };
}

/** Reduce-scatter in the nodes, all-reduce of each share between them, all-gather in the nodes. */
export function hierarchicalParts(job: Job): Parts {
  const { cluster, layout, bytes } = job;
  const { nodes, perNode } = layout;
  const inner = intraBytesPerSecond(cluster, perNode);
  const outer = nodeBytesPerSecond(cluster, nodes);
  const hopsUs =
    2 * (perNode - 1) * cluster.intraSimpleUs +
    2 * (nodes - 1) * (cluster.networkSimpleUs + cluster.networkDelayUs);
  return {
    latencySeconds: (BASE_US.ring.Simple + cluster.launchUs + hopsUs) * US,
    transferSeconds:
      (2 * (perNode - 1) * bytes) / perNode / inner + (2 * (nodes - 1) * bytes) / nodes / outer,
    overheadSeconds: fill(job, 1 / Math.min(inner, outer)),
  };
}

/**
 * Payload a second through the trees. Between two nodes each sends the vector once. With more, a
 * node is a leaf of one tree and has two children in the other: half the vector four times.
 */
function treeBytesPerSecond({ cluster, layout }: Job, inner: number): number {
  const { nodes, perNode } = layout;
  if (nodes === 1) return inner;
  const outer = nodeBytesPerSecond(cluster, nodes) / (nodes === 2 ? 1 : 2);
  return perNode === 1 ? outer : Math.min(inner, outer);
}

/** Slots that each stage fills before the next has work: in the node, between nodes, in the node. */
function fill(job: Job, secondsPerByte: number): number {
  const { cluster, layout, bytes } = job;
  const stages = layout.nodes > 1 && layout.perNode > 1 ? 3 : 1;
  const slots = Math.min(bytes / SLOTS_OF_A_MESSAGE, channelsOf(job) * cluster.slotKiB * 1024);
  return stages * slots * secondsPerByte;
}

/** The last addition of a rank's own share goes through its memory. */
function ownShare({ cluster, layout, bytes }: Job): number {
  return (COPIES_OF_OWN_SHARE * bytes) / (layout.ranks * cluster.memoryGBps * BYTES_PER_GB);
}

/**
 * Seconds of network delay that a ring does not hide. A rank passes a slot on as soon as it has it,
 * so a hop waits only where the delay is longer than the rest of its chunk.
 */
function delay({ cluster, layout }: Job, hops: number, chunkBytes: number, rate: number): number {
  if (layout.nodes === 1) return 0;
  const oneWay = cluster.networkDelayUs * US;
  const slot = Math.min(cluster.slotKiB * 1024, chunkBytes / SLOTS_OF_A_MESSAGE);
  const rest = Math.max(0, chunkBytes - slot) / rate;
  const window = 2 * cluster.nicsPerNode * SLOTS_PER_CHANNEL * cluster.slotKiB * 1024;
  const stall = Math.max(0, 2 * oneWay - window / rate) * (chunkBytes / window);
  return oneWay + hops * (Math.max(0, oneWay - rest) + stall);
}
