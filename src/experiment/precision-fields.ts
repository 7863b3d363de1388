/** @file The field table's rows of emulated precision, loss scaling and activation checkpointing. */
import { FLOAT_FORMAT_NAMES } from '#core/float-formats';
import type { Field } from './field.ts';

export const PRECISION_FIELDS = [
  {
    path: 'precision.format',
    group: 'precision',
    kind: 'choice',
    choices: ['fp32', ...FLOAT_FORMAT_NAMES],
    default: 'fp32',
  },
  {
    path: 'precision.masterWeights',
    group: 'precision',
    when: { path: 'precision.format', values: FLOAT_FORMAT_NAMES },
    kind: 'switch',
    default: true,
  },
  {
    path: 'lossScaling.kind',
    group: 'precision',
    kind: 'choice',
    choices: ['none', 'fixed', 'dynamic'],
    default: 'none',
  },
  {
    path: 'lossScaling.scale',
    group: 'precision',
    when: { path: 'lossScaling.kind', values: ['fixed', 'dynamic'] },
    kind: 'number',
    minimum: 1,
    maximum: 2 ** 32,
    unit: null,
    scale: { steps: [1, 8, 128, 1024, 8192, 65_536, 1_048_576, 16_777_216] },
    default: 65_536,
  },
  {
    path: 'lossScaling.growthInterval',
    group: 'precision',
    when: { path: 'lossScaling.kind', values: ['dynamic'] },
    kind: 'integer',
    minimum: 1,
    maximum: 1_000_000,
    unit: 'steps',
    scale: { steps: [1, 10, 50, 100, 200, 500, 1000, 2000] },
    default: 2000,
  },
  { path: 'checkpointing', group: 'run', kind: 'switch', default: false },
] as const satisfies readonly Field[];
