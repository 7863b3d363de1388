/** @file All-reduce within and between nodes, as a schedule. */
import { ringAllGather } from './all-gather.ts';
import type { Message, Schedule } from './collective.ts';
import { ringReduceScatter } from './reduce-scatter.ts';
import { ringAllReduce } from './ring.ts';
import { placed, requireWorldSize, type Steps, together } from './schedule-build.ts';

/**
 * M nodes of G = `ranksPerNode` ranks, node by node: a ring reduce-scatter within each node, a ring
 * all-reduce of S/G between the ranks of equal local index, a ring all-gather within each node
 * (Horovod's NCCLHierarchicalAllreduce). Chunk l M + m is summed within nodes on its way to local
 * index l, then between nodes on its way to node m. 2(G-1) + 2(M-1) steps. Throws RangeError unless
 * both are positive integers and G divides `worldSize`.
 */
export function hierarchicalAllReduce(worldSize: number, ranksPerNode: number): Schedule {
  requireWorldSize('hierarchicalAllReduce', worldSize);
  requireLayout(worldSize, ranksPerNode);
  const nodes = worldSize / ranksPerNode;
  const locals = indices(ranksPerNode);
  const withinNodes = (steps: Steps): Message[][] =>
    together(
      ...indices(nodes).map((node) =>
        placed(
          steps,
          locals.map((local) => node * ranksPerNode + local),
          (local) => indices(nodes).map((m) => local * nodes + m),
        ),
      ),
    );
  const betweenNodes = together(
    ...locals.map((local) =>
      placed(
        ringAllReduce(nodes).steps,
        indices(nodes).map((node) => node * ranksPerNode + local),
        (m) => [local * nodes + m],
      ),
    ),
  );
  return {
    name: 'hierarchical all-reduce',
    worldSize,
    chunks: worldSize,
    steps: [
      ...withinNodes(ringReduceScatter(ranksPerNode).steps),
      ...betweenNodes,
      ...withinNodes(ringAllGather(ranksPerNode).steps),
    ],
  };
}

function requireLayout(worldSize: number, ranksPerNode: number): void {
  const valid = Number.isInteger(ranksPerNode) && ranksPerNode >= 1;
  if (valid && worldSize % ranksPerNode === 0) return;
  const divisors = indices(worldSize + 1).filter((each) => worldSize % each === 0);
  throw new RangeError(
    `hierarchicalAllReduce: ${worldSize} ranks in nodes of ${ranksPerNode}; every node has the ` +
      `same number of ranks, so ${divisors.join(', ')} a node is allowed`,
  );
}

function indices(length: number): number[] {
  return Array.from({ length }, (_, i) => i);
}
