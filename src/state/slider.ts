/** @file How a slider's whole-numbered positions map to a field's values, from its scale. */
import type { NumberField } from '#experiment/field';

/** Positions of a logarithmic slider. */
const LOG_POSITIONS = 120;

export interface Slider {
  /** Positions are 0 ... last. */
  readonly last: number;
  /** The position nearest to a value; the ends for values beyond them. */
  positionOf(value: number): number;
  valueAt(position: number): number;
}

/** To two significant digits, so that a slider gives 0.05 and never 0.0498331. */
function rounded(value: number): number {
  return Number(value.toPrecision(2));
}

function nearestIndex(steps: readonly number[], value: number): number {
  let best = 0;
  for (const [i, step] of steps.entries()) {
    if (Math.abs(step - value) < Math.abs((steps[best] ?? 0) - value)) best = i;
  }
  return best;
}

function stepSlider(steps: readonly number[]): Slider {
  const last = steps.length - 1;
  return {
    last,
    positionOf: (value) => nearestIndex(steps, value),
    valueAt: (position) => steps[Math.max(0, Math.min(last, position))] ?? 0,
  };
}

function linearSlider(field: NumberField): Slider {
  const span = field.maximum - field.minimum;
  const last = field.kind === 'integer' ? Math.min(span, 1000) : 100;
  const clamp = (position: number): number => Math.max(0, Math.min(last, Math.round(position)));
  return {
    last,
    positionOf: (value) => clamp(((value - field.minimum) / span) * last),
    valueAt(position) {
      const value = field.minimum + (clamp(position) / last) * span;
      return field.kind === 'integer' ? Math.round(value) : rounded(value);
    },
  };
}

function logSlider(field: NumberField): Slider {
  const low = Math.log(field.minimum);
  const span = Math.log(field.maximum) - low;
  const clamp = (value: number): number => Math.max(field.minimum, Math.min(field.maximum, value));
  return {
    last: LOG_POSITIONS,
    positionOf: (value) => Math.round(((Math.log(clamp(value)) - low) / span) * LOG_POSITIONS),
    valueAt(position) {
      const value = rounded(Math.exp(low + (position / LOG_POSITIONS) * span));
      return clamp(field.kind === 'integer' ? Math.round(value) : value);
    },
  };
}

/** The slider of a number field. */
export function sliderOf(field: NumberField): Slider {
  if (typeof field.scale === 'object') return stepSlider(field.scale.steps);
  return field.scale === 'log' ? logSlider(field) : linearSlider(field);
}
