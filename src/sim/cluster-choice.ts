/** @file From a preset and what overrides it to a whole cluster. */
import type { ClusterChoice } from '#experiment/cluster-fields';
import { requireExperiment } from '#experiment/parse';

/** A complete cluster: the preset's values, and `given` over them. Throws RangeError if it is none. */
export function clusterOf(given: Partial<ClusterChoice>): ClusterChoice {
  const experiment = requireExperiment({ cluster: given, replicas: 1 });
  return experiment.cluster;
}
