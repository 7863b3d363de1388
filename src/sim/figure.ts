/** @file One published figure beside what a model gives. */

export interface SingleFigure {
  readonly id: string;
  readonly what: string;
  readonly source: string;
  readonly fitted: boolean;
  readonly unit: string;
  readonly measured: number;
  /** Null where the figure cannot be priced; its cause says why. */
  readonly predicted: number | null;
  readonly cause?: string;
}

/** A figure: id, what and source; measured, predicted and unit. */
export const figure = (
  [id, what, source]: readonly [string, string, string],
  fitted: boolean,
  [measured, predicted, unit]: readonly [number, number | null, string],
  cause?: string,
): SingleFigure => {
  const all = { id, what, source, fitted, unit, measured, predicted };
  return cause === undefined ? all : { ...all, cause };
};
