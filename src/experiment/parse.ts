/**
 * @file From input of unknown origin to an experiment: defaults are filled in, everything wrong is
 * reported at once, and nothing is half-accepted.
 */
import * as v from 'valibot';
import { defaultsFor, fitDefaults } from './defaults.ts';
import {
  EXPERIMENT_VERSION,
  type Experiment,
  type ParseResult,
  type Problem,
} from './experiment.ts';
import { findField } from './fields.ts';
import { findOversize, isPlainObject, LONGEST_TEXT, tooBig } from './guard.ts';
import {
  draftFrom,
  type Leaves,
  namesBeside,
  readLeaves,
  SECTIONS,
  validChoices,
} from './leaves.ts';
import { describeFound, fieldProblem, overlaps } from './problem.ts';
import { ruleProblems } from './rules.ts';
import { experimentSchema } from './schema.ts';
import { ownValue, presentFields, type Values } from './values.ts';

/**
 * The experiment that `input` (parsed JSON) describes; whatever it leaves out takes its default.
 * Never throws; `input` is not changed and not kept.
 */
export function parseExperiment(input: unknown): ParseResult {
  if (!isPlainObject(input)) return refuse([sectionProblem('', input)]);
  const oversize = findOversize(input);
  if (oversize !== null) return refuse([oversize]);
  const version = ownValue(input, 'version');
  if (version !== undefined && version !== EXPERIMENT_VERSION)
    return refuse([wrongVersion(version)]);
  return parseFields(input);
}

/** The experiment of an input that is known to be one. Throws RangeError with what is wrong if it is not. */
export function requireExperiment(input: unknown): Experiment {
  const result = parseExperiment(input);
  if (result.ok) return result.experiment;
  throw new RangeError(`no experiment: ${JSON.stringify(result.problems)}`);
}

/** As `parseExperiment`, from JSON text of unknown origin. */
export function parseExperimentText(text: string): ParseResult {
  if (text.length > LONGEST_TEXT) return refuse([tooBig('', `${text.length} characters`)]);
  let input: unknown;
  try {
    input = JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const found = describeFound(text);
    return refuse([{ path: '', found, message: 'problem.notJson', parameters: { reason } }]);
  }
  return parseExperiment(input);
}

function parseFields(input: Readonly<Record<string, unknown>>): ParseResult {
  const leaves = readLeaves(input);
  const defaults = defaultsFor(validChoices(leaves));
  const problems = [...sectionProblems(leaves), ...valueProblems(leaves, defaults)];
  problems.push(...unknownProblems(leaves, defaults, problems));

  // What is at fault is left to its default, and no rule that reads it is asked.
  const faulty = problems.map(({ path }) => path);
  const sound = new Map([...leaves].filter(([path]) => !isFaulty(path, faulty)));
  const complete = v.parse(experimentSchema, draftFrom(sound, defaults));
  const experiment = fitDefaults(complete, new Set(sound.keys()));
  problems.push(...ruleProblems(experiment, faulty));
  return problems.length > 0 ? refuse(problems) : { ok: true, experiment };
}

const isFaulty = (path: string, faulty: readonly string[]): boolean =>
  faulty.some((bad) => overlaps(bad, path));

/** Sections that are no objects. */
function sectionProblems(leaves: Leaves): Problem[] {
  return [...leaves]
    .filter(([path]) => SECTIONS.has(path))
    .map(([path, value]) => sectionProblem(path, value));
}

/** Fields with values outside the table's limits, each place once. */
function valueProblems(leaves: Leaves, defaults: Values): Problem[] {
  const { issues } = v.safeParse(experimentSchema, draftFrom(leaves, defaults));
  const problems = new Map<string, Problem>();
  for (const issue of issues ?? []) {
    const path = (issue.path ?? []).map(({ key }) => String(key)).join('.');
    const field = findField(path) ?? findField(path.slice(0, path.lastIndexOf('.')));
    if (field !== undefined && !problems.has(path)) {
      problems.set(path, fieldProblem(field, path, issue.input));
    }
  }
  return [...problems.values()];
}

/** Names that no field has, or none under the choices made. */
function unknownProblems(leaves: Leaves, defaults: Values, known: readonly Problem[]): Problem[] {
  const present = presentFields(defaults).map(({ path }) => path);
  const faulty = known.map(({ path }) => path);
  return [...leaves.keys()]
    .filter((path) => !present.includes(path) && !SECTIONS.has(path))
    .filter((path) => !isUndecided(path, faulty))
    .map((path) => unknownProblem(path, leaves.get(path), present, defaults));
}

/** Whether a field's presence hangs on a choice that is itself at fault. */
function isUndecided(path: string, faulty: readonly string[]): boolean {
  const condition = findField(path)?.when;
  if (condition === undefined) return false;
  // The data decide which model and optimizer stand where none is given.
  return isFaulty(condition.path, faulty) || isFaulty('data.name', faulty);
}

function unknownProblem(
  path: string,
  value: unknown,
  present: readonly string[],
  defaults: Values,
): Problem {
  const allowed = namesBeside(path, present).join(', ');
  const found = describeFound(value);
  const when = findField(path)?.when;
  if (when === undefined)
    return { path, found, message: 'problem.unknownField', parameters: { allowed } };
  const chosen = (defaults as Readonly<Record<string, unknown>>)[when.path];
  const condition = `${when.path} = ${chosen}`;
  return { path, found, message: 'problem.noSuchField', parameters: { condition, allowed } };
}

function sectionProblem(path: string, value: unknown): Problem {
  return { path, found: describeFound(value), message: 'problem.section', parameters: {} };
}

function wrongVersion(value: unknown): Problem {
  const parameters = { version: EXPERIMENT_VERSION };
  return { path: 'version', found: describeFound(value), message: 'problem.version', parameters };
}

function refuse(problems: readonly Problem[]): ParseResult {
  return { ok: false, problems };
}
