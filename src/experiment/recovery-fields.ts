/** @file The field table's rows of faults and recovery. */
import { FAULT_PATTERN } from '#core/faults';
import type { Field } from './field.ts';

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
    when: { path: 'recovery.policy', values: ['shrink', 'replace'] },
    kind: 'integer',
    minimum: 1,
    maximum: 10_000,
    unit: 'steps',
    scale: { steps: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000] },
    default: 10,
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
