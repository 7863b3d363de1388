/** @file Layers of convolutional networks at 224 x 224 (Inception V3: 299) and of GNMT, counted. */
import type { Layer } from './workloads.ts';

/** A convolution with its batch norm, on an output of `size` x `size`. */
function conv(size: number, kernel: number, input: number, output: number, groups = 1): Layer {
  const weights = (kernel * kernel * input * output) / groups;
  const forwardFlops = 2 * weights * size * size;
  return { parameters: weights + 2 * output, tensors: 3, forwardFlops };
}

const dense = (input: number, output: number): Layer => ({
  parameters: input * output + output,
  tensors: 2,
  forwardFlops: 2 * input * output,
});

/** Bottleneck blocks 1x1, 3x3, 1x1 in four stages [He et al. 2015; Xie et al. 2016]. */
export function resnetLayers(
  blocks: readonly number[],
  groups: number,
  widthPerGroup: number,
): readonly Layer[] {
  const layers = [conv(112, 7, 3, 64)];
  let channels = 64;
  blocks.forEach((count, stage) => {
    const size = 56 / 2 ** stage;
    const inner = groups * widthPerGroup * 2 ** stage;
    const outer = 256 * 2 ** stage;
    for (let block = 0; block < count; block++) {
      // The stride stands in the 3x3 convolution, so the first 1x1 is on the larger input.
      const first = block === 0 && stage > 0 ? 2 * size : size;
      layers.push(conv(first, 1, channels, inner), conv(size, 3, inner, inner, groups));
      layers.push(conv(size, 1, inner, outer));
      if (block === 0) layers.push(conv(size, 1, channels, outer));
      channels = outer;
    }
  });
  return [...layers, dense(2048, 1000)];
}

export function vgg16Layers(): readonly Layer[] {
  const stages: readonly (readonly [size: number, widths: readonly number[]])[] = [
    [224, [3, 64, 64]],
    [112, [64, 128, 128]],
    [56, [128, 256, 256, 256]],
    [28, [256, 512, 512, 512]],
    [14, [512, 512, 512, 512]],
  ];
  const convolutions = stages.flatMap(([size, widths]) =>
    widths.slice(1).map((output, index) => conv(size, 3, widths[index] ?? 0, output)),
  );
  return [...convolutions, dense(25_088, 4096), dense(4096, 4096), dense(4096, 1000)];
}

/** By block: parameters in millions, multiply-adds in 10^9 [Szegedy et al. 2015, torchvision]. */
export function inception3Layers(): readonly Layer[] {
  const blocks: readonly (readonly [number, number, number])[] = [
    [0.14, 1.4, 15],
    [0.26, 0.31, 21],
    [0.28, 0.34, 21],
    [0.285, 0.35, 21],
    [1.15, 0.44, 12],
    [1.3, 0.37, 30],
    [1.69, 0.49, 30],
    [1.69, 0.49, 30],
    [2.14, 0.62, 30],
    [1.7, 0.22, 18],
    [5.04, 0.32, 27],
    [6.07, 0.39, 27],
  ];
  const layers = blocks.map(
    ([millions, billions, tensors]): Layer => ({
      parameters: millions * 1e6,
      tensors,
      forwardFlops: 2 * billions * 1e9,
    }),
  );
  return [...layers, dense(2048, 1000)];
}

/** Source and target together, WMT16 English-German in subwords. */
const TOKENS_OF_A_SENTENCE = 56;

/** GNMT v2, width 1024, vocabulary 32,320 shared: an embedding, 4 + 4 LSTM layers, attention; per sentence. */
export function gnmtLayers(): readonly Layer[] {
  const lstm = (input: number, directions = 1): Layer => ({
    parameters: directions * 4 * 1024 * (input + 1024 + 2),
    tensors: 4 * directions,
    forwardFlops: 2 * directions * 4 * 1024 * (input + 1024),
  });
  const embedding: Layer = { parameters: 32_320 * 1024, tensors: 1, forwardFlops: 0 };
  const encoder = [lstm(1024, 2), lstm(2048), lstm(1024), lstm(1024)];
  const decoder = [lstm(1024), lstm(2048), lstm(2048), lstm(2048)];
  const layers = [embedding, ...encoder, ...decoder, dense(1024, 3072), dense(1024, 32_320)];
  return layers.map((layer) => ({
    ...layer,
    forwardFlops: TOKENS_OF_A_SENTENCE * layer.forwardFlops,
  }));
}
