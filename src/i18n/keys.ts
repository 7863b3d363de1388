/** @file Keys that follow from the experiment: a field or preset without words does not compile. */
import type { ProblemMessage } from '#experiment/experiment';
import type { Group, Unit } from '#experiment/field';
import type { ChoiceKey, FieldPath } from '#experiment/fields';
import type { PresetId } from '#experiment/presets';

/** The sentences behind an (i); the English ones are fetched apart. */
export type HelpKey = `field.${FieldPath}.help`;

/** `label`: two words; `line`: one line beside the control; `help`: two sentences. */
export type FieldKey = `field.${FieldPath}.${'label' | 'line'}` | HelpKey | `choice.${ChoiceKey}`;

/** `line` joins path, finding and message; `lineWhole` is for faults of the whole input; a failure is what ended a run. */
export type ExperimentKey =
  | ProblemMessage
  | 'problem.line'
  | 'problem.lineWhole'
  | 'problem.count'
  | `failure.${'data' | 'given' | 'notIsolated' | 'noBackend' | 'nonFinite' | 'hang' | 'unexpected' | 'lost' | 'lostAll'}`
  | `unit.${Unit | 'epochs'}`
  | `group.${Group}`
  | `preset.${PresetId}.${'name' | 'description'}`;
