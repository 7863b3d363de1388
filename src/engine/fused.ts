/**
 * @file The fused engine: dense networks in plain loops over typed arrays. For toy tasks it beats any
 * tensor library, and in float64 it is the oracle for the others. Names follow the textbook:
 * z = W a + b, a' = f(z), and dX stands for dL/dX.
 */
import { type FloatFormat, roundFloats } from '#core/float-formats';
import type { Activation, Model } from '#core/model';
import { activate, multiplyBySlope } from './activations.ts';
import { checkBatch, checkInput, checkWeights, modelSizes } from './checks.ts';
import type { Batch, Engine, EvaluationResult, GradientResult, Precision } from './engine.ts';
import { BackendUnavailableError, FULL_PRECISION } from './engine.ts';
import { roundedInput, roundGradient, roundingOf } from './rounding.ts';
import { scoreLogits } from './scores.ts';

export const FUSED_DEVICE = 'plain loops, float64';

/** One dense layer over one sample, with room for its values and their derivatives. */
interface Layer {
  readonly inputs: number;
  readonly outputs: number;
  readonly activation: Activation | 'none';
  /** Where W [inputs][outputs] and b [outputs] lie in the flat vector. */
  readonly w: number;
  readonly b: number;
  readonly z: Float64Array;
  readonly a: Float64Array;
  /** First dL/da, then dL/dz. */
  readonly d: Float64Array;
}

/** Throws BackendUnavailableError unless `model` is made of dense layers over samples. */
export function requireDenseModel(model: Model): void {
  if (model.task.kind !== 'text' && model.segments.every(({ op }) => op.kind === 'dense')) return;
  throw new BackendUnavailableError(
    `fused: it runs softmax regression and MLPs, not a ${model.spec.kind} model`,
  );
}

function layersOf(model: Model): Layer[] {
  return model.segments.map(({ op, parameters, inputShape, outputShape }) => {
    const outputs = outputShape[0] ?? 0;
    return {
      inputs: inputShape[0] ?? 0,
      outputs,
      activation: op.kind === 'dense' ? op.activation : 'none',
      w: parameters[0]?.offset ?? 0,
      b: parameters[1]?.offset ?? 0,
      z: new Float64Array(outputs),
      a: new Float64Array(outputs),
      d: new Float64Array(outputs),
    };
  });
}

/** Rounds in place; null where the format is fp32. */
type Round = ((values: Float64Array) => void) | null;

/** a = f(x W + b) for the sample that starts at `at` in `x`. */
function forwardLayer(
  layer: Layer,
  p: Float64Array,
  x: ArrayLike<number>,
  at: number,
  round: Round = null,
): void {
  const { inputs, outputs, w, b, z } = layer;
  for (let j = 0; j < outputs; j++) z[j] = p[b + j] as number;
  for (let i = 0; i < inputs; i++) {
    const xi = x[at + i] as number;
    const row = w + i * outputs;
    for (let j = 0; j < outputs; j++) z[j] = (z[j] as number) + xi * (p[row + j] as number);
  }
  round?.(z);
  activate(layer.activation, z, layer.a, 0, outputs);
  round?.(layer.a);
}

/** From dL/da in layer.d: dz = da f'(z), db += dz, dW += x^T dz. */
function accumulate(
  layer: Layer,
  x: ArrayLike<number>,
  at: number,
  g: Float64Array,
  round: Round = null,
): void {
  const { inputs, outputs, w, b, z, a, d: dz } = layer;
  round?.(dz);
  multiplyBySlope(layer.activation, z, a, dz, 0, outputs);
  round?.(dz);
  for (let j = 0; j < outputs; j++) g[b + j] = (g[b + j] as number) + (dz[j] as number);
  for (let i = 0; i < inputs; i++) {
    const xi = x[at + i] as number;
    const row = w + i * outputs;
    for (let j = 0; j < outputs; j++) g[row + j] = (g[row + j] as number) + xi * (dz[j] as number);
  }
}

/** dx = W dz, the derivative with respect to the layer's input. */
function inputDerivative(layer: Layer, p: Float64Array, dx: Float64Array): void {
  const { inputs, outputs, w, d: dz } = layer;
  for (let i = 0; i < inputs; i++) {
    const row = w + i * outputs;
    let sum = 0;
    for (let j = 0; j < outputs; j++) sum += (p[row + j] as number) * (dz[j] as number);
    dx[i] = sum;
  }
}

/** Cross-entropy of one sample in nats; dz = (softmax(z) - onehot(y)) times `share`. */
function softmaxLoss(z: Float64Array, label: number, share: number, dz: Float64Array): number {
  let largest = Number.NEGATIVE_INFINITY;
  for (let j = 0; j < z.length; j++) largest = Math.max(largest, z[j] as number);
  let sum = 0;
  for (let j = 0; j < z.length; j++) {
    const e = Math.exp((z[j] as number) - largest);
    dz[j] = e;
    sum += e;
  }
  for (let j = 0; j < z.length; j++) dz[j] = ((dz[j] as number) / sum) * share;
  dz[label] = (dz[label] as number) - share;
  return largest + Math.log(sum) - (z[label] as number);
}

const narrowed = new Map<number, Float32Array>();

/** Rounds float64 sums to float32 and then to `format`. */
function roundIn(format: FloatFormat | undefined): Round {
  if (format === undefined) return null;
  return (values) => {
    let narrow = narrowed.get(values.length);
    if (narrow === undefined) {
      narrow = new Float32Array(values.length);
      narrowed.set(values.length, narrow);
    }
    narrow.set(values);
    roundFloats(format, narrow);
    values.set(narrow);
  };
}

/**
 * The engine for a dense `model`; no array is allocated in a step of training. Throws
 * BackendUnavailableError for any other model.
 */
export function createFusedEngine(model: Model): Engine {
  requireDenseModel(model);
  const sizes = modelSizes(model);
  const layers = layersOf(model);
  const top = layers[layers.length - 1] as Layer;
  const p = new Float64Array(model.parameterCount);
  const g = new Float64Array(model.parameterCount);

  function forwardAll(x: ArrayLike<number>, at: number, round: Round = null): void {
    forwardLayer(layers[0] as Layer, p, x, at, round);
    for (let l = 1; l < layers.length; l++) {
      forwardLayer(layers[l] as Layer, p, (layers[l - 1] as Layer).a, 0, round);
    }
  }

  function backwardAll(x: ArrayLike<number>, at: number, round: Round): void {
    for (let l = layers.length - 1; l > 0; l--) {
      const layer = layers[l] as Layer;
      const below = layers[l - 1] as Layer;
      accumulate(layer, below.a, 0, g, round);
      inputDerivative(layer, p, below.d);
    }
    accumulate(layers[0] as Layer, x, at, g, round);
  }

  function gradient(
    weights: Float32Array,
    buffers: Float32Array,
    batch: Batch,
    gradient: Float32Array,
    precision: Precision = FULL_PRECISION,
  ): GradientResult {
    checkWeights(model, weights);
    checkWeights(model, gradient);
    checkBatch(sizes, batch);
    const rounding = roundingOf(precision.format);
    const roundForward = roundIn(rounding?.forward);
    const roundBackward = roundIn(rounding?.backward);
    p.set(weights);
    roundForward?.(p);
    g.fill(0);
    const x = roundedInput(rounding, batch.x);
    const share = precision.lossScale / batch.size;
    let lossSum = 0;
    for (let n = 0; n < batch.size; n++) {
      forwardAll(x, n * sizes.input, roundForward);
      lossSum += softmaxLoss(top.a, batch.y[n] as number, share, top.d);
      backwardAll(x, n * sizes.input, roundBackward);
    }
    gradient.set(g);
    const census = roundGradient(rounding, gradient);
    return { loss: lossSum / batch.size, buffers, census, heldBytes: null };
  }

  function logits(
    weights: Float32Array,
    _buffers: Float32Array,
    x: Batch['x'],
    size: number,
  ): Float32Array {
    checkWeights(model, weights);
    checkInput(sizes, x, size);
    p.set(weights);
    const values = new Float32Array(size * sizes.classes);
    for (let n = 0; n < size; n++) {
      forwardAll(x, n * sizes.input);
      values.set(top.a, n * sizes.classes);
    }
    return values;
  }

  function evaluate(weights: Float32Array, buffers: Float32Array, batch: Batch): EvaluationResult {
    checkBatch(sizes, batch);
    return scoreLogits(logits(weights, buffers, batch.x, batch.size), batch.y, sizes.classes);
  }

  function layerAt(index: number): Layer {
    const layer = layers[index];
    if (layer !== undefined) return layer;
    throw new RangeError(`segment ${index}: 0 ... ${layers.length - 1} is allowed`);
  }

  function forward(
    segment: number,
    weights: Float32Array,
    input: Batch['x'],
    size: number,
  ): Float32Array {
    const layer = layerAt(segment);
    p.set(weights);
    const output = new Float32Array(size * layer.outputs);
    for (let n = 0; n < size; n++) {
      forwardLayer(layer, p, input, n * layer.inputs);
      output.set(layer.a, n * layer.outputs);
    }
    return output;
  }

  function backward(
    segment: number,
    weights: Float32Array,
    input: Batch['x'],
    outputGradient: Float32Array,
    size: number,
    gradient: Float32Array,
  ): Float32Array {
    const layer = layerAt(segment);
    const { inputs, outputs, w, b } = layer;
    p.set(weights);
    g.fill(0);
    const dx = new Float64Array(inputs);
    const inputGradient = new Float32Array(size * inputs);
    for (let n = 0; n < size; n++) {
      forwardLayer(layer, p, input, n * inputs);
      layer.d.set(outputGradient.subarray(n * outputs, (n + 1) * outputs));
      accumulate(layer, input, n * inputs, g);
      inputDerivative(layer, p, dx);
      inputGradient.set(dx, n * inputs);
    }
    gradient.set(g.subarray(w, w + inputs * outputs), w);
    gradient.set(g.subarray(b, b + outputs), b);
    return inputGradient;
  }

  return {
    backend: 'fused',
    device: FUSED_DEVICE,
    model,
    gradient,
    evaluate,
    logits,
    forward,
    backward,
    dispose: () => {},
  };
}
