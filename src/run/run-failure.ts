/** @file Why a run could not go on, in a form that the page can say in either language. */
import { DataError } from '#data/data-error';
import { GivenDataError } from './given.ts';
import type { HangEvent } from './log.ts';
import type { Failure } from './service.ts';

/** Carries the key of a message in the string tables, its parameters and the technical text. */
export class RunFailure extends Error {
  override readonly name = 'RunFailure';
  readonly failure: Failure;

  constructor(message: string, parameters: Failure['parameters'], detail: string) {
    super(`${message}: ${detail}`);
    this.failure = { message, parameters, detail };
  }
}

/** The failure to show for anything that was thrown. */
export function failureOf(error: unknown): Failure {
  if (error instanceof RunFailure) return error.failure;
  if (error instanceof DataError) {
    return { message: 'failure.data', parameters: { file: error.file }, detail: error.message };
  }
  const detail = error instanceof Error ? error.message : String(error);
  const message = error instanceof GivenDataError ? 'failure.given' : 'failure.unexpected';
  return { message, parameters: {}, detail };
}

/** Ranks that wait for one that has left. */
export function hangFailure({ step, rank, waiting }: HangEvent): Failure {
  const parameters = { step, rank, waiting: waiting.join(', '), count: waiting.length };
  return { message: 'failure.hang', parameters, detail: '' };
}

/** A loss that became NaN or infinite: where it began. */
export function nonFiniteFailure(step: number, ranks: readonly number[]): Failure {
  const parameters = { step, ranks: ranks.join(', '), count: ranks.length };
  return { message: 'failure.nonFinite', parameters, detail: '' };
}
