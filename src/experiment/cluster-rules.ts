/** @file Rules between a cluster's fields and what is to run on it. */
import type { Experiment } from './experiment.ts';
import type { Fault, Rule } from './rule.ts';

const SIZE = ['cluster.nodes', 'cluster.gpusPerNode'];

export const CLUSTER_RULES: readonly Rule[] = [
  { path: 'replicas', reads: SIZE, fault: ranksOverCluster },
  {
    path: 'communication.collective',
    reads: [...SIZE, 'replicas'],
    fault: hierarchyOnOneNode,
  },
];

function ranksOverCluster({ replicas, cluster: { nodes, gpusPerNode } }: Experiment): Fault {
  const allowed = nodes * gpusPerNode;
  if (replicas <= allowed) return null;
  return { message: 'problem.ranksOverCluster', parameters: { nodes, gpusPerNode, allowed } };
}

/** A single rank has no hierarchy to get wrong. */
function hierarchyOnOneNode({ replicas, communication, cluster }: Experiment): Fault {
  const { gpusPerNode } = cluster;
  const isOneNode = replicas > 1 && replicas <= gpusPerNode;
  if (communication.collective !== 'hierarchical' || !isOneNode) return null;
  return { message: 'problem.hierarchyOnOneNode', parameters: { replicas, gpusPerNode } };
}
