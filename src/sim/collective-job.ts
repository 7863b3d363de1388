/** @file What a collective is, where it runs, and the parts of its time. */
import { type Cluster, intraBytesPerSecond, type Layout, nodeBytesPerSecond } from './cluster.ts';

export const COLLECTIVE_KINDS = [
  'all-reduce',
  'all-gather',
  'reduce-scatter',
  'broadcast',
  'reduce',
] as const;
export type Collective = (typeof COLLECTIVE_KINDS)[number];

export const ALGORITHMS = ['ring', 'tree', 'switch', 'hierarchical', 'host-ring'] as const;
export type Algorithm = (typeof ALGORITHMS)[number];
export const PROTOCOLS = ['LL', 'LL128', 'Simple'] as const;
export type Protocol = (typeof PROTOCOLS)[number];

/** Seconds. */
export interface CollectiveParts {
  /** Launch, hops and delays: what an empty message takes. */
  readonly latencySeconds: number;
  /** Bytes over the narrowest link of the way. */
  readonly transferSeconds: number;
  /** Filling the pipeline, copying the own share, passing host memory. */
  readonly overheadSeconds: number;
}

export interface CollectiveJob {
  readonly cluster: Cluster;
  readonly layout: Layout;
  readonly kind: Collective;
  readonly bytes: number;
}

/** Narrowest link of a ring: each ring enters and leaves a node once, on NICs of its own. */
export function ringBytesPerSecond({ cluster, layout }: CollectiveJob): number {
  const { nodes, perNode } = layout;
  const outer = nodes > 1 ? nodeBytesPerSecond(cluster, nodes) : Number.POSITIVE_INFINITY;
  const inner = perNode > 1 ? intraBytesPerSecond(cluster, perNode) : Number.POSITIVE_INFINITY;
  return Math.min(inner, outer);
}
