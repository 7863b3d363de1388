/**
 * @file The models of the laboratory, as data: softmax regression, MLP, CNN, causal transformer.
 * Costs are those of the textbook algorithm, not of any backend's way to run it.
 */
import type {
  Activation,
  Initialiser,
  Model,
  ModelSpec,
  Parameter,
  Segment,
  SegmentOp,
  TaskShape,
} from './model.ts';

const BYTES = 4;
const KERNEL = 3;
const POOL = 2;
/** Hidden width of the transformer's feed-forward part, as a multiple of the model's width. */
const FEED_FORWARD_FACTOR = 4;
/** Between GPT-2's 0.02 and PyTorch's 1; of 0.02 ... 0.5 it trained best on characters. */
const EMBEDDING_DEVIATION = 0.1;

type ParameterDraft = Omit<Parameter, 'offset' | 'length'>;
type SegmentDraft = Omit<Segment, 'parameters'> & {
  readonly parameters: readonly ParameterDraft[];
};

const product = (shape: readonly number[]): number => shape.reduce((a, b) => a * b, 1);

/**
 * The model of `spec` for samples of `task`, with its parameters laid out in forward order.
 * Throws RangeError where the two do not fit or a size is not a positive integer.
 */
export function buildModel(spec: ModelSpec, task: TaskShape): Model {
  return assemble(spec, task, segmentDrafts(spec, task));
}

function segmentDrafts(spec: ModelSpec, task: TaskShape): SegmentDraft[] {
  switch (spec.kind) {
    case 'softmax':
      return denseStack(flatInput(spec, task), [], 'relu');
    case 'mlp':
      requirePositive('mlp.hidden', spec.hidden);
      return denseStack(flatInput(spec, task), spec.hidden, spec.activation);
    case 'cnn':
      return convolutional(spec, task);
    case 'transformer':
      return transformer(spec, task);
  }
}

/** Gives every parameter its place in the flat vector. */
function assemble(spec: ModelSpec, task: TaskShape, drafts: readonly SegmentDraft[]): Model {
  let offset = 0;
  const place = (draft: ParameterDraft): Parameter => {
    const parameter = { ...draft, offset, length: product(draft.shape) };
    offset += parameter.length;
    return parameter;
  };
  const segments = drafts.map((draft): Segment => {
    return { ...draft, parameters: draft.parameters.map(place) };
  });
  return {
    spec,
    task,
    segments,
    parameters: segments.flatMap((segment) => segment.parameters),
    parameterCount: offset,
    bufferCount: 0,
  };
}

function requirePositive(what: string, sizes: readonly number[]): void {
  sizes.forEach((size, i) => {
    if (Number.isSafeInteger(size) && size >= 1) return;
    const where = sizes.length > 1 ? `${what}[${i}]` : what;
    throw new RangeError(`${where} is ${size}: a positive integer is needed`);
  });
}

function misfit(spec: ModelSpec, task: TaskShape, needs: string): RangeError {
  return new RangeError(
    `a ${spec.kind} model needs ${needs}, but the task's samples are ${task.kind}`,
  );
}

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

function norm(name: string, width: number): ParameterDraft[] {
  return [
    { name: `${name}.weight`, shape: [width], init: { kind: 'constant', value: 1 } },
    { name: `${name}.bias`, shape: [width], init: { kind: 'constant', value: 0 } },
  ];
}

/**
 * A dense layer over the last axis of `inputShape`. The first segment of a model needs no gradient
 * of its input, so its backward costs one product instead of two.
 */
function dense(
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

interface FlatInput {
  readonly features: number;
  readonly classes: number;
}

function flatInput(spec: ModelSpec, task: TaskShape): FlatInput {
  if (task.kind === 'text') throw misfit(spec, task, 'images or points');
  const features = task.kind === 'image' ? task.height * task.width : task.features;
  requirePositive('features of the task', [features]);
  requirePositive('classes of the task', [task.classes]);
  return { features, classes: task.classes };
}

function denseStack(
  { features, classes }: FlatInput,
  hidden: readonly number[],
  activation: Activation,
): SegmentDraft[] {
  const widths = [features, ...hidden, classes];
  return widths.slice(1).map((outputs, i) => {
    const isLast = i === hidden.length;
    return dense(`fc${i + 1}`, [widths[i]], outputs, isLast ? 'none' : activation, i === 0);
  });
}

function conv(
  name: string,
  inputShape: readonly number[],
  filters: number,
  isFirst: boolean,
): SegmentDraft {
  const [height, width, channels] = inputShape;
  const patch = KERNEL * KERNEL * channels;
  const forwardFlops = 2 * height * width * patch * filters;
  return {
    name,
    op: { kind: 'conv', kernel: KERNEL, activation: 'relu' },
    parameters: [
      {
        name: `${name}.weight`,
        shape: [KERNEL, KERNEL, channels, filters],
        init: fanIn(patch),
      },
      { name: `${name}.bias`, shape: [filters], init: fanIn(patch) },
    ],
    inputShape,
    outputShape: [height, width, filters],
    forwardFlops,
    backwardFlops: isFirst ? forwardFlops : 2 * forwardFlops,
    activationBytes: BYTES * product(inputShape),
  };
}

function unweighted(
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

/** Windows of 2 x 2, stride 2; an odd last row or column is dropped, as in PyTorch. */
function maxpool(name: string, inputShape: readonly number[]): SegmentDraft {
  const [height, width, channels] = inputShape;
  const outputShape = [Math.floor(height / POOL), Math.floor(width / POOL), channels];
  const size = product(inputShape);
  return unweighted(name, { kind: 'maxpool', size: POOL }, inputShape, outputShape, size, size);
}

function convolutional(spec: ModelSpec & { kind: 'cnn' }, task: TaskShape): SegmentDraft[] {
  if (task.kind !== 'image') throw misfit(spec, task, 'images');
  requirePositive('cnn.channels', spec.channels);
  requirePositive('cnn.dense', [spec.dense]);
  const smallest = POOL * POOL;
  if (task.height < smallest || task.width < smallest) {
    throw new RangeError(
      `a cnn pools twice by ${POOL}, so images must be at least ${smallest} x ${smallest}; ` +
        `the task's are ${task.height} x ${task.width}`,
    );
  }
  const conv1 = conv('conv1', [task.height, task.width, 1], spec.channels[0], true);
  const pool1 = maxpool('pool1', conv1.outputShape);
  const conv2 = conv('conv2', pool1.outputShape, spec.channels[1], false);
  const pool2 = maxpool('pool2', conv2.outputShape);
  const features = product(pool2.outputShape);
  return [
    conv1,
    pool1,
    conv2,
    pool2,
    unweighted('flatten', { kind: 'flatten' }, pool2.outputShape, [features], 0, 0),
    dense('fc1', [features], spec.dense, 'relu', false),
    dense('fc2', [spec.dense], task.classes, 'none', false),
  ];
}

function embedding(vocabulary: number, context: number, width: number): SegmentDraft {
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
function attention(name: string, context: number, width: number, heads: number): SegmentDraft {
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
function feedForward(name: string, context: number, width: number): SegmentDraft {
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

function layerNorm(name: string, context: number, width: number): SegmentDraft {
  const size = context * width;
  const shape = [context, width];
  const bare = unweighted(name, { kind: 'layerNorm' }, shape, shape, 8 * size, size);
  return { ...bare, parameters: norm(name, width), backwardFlops: 2 * bare.forwardFlops };
}

function transformer(spec: ModelSpec & { kind: 'transformer' }, task: TaskShape): SegmentDraft[] {
  if (task.kind !== 'text') throw misfit(spec, task, 'text');
  const { width, heads, depth, context } = spec;
  requirePositive('transformer.width', [width]);
  requirePositive('transformer.heads', [heads]);
  requirePositive('transformer.depth', [depth]);
  requirePositive('transformer.context', [context]);
  requirePositive('vocabulary of the task', [task.vocabulary]);
  if (width % heads !== 0) {
    throw new RangeError(
      `transformer.heads is ${heads}: it must divide the width (${width}), ` +
        'since every head takes an equal part of it',
    );
  }
  const blocks = Array.from({ length: depth }, (_, i) => [
    attention(`block${i + 1}.attention`, context, width, heads),
    feedForward(`block${i + 1}.mlp`, context, width),
  ]).flat();
  return [
    embedding(task.vocabulary, context, width),
    ...blocks,
    layerNorm('norm', context, width),
    dense('head', [context, width], task.vocabulary, 'none', false),
  ];
}
