/**
 * @file The segments that models are made of, each with its shapes, parameters and costs, but
 * without places in the flat vectors. Costs are those of the textbook algorithm.
 */
import type { Activation, Initialiser, Parameter, Segment, SegmentOp } from './model.ts';

const BYTES = 4;
const KERNEL = 3;
/** Side and stride of a pooling window. */
export const POOL = 2;
/** Hidden width of the transformer's feed-forward part, as a multiple of the model's width. */
const FEED_FORWARD_FACTOR = 4;
/** An element's share in mean, variance, normalisation, scale and shift. */
const NORM_FLOPS = 8;
/** Between GPT-2's 0.02 and PyTorch's 1; of 0.02 ... 0.5 it trained best on characters. */
const EMBEDDING_DEVIATION = 0.1;

/** A parameter without its place. */
export type ParameterDraft = Omit<Parameter, 'offset' | 'length'>;
/** A segment whose parameters have no place yet. */
export type SegmentDraft = Omit<Segment, 'parameters' | 'buffers'> & {
  readonly parameters: readonly ParameterDraft[];
  /** None where left out. */
  readonly buffers?: readonly ParameterDraft[];
};

/** Elements of a shape. */
export const product = (shape: readonly number[]): number => shape.reduce((a, b) => a * b, 1);

/** PyTorch's default for Linear and Conv2d, weight and bias alike: U(-b, b), b = 1/sqrt(fan in). */
function fanIn(inputs: number): Initialiser {
  return { kind: 'uniform', bound: 1 / Math.sqrt(inputs) };
}

/** A uniform distribution with the given standard deviation: no logarithm or cosine to draw it. */
function uniformDeviation(deviation: number): Initialiser {
  return { kind: 'uniform', bound: deviation * Math.sqrt(3) };
}

function linear(name: string, inputs: number, outputs: number): ParameterDraft[] {
  return [
    { name: `${name}.weight`, shape: [inputs, outputs], init: fanIn(inputs) },
    { name: `${name}.bias`, shape: [outputs], init: fanIn(inputs) },
  ];
}

function constant(name: string, width: number, value: number): ParameterDraft {
  return { name, shape: [width], init: { kind: 'constant', value } };
}

function norm(name: string, width: number): ParameterDraft[] {
  return [constant(`${name}.weight`, width, 1), constant(`${name}.bias`, width, 0)];
}

/**
 * A dense layer over the last axis of `inputShape`. The first segment of a model needs no gradient
 * of its input, so its backward costs one product instead of two.
 */
export function dense(
  name: string,
  inputShape: readonly number[],
  outputs: number,
  activation: Activation | 'none',
  isFirst: boolean,
): SegmentDraft {
  const inputs = inputShape[inputShape.length - 1];
  const outputShape = [...inputShape.slice(0, -1), outputs];
  const forwardFlops = 2 * product(inputShape) * outputs;
  // The slopes of relu and tanh follow from the output, which the next segment keeps anyway.
  const kept = product(inputShape) + (activation === 'gelu' ? product(outputShape) : 0);
  return {
    name,
    op: { kind: 'dense', activation },
    parameters: linear(name, inputs, outputs),
    inputShape,
    outputShape,
    forwardFlops,
    backwardFlops: isFirst ? forwardFlops : 2 * forwardFlops,
    activationBytes: BYTES * kept,
  };
}

/** With a relu and a bias, or bare where a norm follows, which would take the bias out again. */
export function conv(
  name: string,
  inputShape: readonly number[],
  filters: number,
  isFirst: boolean,
  bare: boolean,
): SegmentDraft {
  const [height, width, channels] = inputShape;
  const patch = KERNEL * KERNEL * channels;
  const forwardFlops = 2 * height * width * patch * filters;
  const weight = {
    name: `${name}.weight`,
    shape: [KERNEL, KERNEL, channels, filters],
    init: fanIn(patch),
  };
  const bias = { name: `${name}.bias`, shape: [filters], init: fanIn(patch) };
  return {
    name,
    op: { kind: 'conv', kernel: KERNEL, activation: bare ? 'none' : 'relu' },
    parameters: bare ? [weight] : [weight, bias],
    inputShape,
    outputShape: [height, width, filters],
    forwardFlops,
    backwardFlops: isFirst ? forwardFlops : 2 * forwardFlops,
    activationBytes: BYTES * product(inputShape),
  };
}

export function unweighted(
  name: string,
  op: SegmentOp,
  inputShape: readonly number[],
  outputShape: readonly number[],
  flops: number,
  kept: number,
): SegmentDraft {
  return {
    name,
    op,
    parameters: [],
    inputShape,
    outputShape,
    forwardFlops: flops,
    backwardFlops: flops,
    activationBytes: BYTES * kept,
  };
}

/** Batch normalisation over images and places, channel by channel, and a relu [Ioffe and Szegedy 2015]. */
export function batchNorm(
  name: string,
  shape: readonly number[],
  synchronised: boolean,
): SegmentDraft {
  const channels = shape[shape.length - 1];
  const size = product(shape);
  const op: SegmentOp = { kind: 'batchNorm', synchronised, activation: 'relu' };
  const bare = unweighted(name, op, shape, shape, NORM_FLOPS * size, size);
  return {
    ...bare,
    parameters: norm(name, channels),
    buffers: [
      constant(`${name}.running_mean`, channels, 0),
      constant(`${name}.running_var`, channels, 1),
    ],
    backwardFlops: 2 * bare.forwardFlops,
  };
}

/** Windows of 2 x 2, stride 2; an odd last row or column is dropped, as in PyTorch. */
export function maxpool(name: string, inputShape: readonly number[]): SegmentDraft {
  const [height, width, channels] = inputShape;
  const outputShape = [Math.floor(height / POOL), Math.floor(width / POOL), channels];
  const size = product(inputShape);
  return unweighted(name, { kind: 'maxpool', size: POOL }, inputShape, outputShape, size, size);
}

export function embedding(vocabulary: number, context: number, width: number): SegmentDraft {
  return {
    name: 'embedding',
    op: { kind: 'embedding' },
    parameters: [
      {
        name: 'embedding.tokens',
        shape: [vocabulary, width],
        init: uniformDeviation(EMBEDDING_DEVIATION),
      },
      {
        name: 'embedding.positions',
        shape: [context, width],
        init: uniformDeviation(EMBEDDING_DEVIATION),
      },
    ],
    inputShape: [context],
    outputShape: [context, width],
    // A lookup and one addition; backward adds rows up, once for tokens and once for positions.
    forwardFlops: context * width,
    backwardFlops: 2 * context * width,
    activationBytes: BYTES * context,
  };
}

/** `x + projection(softmax(q k^T / sqrt(d)) v)`, with q, k, v of the normalised x, causal. */
export function attention(
  name: string,
  context: number,
  width: number,
  heads: number,
): SegmentDraft {
  const square = (part: string): ParameterDraft => {
    return { name: `${name}.${part}.weight`, shape: [width, width], init: fanIn(width) };
  };
  const projections = 4 * 2 * context * width * width;
  const scoresAndMix = 2 * 2 * context * context * width;
  const forwardFlops = projections + scoresAndMix;
  return {
    name,
    op: { kind: 'attention', heads },
    parameters: [
      ...norm(`${name}.norm`, width),
      square('q'),
      square('k'),
      square('v'),
      ...linear(`${name}.projection`, width, width),
    ],
    inputShape: [context, width],
    outputShape: [context, width],
    forwardFlops,
    backwardFlops: 2 * forwardFlops,
    // x, normalised x, q, k, v, mixed values; the attention weights of each head.
    activationBytes: BYTES * (6 * context * width + heads * context * context),
  };
}

/** `x + fc2(gelu(fc1(norm(x))))` with four times the width inside. */
export function feedForward(name: string, context: number, width: number): SegmentDraft {
  const inner = FEED_FORWARD_FACTOR * width;
  const forwardFlops = 2 * 2 * context * width * inner;
  return {
    name,
    op: { kind: 'feedForward' },
    parameters: [
      ...norm(`${name}.norm`, width),
      ...linear(`${name}.fc1`, width, inner),
      ...linear(`${name}.fc2`, inner, width),
    ],
    inputShape: [context, width],
    outputShape: [context, width],
    forwardFlops,
    backwardFlops: 2 * forwardFlops,
    // x, normalised x, and the inner values before and after gelu.
    activationBytes: BYTES * context * (2 * width + 2 * inner),
  };
}

export function layerNorm(name: string, context: number, width: number): SegmentDraft {
  const size = context * width;
  const shape = [context, width];
  const op: SegmentOp = { kind: 'layerNorm' };
  const bare = unweighted(name, op, shape, shape, NORM_FLOPS * size, size);
  return { ...bare, parameters: norm(name, width), backwardFlops: 2 * bare.forwardFlops };
}
