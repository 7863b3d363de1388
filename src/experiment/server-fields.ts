/**
 * @file The field table's rows of synchronisation where ranks are not waited for, and of what the
 * ranks' speeds decide.
 */
import type { Condition, Field } from './field.ts';

const syncedBy = (...values: readonly string[]): Condition => ({ path: 'sync.kind', values });

export const SERVER_FIELDS = [
  {
    path: 'sync.bound',
    group: 'communication',
    when: syncedBy('ssp'),
    kind: 'integer',
    minimum: 0,
    maximum: 1000,
    unit: 'gradients',
    scale: { steps: [0, 1, 2, 3, 5, 10, 20, 50, 100] },
    tooLow: 'problem.sspBelowZero',
    default: 3,
  },
  {
    path: 'sync.splits',
    group: 'communication',
    when: syncedBy('async', 'ssp'),
    kind: 'integer',
    minimum: 1,
    maximum: 16,
    unit: null,
    scale: 'linear',
    default: 16,
  },
  {
    path: 'sync.stalenessAware',
    group: 'communication',
    when: syncedBy('async', 'ssp'),
    kind: 'switch',
    default: false,
  },
  {
    path: 'sync.backups',
    group: 'communication',
    when: syncedBy('backup'),
    kind: 'integer',
    minimum: 1,
    maximum: 15,
    unit: 'replicas',
    scale: 'linear',
    default: 1,
  },
  {
    path: 'sync.balance',
    group: 'communication',
    when: syncedBy('allReduce'),
    kind: 'choice',
    choices: ['off', 'speeds'],
    default: 'off',
  },
  {
    path: 'sync.slowdowns',
    group: 'communication',
    when: syncedBy('allReduce', 'async', 'ssp', 'backup'),
    kind: 'list',
    minimumLength: 0,
    maximumLength: 16,
    minimum: 1,
    maximum: 100,
    unit: null,
    default: [],
  },
  {
    path: 'sync.jitter',
    group: 'communication',
    when: syncedBy('async', 'ssp', 'backup'),
    kind: 'number',
    minimum: 0,
    maximum: 1,
    unit: null,
    scale: { steps: [0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1] },
    default: 0.2,
  },
] as const satisfies readonly Field[];
