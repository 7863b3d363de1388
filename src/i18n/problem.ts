/** @file Faults of an experiment in words, one line each. */
import type { Problem } from '#experiment/experiment';
import { type Locale, translate } from './translate.ts';

/** What is allowed and what to do, without the path: for a message beside its field. */
export function problemMessage(locale: Locale, { message, parameters }: Problem): string {
  return translate(locale, message, parameters);
}

/** "replicas: found 99. A whole number from 1 to 16 is allowed." */
export function problemLine(locale: Locale, problem: Problem): string {
  const { path, found } = problem;
  const message = problemMessage(locale, problem);
  if (path === '') return translate(locale, 'problem.lineWhole', { found, message });
  return translate(locale, 'problem.line', { path, found, message });
}
