/**
 * @file Known models to price "as if": parameters, FLOPs and memory traffic by layer, in forward
 * order. Convolutional and recurrent ones are counted in cnn-layers.ts, transformers here.
 */
import type { WorkloadId } from '#experiment/cluster-fields';
import { gnmtLayers, inception3Layers, resnetLayers, vgg16Layers } from './cnn-layers.ts';

/** What buckets and the overlap are made from. */
export interface Layer {
  readonly parameters: number;
  /** Parameter tensors: each has a gradient of its own. */
  readonly tensors: number;
  /** Forward of one sample; multiply-adds count two. Backward takes twice as many. */
  readonly forwardFlops: number;
}

export interface Workload {
  readonly name: string;
  readonly source: string;
  /** What a sample is: throughput counts them. */
  readonly sample: 'images' | 'sequences';
  readonly layers: readonly Layer[];
  /** Bytes of activations that forward and backward of one sample move in fp32. */
  readonly trafficBytes: number;
  /** Deviation of a rank's step from the mean that the samples' lengths cause, relative. */
  readonly imbalance: number;
}

export interface TransformerShape {
  readonly name: string;
  readonly source: string;
  readonly width: number;
  readonly depth: number;
  readonly vocabulary: number;
  /** Tokens of a sample. */
  readonly context: number;
  /** Parameters of a block: 12 w^2 with a feed-forward of 4 w. */
  readonly blockParameters: number;
  /** Whether input and output share their embedding. */
  readonly tied: boolean;
}

/** Passes over a block's activations in forward and backward, 34 halves a token and width [E]. */
const TRAFFIC_PER_TOKEN_AND_WIDTH = 34 * 2 * 3;

/** Layers of a transformer over sequences of `context` tokens; a token costs 2 FLOPs a parameter, and 4 w a position it looks at. */
export function transformer(shape: TransformerShape): Workload {
  const { width, depth, vocabulary, context, blockParameters, tied } = shape;
  const embedding = vocabulary * width;
  const block: Layer = {
    parameters: blockParameters,
    tensors: 12,
    forwardFlops: context * (2 * blockParameters + 4 * context * width),
  };
  const head: Layer = {
    parameters: tied ? 2 * width : embedding,
    tensors: tied ? 2 : 1,
    forwardFlops: context * 2 * embedding,
  };
  const input: Layer = { parameters: embedding + context * width, tensors: 2, forwardFlops: 0 };
  return {
    name: shape.name,
    source: shape.source,
    sample: 'sequences',
    layers: [input, ...new Array<Layer>(depth).fill(block), head],
    trafficBytes: context * depth * width * TRAFFIC_PER_TOKEN_AND_WIDTH,
    imbalance: 0,
  };
}

/** 12 w^2 a block: four projections and a feed-forward of 4 w. */
export const gptShape = (
  name: string,
  [depth, width]: readonly [number, number],
  context: number,
  vocabulary: number,
  source: string,
): TransformerShape => ({
  name,
  source,
  width,
  depth,
  vocabulary,
  context,
  blockParameters: 12 * width * width + 13 * width,
  tied: true,
});

/** A model of which only totals are known: `layers` alike, 32 where left out. */
export function uniformWorkload(total: {
  readonly parameters: number;
  readonly forwardFlops: number;
  readonly layers?: number;
  readonly tensors?: number;
  readonly trafficBytes?: number;
  readonly imbalance?: number;
}): Workload {
  const { parameters, forwardFlops, layers = 32, trafficBytes = 0, imbalance = 0 } = total;
  const tensors = (total.tensors ?? 4 * layers) / layers;
  const layer = { parameters: parameters / layers, tensors, forwardFlops: forwardFlops / layers };
  return {
    name: 'custom',
    source: 'given',
    sample: 'sequences',
    layers: new Array<Layer>(layers).fill(layer),
    trafficBytes,
    imbalance,
  };
}

/** Token sequences of BERT; the head predicts one token in seven. */
export function bert(size: 'base' | 'large', context: number): Workload {
  const [depth, width] = size === 'base' ? [12, 768] : [24, 1024];
  const name = `BERT-${size}, ${context} tokens`;
  const source = 'Devlin et al. 2018: 110 M and 335 M parameters';
  const shape = gptShape(name, [depth, width], context, 30_522, source);
  const whole = transformer(shape);
  const layers = whole.layers.map((layer, index) =>
    index === whole.layers.length - 1 ? { ...layer, forwardFlops: layer.forwardFlops / 7 } : layer,
  );
  return { ...whole, layers };
}

const GPT2 = 'Radford et al. 2019';
const LLAMA3 = 'Llama 3 report, table 3';
const llama = (
  name: string,
  [depth, width]: readonly [number, number],
  blockParameters: number,
): TransformerShape => ({
  name,
  source: LLAMA3,
  width,
  depth,
  vocabulary: 128_256,
  context: 8192,
  blockParameters,
  tied: false,
});

const convolutional = (
  name: string,
  layers: readonly Layer[],
  trafficBytes: number,
  source: string,
): Workload => ({ name, source, sample: 'images', layers, trafficBytes, imbalance: 0 });

/** The models by name; `itself` is the replica and comes from the experiment. */
export const WORKLOADS: Readonly<Record<Exclude<WorkloadId, 'itself'>, Workload>> = {
  resnet50: convolutional(
    'ResNet-50',
    resnetLayers([3, 4, 6, 3], 1, 64),
    440e6,
    'He et al. 2015: 25.6 M, 4.1 G multiply-adds',
  ),
  resnet101: convolutional(
    'ResNet-101',
    resnetLayers([3, 4, 23, 3], 1, 64),
    640e6,
    'He et al. 2015: 44.5 M, 7.8 G',
  ),
  resnext50: convolutional(
    'ResNeXt-50 32x4d',
    resnetLayers([3, 4, 6, 3], 32, 4),
    560e6,
    'Xie et al. 2016: 25.0 M, 4.2 G',
  ),
  resnext101: convolutional(
    'ResNeXt-101 32x8d',
    resnetLayers([3, 4, 23, 3], 32, 8),
    1200e6,
    'Xie et al. 2016: 88.8 M, 16.4 G',
  ),
  inception3: convolutional(
    'Inception V3',
    inception3Layers(),
    400e6,
    'Szegedy et al. 2015: 23.8 M, 5.7 G',
  ),
  vgg16: convolutional('VGG-16', vgg16Layers(), 500e6, 'Simonyan, Zisserman 2014: 138 M, 15.5 G'),
  gnmt: {
    name: 'GNMT',
    source: 'NVIDIA DeepLearningExamples GNMT v2: 160 M; sentences of some 56 tokens, unequal',
    sample: 'sequences',
    layers: gnmtLayers(),
    trafficBytes: 112e6,
    imbalance: 0.09,
  },
  'bert-base': bert('base', 512),
  'bert-large': bert('large', 512),
  'gpt2-124m': transformer(gptShape('GPT-2 124M', [12, 768], 1024, 50_257, GPT2)),
  'gpt2-1.5b': transformer(gptShape('GPT-2 1.5B', [48, 1600], 1024, 50_257, GPT2)),
  'llama3-8b': transformer(llama('Llama 3 8B', [32, 4096], 218_112_000)),
  'llama3-70b': transformer(llama('Llama 3 70B', [80, 8192], 855_654_400)),
};

export function parameterCount({ layers }: Workload): number {
  return layers.reduce((sum, { parameters }) => sum + parameters, 0);
}

export function forwardFlops({ layers }: Workload): number {
  return layers.reduce((sum, layer) => sum + layer.forwardFlops, 0);
}
