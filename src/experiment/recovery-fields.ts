/** @file The field table's rows of faults and recovery. */
import { FAULT_PATTERN } from '#core/faults';
import type { Field } from './field.ts';
import { STRAGGLER_PATTERN } from './straggler-lines.ts';

export const STRAGGLER_FIELDS = [
  {
    path: 'stragglers',
    group: 'cluster',
    kind: 'script',
    maximumLength: 64,
    pattern: STRAGGLER_PATTERN,
    example: 'slow 3 x2 @ 10-20',
    default: [],
  },
] as const satisfies readonly Field[];

const recovers = { path: 'recovery.policy', values: ['shrink', 'replace'] } as const;

/** A wait of the cluster's clock, up to an hour. */
const CLUSTER_SECONDS = {
  group: 'recovery',
  when: recovers,
  kind: 'number',
  minimum: 0,
  maximum: 3600,
  unit: 'seconds',
  scale: { steps: [0, 1, 2, 5, 10, 30, 60, 300, 600, 1800] },
} as const;

export const RECOVERY_FIELDS = [
  {
    path: 'recovery.policy',
    group: 'recovery',
    kind: 'choice',
    choices: ['shrink', 'replace', 'stop'],
    default: 'shrink',
  },
  {
    path: 'recovery.commitEvery',
    group: 'recovery',
    when: recovers,
    kind: 'integer',
    minimum: 1,
    maximum: 10_000,
    unit: 'steps',
    scale: { steps: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000] },
    default: 10,
  },
  {
    path: 'recovery.timeoutSeconds',
    ...CLUSTER_SECONDS,
    default: 10,
  },
  {
    path: 'recovery.joinSeconds',
    ...CLUSTER_SECONDS,
    default: 30,
  },
  {
    path: 'recovery.faults',
    group: 'recovery',
    kind: 'script',
    maximumLength: 64,
    pattern: FAULT_PATTERN,
    example: 'kill 2 @ 40',
    default: [],
  },
] as const satisfies readonly Field[];
