/**
 * @file An experiment in an address: `v=1&data.name=spirals&model.hidden=16,8&replicas=8`. Only what
 * differs from the defaults is written, in the field table's order, so equal experiments have equal
 * addresses, and a person can read and edit them.
 */
import { CHOICE_PATHS, type Choices, defaultsFor } from './defaults.ts';
import {
  EXPERIMENT_VERSION,
  type Experiment,
  type ParseResult,
  type Problem,
} from './experiment.ts';
import type { Field } from './field.ts';
import { findField } from './fields.ts';
import { namesBeside } from './leaves.ts';
import { parseExperiment } from './parse.ts';
import { describeFound } from './problem.ts';
import { nest, presentFields, valueAt } from './values.ts';

/** UTF-16 units after the `#`. */
export const LONGEST_ADDRESS = 4000;

const VERSION_NAME = 'v';
const NUMBER = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i;

/** The address form of a valid experiment, without the `#`. */
export function encodeExperiment(experiment: Experiment): string {
  const choices = choicesOf(experiment);
  const chosen: Readonly<Record<string, unknown>> = defaultsFor(choices);
  const parts = presentFields(chosen).flatMap(({ path, kind }) => {
    const text = String(valueAt(experiment, path));
    const defaults = path in choices ? defaultsWithout(path, choices) : chosen;
    return text === String(defaults[path])
      ? []
      : [`${path}=${kind === 'script' ? encodeURIComponent(text) : text}`];
  });
  return [`${VERSION_NAME}=${EXPERIMENT_VERSION}`, ...parts].join('&');
}

/**
 * The experiment of an address, given without the `#`; an empty one is the default experiment.
 * Never throws; everything wrong is reported at once.
 */
export function decodeExperiment(address: string): ParseResult {
  if (address === '') return parseExperiment({});
  if (address.length > LONGEST_ADDRESS) return refuse([tooLong(address)]);
  const { parts, problems } = readParts(address);
  const version = parts.get(VERSION_NAME);
  if (version !== String(EXPERIMENT_VERSION)) return refuse([wrongVersion(version)]);
  parts.delete(VERSION_NAME);

  const known = [...parts].filter(([path]) => findField(path) !== undefined);
  const unknown = [...parts].filter(([path]) => findField(path) === undefined);
  problems.push(...unknown.map(([path, text]) => unknownField(path, text)));
  const result = parseExperiment(nest(known.map(([path, text]) => [path, readValue(path, text)])));
  if (problems.length === 0) return result;
  return refuse(result.ok ? problems : [...problems, ...result.problems]);
}

/** What the other choices make of one: the data decide most, a narrow format the loss scaling. */
function defaultsWithout(path: string, choices: Choices): Readonly<Record<string, unknown>> {
  const others = Object.entries(choices).filter(([name]) => name !== path);
  return defaultsFor(Object.fromEntries(others) as Choices);
}

function choicesOf(experiment: Experiment): Choices {
  const entries = CHOICE_PATHS.map((path) => [path, valueAt(experiment, path)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as Choices;
}

/** `name=text` pairs, percent signs undone. */
function readParts(address: string): { parts: Map<string, string>; problems: Problem[] } {
  const parts = new Map<string, string>();
  const problems: Problem[] = [];
  for (const part of address.split('&')) {
    const decoded = decodePart(part);
    const equals = decoded?.indexOf('=') ?? -1;
    if (decoded === null || equals < 1) {
      problems.push({
        path: '',
        found: describeFound(part),
        message: 'problem.addressPart',
        parameters: {},
      });
      continue;
    }
    const [name, text] = [decoded.slice(0, equals), decoded.slice(equals + 1)];
    if (parts.has(name)) {
      problems.push({
        path: name,
        found: describeFound(text),
        message: 'problem.addressTwice',
        parameters: {},
      });
    }
    parts.set(name, text);
  }
  return { parts, problems };
}

function decodePart(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}

/** The value a text stands for; a text that stands for none is left to the parser to refuse. */
function readValue(path: string, text: string): unknown {
  const field = findField(path) as Field;
  if (field.kind === 'choice') return text;
  if (field.kind === 'switch') return text === 'true' || (text === 'false' ? false : text);
  if (field.kind === 'script') return text === '' ? [] : text.split(',');
  if (field.kind !== 'list') return numberOf(text);
  return text === '' ? [] : text.split(',').map(numberOf);
}

const numberOf = (text: string): number | string => (NUMBER.test(text) ? Number(text) : text);

function tooLong(address: string): Problem {
  const parameters = { maximum: LONGEST_ADDRESS };
  const found = `${address.length} characters`;
  return { path: '', found, message: 'problem.addressTooLong', parameters };
}

function wrongVersion(version: string | undefined): Problem {
  const parameters = { version: EXPERIMENT_VERSION };
  const found = describeFound(version);
  return { path: VERSION_NAME, found, message: 'problem.addressVersion', parameters };
}

function unknownField(path: string, text: string): Problem {
  const parameters = { allowed: namesBeside(path).join(', ') };
  return { path, found: describeFound(text), message: 'problem.unknownField', parameters };
}

function refuse(problems: readonly Problem[]): ParseResult {
  return { ok: false, problems };
}
