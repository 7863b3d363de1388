/** @file What a rule between fields is. */
import type { Experiment, Problem } from './experiment.ts';
import type { FieldPath } from './fields.ts';

export type Fault = Pick<Problem, 'message' | 'parameters'> | null;

export interface Rule {
  /** Where the fault is shown. */
  readonly path: FieldPath;
  /** What else the rule looks at; with a fault in any of these it does not judge. */
  readonly reads: readonly string[];
  readonly fault: (experiment: Experiment) => Fault;
}
