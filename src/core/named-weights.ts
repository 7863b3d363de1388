/**
 * @file Weights by parameter name, as nested arrays in PyTorch's layout: Linear [out][in],
 * Conv2d [out][in][h][w]. A Linear behind a flatten counts its inputs by channel first, as
 * PyTorch's flatten of [channel][row][column] does.
 */
import type { Model, Parameter, Segment } from './model.ts';

/** Numbers, nested as deep as the parameter has axes. */
export type Nested = number | readonly Nested[];

/** How one parameter is stored here and how PyTorch shows it. */
interface Layout {
  /** PyTorch's shape. */
  readonly shape: readonly number[];
  /** For each element in PyTorch's order, its place inside our parameter. */
  readonly place: Int32Array;
}

/** `weights` (length `model.parameterCount`) as nested arrays by name. Throws RangeError on another length. */
export function splitByName(model: Model, weights: Float32Array): Record<string, Nested> {
  requireLength(model, weights);
  const named: Record<string, Nested> = {};
  forEachLayout(model, (parameter, layout) => {
    const value = (i: number): number => weights[parameter.offset + layout.place[i]];
    named[parameter.name] = nest(layout.shape, 0, 0, value);
  });
  return named;
}

/**
 * The flat vector of weights given by name. Throws TypeError, naming the parameter and both
 * shapes, where one is missing, unknown, or not of the expected shape.
 */
export function joinByName(model: Model, named: Readonly<Record<string, unknown>>): Float32Array {
  refuseUnknown(model, named);
  const weights = new Float32Array(model.parameterCount);
  forEachLayout(model, (parameter, layout) => {
    const flat = flatten(parameter.name, named[parameter.name], layout.shape);
    flat.forEach((value, i) => {
      weights[parameter.offset + layout.place[i]] = value;
    });
  });
  return weights;
}

function requireLength(model: Model, weights: Float32Array): void {
  if (weights.length === model.parameterCount) return;
  throw new RangeError(
    `${weights.length} weights were given; the model has ${model.parameterCount} parameters`,
  );
}

function refuseUnknown(model: Model, named: Readonly<Record<string, unknown>>): void {
  const known = model.parameters.map((parameter) => parameter.name);
  for (const name of Object.keys(named)) {
    if (known.includes(name)) continue;
    throw new TypeError(`parameter ${name} is unknown; the model has ${known.join(', ')}`);
  }
}

function forEachLayout(model: Model, visit: (parameter: Parameter, layout: Layout) => void): void {
  model.segments.forEach((segment, i) => {
    const before = i > 0 ? model.segments[i - 1] : undefined;
    for (const parameter of segment.parameters)
      visit(parameter, layoutOf(parameter, segment, before));
  });
}

function layoutOf(parameter: Parameter, segment: Segment, before: Segment | undefined): Layout {
  const { shape } = parameter;
  if (shape.length === 4) return convLayout(shape);
  if (shape.length === 2 && segment.op.kind !== 'embedding') {
    return linearLayout(shape, before?.op.kind === 'flatten' ? before.inputShape : [shape[0]]);
  }
  return { shape, place: Int32Array.from({ length: parameter.length }, (_, i) => i) };
}

function convLayout([height, width, inputs, outputs]: readonly number[]): Layout {
  const place = new Int32Array(height * width * inputs * outputs);
  let i = 0;
  for (let out = 0; out < outputs; out++) {
    for (let channel = 0; channel < inputs; channel++) {
      for (let at = 0; at < height * width; at++) {
        place[i++] = (at * inputs + channel) * outputs + out;
      }
    }
  }
  return { shape: [outputs, inputs, height, width], place };
}

/** `inputShape` is [features], or [h, w, c] where the layer reads a flattened image. */
function linearLayout([inputs, outputs]: readonly number[], inputShape: readonly number[]): Layout {
  const channels = inputShape.length === 3 ? inputShape[2] : 1;
  const pixels = inputs / channels;
  const place = new Int32Array(inputs * outputs);
  let i = 0;
  for (let out = 0; out < outputs; out++) {
    for (let channel = 0; channel < channels; channel++) {
      for (let pixel = 0; pixel < pixels; pixel++) {
        place[i++] = (pixel * channels + channel) * outputs + out;
      }
    }
  }
  return { shape: [outputs, inputs], place };
}

function nest(
  shape: readonly number[],
  axis: number,
  start: number,
  value: (i: number) => number,
): Nested {
  if (axis === shape.length) return value(start);
  const stride = shape.slice(axis + 1).reduce((a, b) => a * b, 1);
  return Array.from({ length: shape[axis] }, (_, i) => {
    return nest(shape, axis + 1, start + i * stride, value);
  });
}

function flatten(name: string, value: unknown, shape: readonly number[]): number[] {
  const flat: number[] = [];
  if (collect(value, shape, 0, flat)) return flat;
  throw new TypeError(
    `parameter ${name}: found ${describeShape(value)}, expected numbers of shape [${shape.join(', ')}]`,
  );
}

/** Appends the numbers of `value` to `flat`; false where it is not of `shape` or not finite. */
function collect(value: unknown, shape: readonly number[], axis: number, flat: number[]): boolean {
  if (axis === shape.length) {
    if (typeof value !== 'number' || !Number.isFinite(value)) return false;
    flat.push(value);
    return true;
  }
  if (!Array.isArray(value) || value.length !== shape[axis]) return false;
  return value.every((item: unknown) => collect(item, shape, axis + 1, flat));
}

/** The shape along first elements, or in words what stands there instead of numbers. */
function describeShape(value: unknown): string {
  if (value === undefined) return 'nothing';
  const shape: number[] = [];
  let inner = value;
  while (Array.isArray(inner)) {
    shape.push(inner.length);
    inner = inner[0];
  }
  if (shape.length === 0) return JSON.stringify(value).slice(0, 40);
  return `shape [${shape.join(', ')}]${collect(value, shape, 0, []) ? '' : ' in part, but ragged or with values that are not finite numbers'}`;
}
