/**
 * @file The models of the laboratory, as data: softmax regression, MLP, CNN, causal transformer.
 * Their segments stand in segments.ts.
 */
import type { Activation, Model, ModelSpec, Parameter, Segment, TaskShape } from './model.ts';
import {
  attention,
  batchNorm,
  conv,
  dense,
  embedding,
  feedForward,
  layerNorm,
  maxpool,
  type ParameterDraft,
  POOL,
  product,
  type SegmentDraft,
  unweighted,
} from './segments.ts';

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

/** Gives every parameter and every buffer its place in its flat vector. */
function assemble(spec: ModelSpec, task: TaskShape, drafts: readonly SegmentDraft[]): Model {
  const weights = createLayout();
  const state = createLayout();
  const segments = drafts.map((draft): Segment => {
    const buffers = draft.buffers ?? [];
    return {
      ...draft,
      parameters: draft.parameters.map(weights.place),
      buffers: buffers.map(state.place),
    };
  });
  return {
    spec,
    task,
    segments,
    parameters: weights.parts,
    parameterCount: weights.length(),
    buffers: state.parts,
    bufferCount: state.length(),
  };
}

/** A flat vector that is filled part after part. */
function createLayout() {
  const parts: Parameter[] = [];
  let offset = 0;
  const place = (draft: ParameterDraft): Parameter => {
    const part = { ...draft, offset, length: product(draft.shape) };
    offset += part.length;
    parts.push(part);
    return part;
  };
  return { parts, place, length: () => offset };
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
  const { channels, norm: kind = 'none' } = spec;
  const normed = kind !== 'none';
  const normOf = (name: string, { outputShape }: SegmentDraft): SegmentDraft[] =>
    normed ? [batchNorm(name, outputShape, kind === 'syncBatch')] : [];
  const conv1 = conv('conv1', [task.height, task.width, 1], channels[0], true, normed);
  const pool1 = maxpool('pool1', conv1.outputShape);
  const conv2 = conv('conv2', pool1.outputShape, channels[1], false, normed);
  const pool2 = maxpool('pool2', conv2.outputShape);
  const features = product(pool2.outputShape);
  return [
    conv1,
    ...normOf('norm1', conv1),
    pool1,
    conv2,
    ...normOf('norm2', conv2),
    pool2,
    unweighted('flatten', { kind: 'flatten' }, pool2.outputShape, [features], 0, 0),
    dense('fc1', [features], spec.dense, 'relu', false),
    dense('fc2', [spec.dense], task.classes, 'none', false),
  ];
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
