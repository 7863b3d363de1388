import { expect, test } from 'vitest';
import { CLUSTER_PRESET_IDS } from './cluster-fields.ts';
import { CLUSTER_PRESETS } from './cluster-presets.ts';
import { parseExperiment, requireExperiment } from './parse.ts';

const clusterOf = (cluster: unknown) => {
  const experiment = requireExperiment({ cluster });
  return experiment.cluster;
};
const problemsOf = (input: unknown) => {
  const result = parseExperiment(input);
  return result.ok ? [] : result.problems.map(({ path, message }) => [path, message]);
};

test('CC-1 a preset sets the defaults of the cluster, and what is given stands over it', () => {
  for (const preset of CLUSTER_PRESET_IDS) {
    expect(clusterOf({ preset })).toMatchObject({ ...CLUSTER_PRESETS[preset], preset });
  }
  const cluster = clusterOf({ preset: 'dgx-a100', nicGbps: 100 });
  expect([cluster.nicGbps, cluster.nicsPerNode, cluster.gpusPerNode]).toEqual([100, 8, 8]);
});

test('CC-2 a cluster that cannot be is refused with its path', () => {
  expect(
    problemsOf({ cluster: { nicGbps: 0, nodes: 0, efficiency: 1.5, preset: 'cray' } }),
  ).toEqual([
    ['cluster.preset', 'problem.choice'],
    ['cluster.nodes', 'problem.integer'],
    ['cluster.efficiency', 'problem.number'],
    ['cluster.nicGbps', 'problem.number'],
  ]);
});

test('CC-2 more replicas than devices, and a hierarchy on one node, are refused', () => {
  expect(problemsOf({ replicas: 8, cluster: { nodes: 1, gpusPerNode: 4 } })).toEqual([
    ['replicas', 'problem.ranksOverCluster'],
  ]);
  const communication = { collective: 'hierarchical' };
  expect(problemsOf({ replicas: 8, communication, cluster: { preset: 'dgx-a100' } })).toEqual([
    ['communication.collective', 'problem.hierarchyOnOneNode'],
  ]);
  expect(problemsOf({ replicas: 16, communication, cluster: { preset: 'dgx-a100' } })).toEqual([]);
});

test('CC-2 a preset with too few devices gets nodes, unless their number is given', () => {
  const result = parseExperiment({ replicas: 16, cluster: { preset: 'pcie-host' } });
  expect(result.ok && result.experiment.cluster.nodes).toBe(4);
});
