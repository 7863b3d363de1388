/** @file Fully sharded data parallel: layers gathered before forward and backward, one ahead. */
import type { Cluster } from './cluster.ts';
import { bestCollective } from './collective-model.ts';
import type { LayerTimes } from './compute-model.ts';
import type { Exchange, StepJob } from './step-model.ts';

/** Bytes of one weight as it is gathered. */
const WEIGHT_BYTES = 2;

/**
 * Exposed and total communication of a step: all-gather in forward, all-gather and reduce-scatter in
 * backward, on one stream, the next layer's gather beside this layer's compute.
 */
export function shardedTimes(
  cluster: Cluster,
  ranks: number,
  job: StepJob,
  layers: readonly LayerTimes[],
): Exchange {
  if (ranks === 1) return { communicationSeconds: 0, exposedSeconds: 0, frameworkSeconds: 0 };
  const costs = new Map<number, readonly [gather: number, scatter: number]>();
  const costOf = ({ layer: { parameters } }: LayerTimes) => {
    const known = costs.get(parameters);
    if (known !== undefined) return known;
    const price = (kind: 'all-gather' | 'reduce-scatter', bytes: number) =>
      bestCollective(cluster, ranks, kind, bytes * parameters).seconds;
    const cost = [
      price('all-gather', WEIGHT_BYTES),
      price('reduce-scatter', job.gradientBytes),
    ] as const;
    costs.set(parameters, cost);
    return cost;
  };
  const forward = layers.map((each) => ({
    compute: each.forwardSeconds,
    before: costOf(each)[0],
    after: 0,
  }));
  const backward = layers.toReversed().map((each) => {
    const [before, after] = costOf(each);
    return { compute: each.backwardSeconds, before, after };
  });
  const passes = [...forward, ...backward];
  const compute = passes.reduce((sum, each) => sum + each.compute, 0);
  const communicationSeconds = passes.reduce((sum, { before, after }) => sum + before + after, 0);
  const exposed = pipelineSeconds(passes) - compute;
  return {
    communicationSeconds: job.microBatches * communicationSeconds,
    exposedSeconds: job.microBatches * Math.max(0, exposed),
    frameworkSeconds: 0,
  };
}

interface Pass {
  readonly compute: number;
  readonly before: number;
  readonly after: number;
}

/** One compute and one communication stream; a gather starts at most one layer ahead. */
function pipelineSeconds(passes: readonly Pass[]): number {
  let computeEnd = 0;
  let streamEnd = 0;
  let previousStart = 0;
  let owed = 0;
  for (const { compute, before, after } of passes) {
    const gathered = Math.max(streamEnd, previousStart) + before;
    const start = Math.max(computeEnd, gathered);
    // What the layer before leaves to reduce goes behind this layer's gather.
    streamEnd = Math.max(gathered, computeEnd) + owed;
    previousStart = start;
    computeEnd = start + compute;
    owed = after;
  }
  return Math.max(computeEnd, streamEnd) + owed;
}
