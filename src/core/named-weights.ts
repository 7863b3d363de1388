/**
 * @file Weights and buffers by name, as nested arrays in PyTorch's layout: Linear [out][in],
 * Conv2d [out][in][h][w]. A Linear behind a flatten counts its inputs by channel first, as
 * PyTorch's flatten of [channel][row][column] does.
 */
import { initialBuffers } from './initial-weights.ts';
import type { Model, Parameter, Segment } from './model.ts';

/** Numbers, nested as deep as the parameter has axes. */
export type Nested = number | readonly Nested[];

/** All that a model holds, flat. */
export interface ModelState {
  /** Length `model.parameterCount`. */
  readonly weights: Float32Array;
  /** Length `model.bufferCount`. */
  readonly buffers: Float32Array;
}

/** How one parameter is stored here and how PyTorch shows it. */
interface Layout {
  /** PyTorch's shape. */
  readonly shape: readonly number[];
  /** For each element in PyTorch's order, its place inside our parameter. */
  readonly place: Int32Array;
}

/** A state as nested arrays by name, like PyTorch's state_dict. Throws RangeError on another length. */
export function splitByName(
  model: Model,
  { weights, buffers }: ModelState,
): Record<string, Nested> {
  requireLength('weights', weights.length, model.parameterCount);
  requireLength('buffers', buffers.length, model.bufferCount);
  const named: Record<string, Nested> = {};
  forEachLayout(model, (parameter, layout) => {
    const value = (i: number): number => weights[parameter.offset + layout.place[i]];
    named[parameter.name] = nest(layout.shape, 0, 0, value);
  });
  for (const { name, offset, length } of model.buffers) {
    named[name] = Array.from(buffers.subarray(offset, offset + length));
  }
  return named;
}

/**
 * The state given by name; buffers may be left out and are then the initial ones. Throws TypeError,
 * naming the parameter and both shapes, where one is missing, unknown, or not of the expected shape.
 */
export function joinByName(model: Model, named: Readonly<Record<string, unknown>>): ModelState {
  refuseUnknown(model, named);
  const weights = new Float32Array(model.parameterCount);
  forEachLayout(model, (parameter, layout) => {
    const flat = flatten(parameter.name, named[parameter.name], layout.shape);
    flat.forEach((value, i) => {
      weights[parameter.offset + layout.place[i]] = value;
    });
  });
  const buffers = initialBuffers(model);
  for (const { name, offset, shape } of model.buffers) {
    if (named[name] !== undefined) buffers.set(flatten(name, named[name], shape), offset);
  }
  return { weights, buffers };
}

function requireLength(what: string, found: number, expected: number): void {
  if (found === expected) return;
  throw new RangeError(`${found} ${what} were given; the model has ${expected}`);
}

function refuseUnknown(model: Model, named: Readonly<Record<string, unknown>>): void {
  const known = [...model.parameters, ...model.buffers].map(({ name }) => name);
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
