/** @file A cluster as the price models read it, and where its ranks sit. */
import type { ClusterChoice } from '#experiment/cluster-fields';

/** Everything but the names: preset and workload have done their part. */
export type Cluster = Omit<ClusterChoice, 'preset' | 'workload'>;

/** Ranks fill one node after the other. */
export interface Layout {
  readonly ranks: number;
  readonly nodes: number;
  /** On the fullest node. */
  readonly perNode: number;
}

export const BYTES_PER_GB = 1e9;
export const US = 1e-6;

/** Where `ranks` ranks sit. Throws RangeError if the cluster has fewer devices. */
export function layoutOf(cluster: Cluster, ranks: number): Layout {
  const most = cluster.nodes * cluster.gpusPerNode;
  if (!Number.isInteger(ranks) || ranks < 1 || ranks > most) {
    throw new RangeError(
      `${ranks} ranks on a cluster of ${most} devices; 1 to ${most} are allowed`,
    );
  }
  const perNode = Math.min(ranks, cluster.gpusPerNode);
  return { ranks, nodes: Math.ceil(ranks / cluster.gpusPerNode), perNode };
}

/**
 * Bytes a second that a rank's ring neighbour gets within a node. A V100 of a hybrid cube mesh has
 * six NVLinks, of which one leads to its partner and four stay within its quad.
 */
export function intraBytesPerSecond(cluster: Cluster, perNode: number): number {
  const links = perNode <= 2 ? 1 : perNode <= 4 ? 4 : 6;
  const share = cluster.intraTopology === 'mesh' ? links / 6 : 1;
  return cluster.intraGBps * share * BYTES_PER_GB;
}

/**
 * Bytes a second in or out of one node, all NICs together. Rings and trees over nodes in order leave
 * a pod of switches with one node's traffic, so the uplinks matter only where they carry less than
 * that. Nodes on one radio channel, all of them sending, get their share of it.
 */
export function nodeBytesPerSecond(cluster: Cluster, nodes: number): number {
  const { nicsPerNode, nicGbps, networkEfficiency, nodesPerPod, oversubscription } = cluster;
  const bytes = (nicsPerNode * nicGbps * BYTES_PER_GB * networkEfficiency) / 8;
  if (cluster.sharedMedium) return bytes / nodes;
  return nodes > nodesPerPod ? bytes * Math.min(1, nodesPerPod / oversubscription) : bytes;
}
