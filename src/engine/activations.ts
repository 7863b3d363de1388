/** @file Activation functions over a stretch of an array, and their slopes, in float64. */
import type { Activation } from '#core/model';

const GELU_SCALE = Math.sqrt(2 / Math.PI);
const GELU_CUBIC = 0.044715;

/** a = f(z) for `count` elements from `start`. */
export function activate(
  activation: Activation | 'none',
  z: Float64Array,
  a: Float64Array,
  start: number,
  count: number,
): void {
  const end = start + count;
  switch (activation) {
    case 'none':
      for (let j = start; j < end; j++) a[j] = z[j] as number;
      return;
    case 'relu':
      for (let j = start; j < end; j++) a[j] = Math.max(0, z[j] as number);
      return;
    case 'tanh':
      for (let j = start; j < end; j++) a[j] = Math.tanh(z[j] as number);
      return;
    case 'gelu':
      for (let j = start; j < end; j++) a[j] = gelu(z[j] as number);
  }
}

/** Turns dL/da into dL/dz in place: dz = da f'(z). tanh' and relu' follow from a. */
export function multiplyBySlope(
  activation: Activation | 'none',
  z: Float64Array,
  a: Float64Array,
  d: Float64Array,
  start: number,
  count: number,
): void {
  const end = start + count;
  switch (activation) {
    case 'none':
      return;
    case 'relu':
      for (let j = start; j < end; j++) if (!((a[j] as number) > 0)) d[j] = 0;
      return;
    case 'tanh':
      for (let j = start; j < end; j++) {
        const y = a[j] as number;
        d[j] = (d[j] as number) * (1 - y * y);
      }
      return;
    case 'gelu':
      for (let j = start; j < end; j++) d[j] = (d[j] as number) * geluSlope(z[j] as number);
  }
}

/** gelu in its tanh form: x (1 + tanh(u)) / 2, u = sqrt(2/pi) (x + 0.044715 x^3). */
function gelu(x: number): number {
  return 0.5 * x * (1 + Math.tanh(GELU_SCALE * x * (1 + GELU_CUBIC * x * x)));
}

function geluSlope(x: number): number {
  const t = Math.tanh(GELU_SCALE * x * (1 + GELU_CUBIC * x * x));
  const du = GELU_SCALE * (1 + 3 * GELU_CUBIC * x * x);
  return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * du;
}
