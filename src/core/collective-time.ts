/**
 * @file Closed forms of an all-reduce's time, in seconds, on dedicated links and with no time for
 * the additions. `bytes` is the whole vector's; they hold where the chunks are of equal size.
 */
import type { LinkCost } from './schedule-cost.ts';

/** 2(N-1) a + 2(N-1)/N S b [nccl-tests doc/PERFORMANCE.md]. */
export function ringSeconds(worldSize: number, bytes: number, link: LinkCost): number {
  const hops = 2 * (worldSize - 1);
  return hops * link.latencySeconds + ((hops / worldSize) * bytes) / link.bytesPerSecond;
}

/** (N-1) a + (N-1)/N S b: ring reduce-scatter or all-gather; `bytes` is the whole vector's. */
export function ringHalfSeconds(worldSize: number, bytes: number, link: LinkCost): number {
  return ringSeconds(worldSize, bytes, link) / 2;
}

/** (N-1) a + (K+N-2)/K S b: K chunks follow each other along a chain, latencies overlap. */
export function chainBroadcastSeconds(
  worldSize: number,
  chunks: number,
  bytes: number,
  link: LinkCost,
): number {
  if (worldSize === 1) return 0;
  const share = (chunks + worldSize - 2) / chunks;
  return (worldSize - 1) * link.latencySeconds + (share * bytes) / link.bytesPerSecond;
}

/** 2 log2(N) a + 2(N-1)/N S b, for powers of two [Thakur et al., IJHPCA 2005]. */
export function halvingDoublingSeconds(worldSize: number, bytes: number, link: LinkCost): number {
  const share = (2 * (worldSize - 1)) / worldSize;
  return 2 * Math.log2(worldSize) * link.latencySeconds + (share * bytes) / link.bytesPerSecond;
}

/** 2 ceil(log2 N)(a + S b): a binomial tree, the whole vector at a time. */
export function binaryTreeSeconds(worldSize: number, bytes: number, link: LinkCost): number {
  return 2 * Math.ceil(Math.log2(worldSize)) * messageSeconds(bytes, link);
}

/** 2(a + (N-1) S b): all messages queue at the root's port, where latency occupies nothing. */
export function starSeconds(worldSize: number, bytes: number, link: LinkCost): number {
  return worldSize === 1 ? 0 : 2 * messageSeconds((worldSize - 1) * bytes, link);
}

/** 2(N-1)(a + S b): a root that asks for each vector only when it has the one before. */
export function serialStarSeconds(worldSize: number, bytes: number, link: LinkCost): number {
  return 2 * (worldSize - 1) * messageSeconds(bytes, link);
}

export interface NodeLayout {
  readonly nodes: number;
  readonly ranksPerNode: number;
  /** Within a node. */
  readonly inner: LinkCost;
  /** Between nodes; one NIC a rank. */
  readonly outer: LinkCost;
}

/** 2(G-1) ai + 2(G-1)/G S/Bi + 2(M-1) an + 2(M-1)/M (S/G)/Bn. */
export function hierarchicalSeconds(layout: NodeLayout, bytes: number): number {
  const { nodes, ranksPerNode, inner, outer } = layout;
  return ringSeconds(ranksPerNode, bytes, inner) + ringSeconds(nodes, bytes / ranksPerNode, outer);
}

function messageSeconds(bytes: number, { latencySeconds, bytesPerSecond }: LinkCost): number {
  return latencySeconds + bytes / bytesPerSecond;
}
