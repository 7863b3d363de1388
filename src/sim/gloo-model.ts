/** @file Gloo's ring: through host memory, added by the CPU. */
import { BYTES_PER_GB, US } from './cluster.ts';
import { type CollectiveJob, type CollectiveParts, ringBytesPerSecond } from './collective-job.ts';

const GLOO_SEGMENT_BYTES = 2 ** 20;

/**
 * Gloo's ring over host memory: segments of at most 1 MiB, a few in flight, each received, added by
 * a core and sent on [gloo allreduce.cc]. So a long delay costs a share of it for every segment.
 */
export function hostRing(job: CollectiveJob): CollectiveParts {
  const { cluster, layout, kind, bytes } = job;
  const { ranks, nodes } = layout;
  const rounds = kind === 'all-reduce' ? 2 : 1;
  const hops = rounds * (ranks - 1);
  const chunk = bytes / ranks;
  const rate = ringBytesPerSecond(job);
  const segment = Math.min(GLOO_SEGMENT_BYTES, chunk / 2);
  const segments = chunk / segment;
  const wire = segment / rate;
  const host = segment / (cluster.hostGBps * BYTES_PER_GB);
  const oneWay = nodes > 1 ? cluster.networkDelayUs * US : 0;
  const hopUs = nodes > 1 ? cluster.networkSimpleUs : cluster.intraSimpleUs;
  const each = Math.max(wire + host, (wire + host + 2 * oneWay) / cluster.segmentsInFlight);
  return {
    latencySeconds: cluster.launchUs * US + hops * (hopUs * US + oneWay),
    transferSeconds: hops * segments * wire,
    overheadSeconds: hops * segments * (each - wire),
  };
}
