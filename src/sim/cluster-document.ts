/** @file docs/clusters.md: the presets' values and sources, and the models that are priced as if. */
import { CLUSTER_FIELDS, CLUSTER_PRESET_IDS, type ClusterChoice } from '#experiment/cluster-fields';
import { CLUSTER_PRESETS, CLUSTER_SOURCES } from '#experiment/cluster-presets';
import { forwardFlops, parameterCount, WORKLOADS } from './workloads.ts';

const HEAD = `# Clusters and models that are priced as if

Made by \`npm run validation\`; what each field means stands in [experiment.md](experiment.md#cluster), how
well the prices agree with measurements in [validation.md](validation.md). A preset sets the defaults
of the other fields; what it does not name has the value of \`cloud-10gbe\`.
`;

/** Text of docs/clusters.md. */
export function clusterDocument(): string {
  return [HEAD, defaultsTable(), ...CLUSTER_PRESET_IDS.map(presetSection), workloadTable()].join(
    '\n',
  );
}

function defaultsTable(): string {
  const cells = CLUSTER_FIELDS.map(({ path, default: value }) => `\`${nameOf(path)}\` ${value}`);
  return `## Defaults\n\n${cells.join(', ')}.\n`;
}

const nameOf = (path: string): string => path.slice('cluster.'.length);

function presetSection(id: ClusterChoice['preset']): string {
  const values = Object.entries(CLUSTER_PRESETS[id]).map(([name, value]) => `\`${name}\` ${value}`);
  const text = values.length === 0 ? 'The defaults.' : `${values.join(', ')}.`;
  return `## ${id}\n\n${CLUSTER_SOURCES[id]}.\n\n${text}\n`;
}

function workloadTable(): string {
  const rows = Object.entries(WORKLOADS).map(([id, workload]) => {
    const millions = (parameterCount(workload) / 1e6).toFixed(1);
    const gigaflops = (forwardFlops(workload) / 1e9).toFixed(1);
    const cells = [
      `\`${id}\``,
      workload.name,
      millions,
      gigaflops,
      workload.sample,
      workload.source,
    ];
    return `| ${cells.join(' | ')} |`;
  });
  return `## Models\n\nForward of one sample; multiply-adds count two, backward takes twice as many.\n\n| id | model | parameters, M | forward, GFLOP | sample | source |\n|---|---|---|---|---|---|\n${rows.join('\n')}\n`;
}
