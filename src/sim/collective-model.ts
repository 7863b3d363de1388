/** @file What a collective takes on a cluster, by algorithm and protocol, and which is the best. */
import { busBandwidth } from '#core/busbw';
import { BYTES_PER_GB, type Cluster, layoutOf } from './cluster.ts';
import type {
  Algorithm,
  Collective,
  CollectiveJob,
  CollectiveParts,
  Protocol,
} from './collective-job.ts';
import { hostRing } from './gloo-model.ts';
import {
  hierarchicalParts,
  offeredProtocols,
  ringParts,
  switchParts,
  treeParts,
} from './nccl-model.ts';

export interface CollectivePrice extends CollectiveParts {
  readonly algorithm: Algorithm;
  readonly protocol: Protocol;
  readonly seconds: number;
  /** As nccl-tests counts it. */
  readonly busGBps: number;
}

const NOTHING: CollectiveParts = { latencySeconds: 0, transferSeconds: 0, overheadSeconds: 0 };

/**
 * The cheapest way to run a collective of `bytes` that NCCL or Gloo has themselves, or `algorithm`
 * where the cluster offers it; hierarchical is only taken if asked for. For all-gather and
 * reduce-scatter `bytes` are all ranks' total. Throws RangeError on more ranks than devices.
 */
export function bestCollective(
  cluster: Cluster,
  ranks: number,
  kind: Collective,
  bytes: number,
  algorithm: Algorithm | 'auto' = 'auto',
): CollectivePrice {
  const prices = collectivePrices(cluster, ranks, kind, bytes);
  const wanted = prices.filter((price) =>
    algorithm === 'auto' ? price.algorithm !== 'hierarchical' : price.algorithm === algorithm,
  );
  const [first = prices[0], ...others] = wanted;
  return others.reduce((best, each) => (each.seconds < best.seconds ? each : best), first);
}

/**
 * Every algorithm and protocol that the cluster offers for a collective. Throws RangeError if the
 * cluster has fewer devices than ranks.
 */
export function collectivePrices(
  cluster: Cluster,
  ranks: number,
  kind: Collective,
  bytes: number,
): [CollectivePrice, ...CollectivePrice[]] {
  const layout = layoutOf(cluster, ranks);
  const job: CollectiveJob = { cluster, layout, kind, bytes };
  const price = (algorithm: Algorithm, protocol: Protocol, parts: CollectiveParts) => {
    const seconds = parts.latencySeconds + parts.transferSeconds + parts.overheadSeconds;
    const busGBps = seconds > 0 ? busBandwidth(kind, ranks, bytes, seconds) / BYTES_PER_GB : 0;
    return { algorithm, protocol, seconds, ...parts, busGBps };
  };
  if (ranks === 1) return [price('ring', 'LL', NOTHING)];
  if (cluster.library === 'gloo') return [price('host-ring', 'Simple', hostRing(job))];
  const isReduced = kind === 'all-reduce';
  const { nodes, perNode } = layout;
  const ring = price('ring', 'Simple', ringParts(job, 'Simple'));
  const others: CollectivePrice[] = [];
  for (const protocol of offeredProtocols(cluster, layout)) {
    if (protocol !== 'Simple') others.push(price('ring', protocol, ringParts(job, protocol)));
    if (isReduced && nodes > 1) others.push(price('tree', protocol, treeParts(job, protocol)));
  }
  if (isReduced && cluster.switchReduction && perNode > 2) {
    others.push(price('switch', 'Simple', switchParts(job)));
  }
  if (isReduced && nodes > 1 && perNode > 1) {
    others.push(price('hierarchical', 'Simple', hierarchicalParts(job)));
  }
  return [ring, ...others];
}
