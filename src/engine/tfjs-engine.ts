/** @file The engine on TensorFlow.js: one tape for the whole model, or a segment at a time. */
import * as tf from '@tensorflow/tfjs-core';
import { type Moments, updatedBuffers } from '#core/batch-norm';
import type { Model, Parameter, Segment } from '#core/model';
import { selectBackend } from './backends.ts';
import { checkBatch, checkBuffers, checkInput, checkWeights, modelSizes } from './checks.ts';
import type { TfjsDevice } from './device.ts';
import type {
  Awaitable,
  Batch,
  Engine,
  GradientResult,
  NormExchange,
  Precision,
} from './engine.ts';
import { DeviceLostError, FULL_PRECISION } from './engine.ts';
import { alone, driveExchanges } from './exchange.ts';
import { registerGradients } from './gradients.ts';
import { applySegment, batchShape, byBatch, byStatistics, type Setting } from './layers.ts';
import { applyModel, type Pass, type PassResult, wholePass } from './pass.ts';
import { boundaryOf, NO_BOUNDARY, roundedInput, roundGradient, roundingOf } from './rounding.ts';
import { scoreLogits } from './scores.ts';
import { segmentedPass } from './segmented-pass.ts';

const LOSS_GRACE_MS = 2000;

/**
 * An engine for `model` on `device`, which it gives back when disposed of. With `checkpointing`,
 * gradients recompute activations instead of keeping them.
 */
export function createTfjsEngine(device: TfjsDevice, model: Model, checkpointing: boolean): Engine {
  registerGradients();
  const sizes = modelSizes(model);
  const isSynchronised = model.segments.some(
    ({ op }) => op.kind === 'batchNorm' && op.synchronised,
  );
  let disposed = false;
  // Backends that wait may upload late, and WebGL takes no shared memory: they get a copy.
  const host = (values: Float32Array): Float32Array => {
    return device.isSynchronous ? values : values.slice();
  };

  /** Before any operation: makes this backend the library's present one. */
  const enter = (): void => {
    if (disposed) throw new Error(`this ${device.backend} engine was disposed of; make a new one`);
    refuseLost(device);
    selectBackend(device.backend);
  };

  /** Values of tensors that stay alive. */
  const readAll = async (tensors: readonly tf.Tensor[]): Promise<readonly Float32Array[]> => {
    enter();
    if (device.isSynchronous) return tensors.map((tensor) => device.view(tensor).slice());
    return readTogether(device, () => [...tensors]);
  };

  /** Runs `compute` and hands the values of its tensors, flat, to `finish`. */
  function run<T>(
    compute: () => tf.Tensor[],
    finish: (values: readonly Float32Array[]) => T,
  ): Awaitable<T> {
    enter();
    if (device.isSynchronous) {
      let result: T | undefined;
      tf.tidy(() => {
        result = finish(compute().map(device.view));
      });
      return result as T;
    }
    return readTogether(device, compute).then(finish);
  }

  function gradient(
    weights: Float32Array,
    buffers: Float32Array,
    batch: Batch,
    gradient: Float32Array,
    precision: Precision = FULL_PRECISION,
    exchange?: NormExchange,
  ): Awaitable<GradientResult> {
    checkWeights(model, weights);
    checkWeights(model, gradient);
    checkBuffers(model, buffers);
    checkBatch(sizes, batch);
    const rounding = roundingOf(precision.format);
    const begin = (): Pass => ({
      model,
      parameters: upload(model.parameters, host(weights)),
      x: inputTensor(model, roundedInput(rounding, batch.x), batch.size),
      labels: oneHot(batch.y, sizes.classes),
      size: batch.size,
      boundary: boundaryOf(rounding),
      lossScale: precision.lossScale === 1 ? undefined : tf.scalar(precision.lossScale),
    });
    const finish = (result: PassResult, values: readonly Float32Array[]): GradientResult => {
      const [loss, ...rest] = values;
      const { length } = model.parameters;
      place(model.parameters, rest, gradient);
      return {
        loss: loss?.[0] ?? Number.NaN,
        buffers: buffersAfter(model, buffers, result, rest.slice(length)),
        census: roundGradient(rounding, gradient),
        heldBytes: result.heldBytes,
      };
    };
    if (exchange !== undefined && isSynchronised) return gradientTogether(begin, exchange, finish);
    let result: PassResult;
    const compute = (): tf.Tensor[] => {
      const pass = begin();
      result = checkpointing ? alone(segmentedPass(pass, false)) : wholePass(pass);
      return resultTensors(result);
    };
    return run(compute, (values) => {
      const finished = finish(result, values);
      for (const { mean, variance } of result.noted) tf.dispose([mean, variance]);
      return finished;
    });
  }

  /** A pass that waits for the other ranks in between; no scope is open meanwhile. */
  async function gradientTogether(
    begin: () => Pass,
    exchange: NormExchange,
    finish: (result: PassResult, values: readonly Float32Array[]) => GradientResult,
  ): Promise<GradientResult> {
    enter();
    const pass = begin();
    const made: tf.Tensor[] = [...pass.parameters, pass.x, pass.labels];
    if (pass.lossScale !== undefined) made.push(pass.lossScale);
    try {
      const result = await driveExchanges(segmentedPass(pass, true), exchange, { enter, readAll });
      made.push(...resultTensors(result));
      return finish(result, await readAll(resultTensors(result)));
    } finally {
      tf.dispose(made);
    }
  }

  function logits(
    weights: Float32Array,
    buffers: Float32Array,
    x: Batch['x'],
    size: number,
  ): Awaitable<Float32Array> {
    checkWeights(model, weights);
    checkBuffers(model, buffers);
    checkInput(sizes, x, size);
    const compute = (): tf.Tensor[] => {
      const parameters = upload(model.parameters, host(weights));
      const input = inputTensor(model, x, size);
      const normalise = byStatistics((segment) => {
        const [mean, variance] = upload(segment.buffers, host(buffers)) as [tf.Tensor, tf.Tensor];
        return { mean, variance };
      });
      const setting = { size, boundary: NO_BOUNDARY, normalise };
      return [applyModel({ model, parameters, x: input }, setting)];
    };
    return run(compute, ([values]) => Float32Array.from(values ?? []));
  }

  function evaluate(weights: Float32Array, buffers: Float32Array, batch: Batch) {
    checkBatch(sizes, batch);
    const score = (values: Float32Array) => scoreLogits(values, batch.y, sizes.classes);
    const values = logits(weights, buffers, batch.x, batch.size);
    return values instanceof Promise ? values.then(score) : score(values);
  }

  function forward(
    index: number,
    weights: Float32Array,
    input: Batch['x'],
    size: number,
  ): Awaitable<Float32Array> {
    const segment = segmentAt(model, index);
    const compute = (): tf.Tensor[] => {
      const x = segmentInput(model, segment, input, size);
      const parameters = upload(segment.parameters, host(weights));
      return [applySegment(segment, parameters, x, single(size))];
    };
    return run(compute, ([values]) => Float32Array.from(values ?? []));
  }

  function backward(
    index: number,
    weights: Float32Array,
    input: Batch['x'],
    outputGradient: Float32Array,
    size: number,
    gradient: Float32Array,
  ): Awaitable<Float32Array> {
    const segment = segmentAt(model, index);
    const hasInputGradient = segment.op.kind !== 'embedding';
    const compute = (): tf.Tensor[] => {
      const x = segmentInput(model, segment, input, size);
      const dy = tf.tensor(host(outputGradient), batchShape(segment.outputShape, size));
      const parameters = upload(segment.parameters, host(weights));
      if (hasInputGradient) {
        const apply = (x: tf.Tensor, ...rest: tf.Tensor[]) =>
          applySegment(segment, rest, x, single(size));
        return tf.grads(apply as (...all: tf.Tensor[]) => tf.Tensor)([x, ...parameters], dy);
      }
      return tf.grads((...rest: tf.Tensor[]) => applySegment(segment, rest, x, single(size)))(
        parameters,
        dy,
      );
    };
    return run(compute, (values) => {
      place(segment.parameters, hasInputGradient ? values.slice(1) : values, gradient);
      return Float32Array.from(hasInputGradient ? (values[0] ?? []) : []);
    });
  }

  return {
    backend: device.backend,
    device: device.name,
    model,
    gradient,
    evaluate,
    logits,
    forward,
    backward,
    dispose: () => {
      if (!disposed) device.release();
      disposed = true;
    },
  };
}

/** A segment by itself: in fp32, norms by the batch it is given. */
const single = (size: number): Setting => {
  return { size, boundary: NO_BOUNDARY, normalise: byBatch(() => undefined) };
};

/** What is read of a pass: the loss, the gradients, each norm's mean and variance. */
function resultTensors({ loss, gradients, noted }: PassResult): tf.Tensor[] {
  return [loss, ...gradients, ...noted.flatMap(({ mean, variance }) => [mean, variance])];
}

/** The buffers after a pass whose norms noted `values`, mean and variance in turn. */
function buffersAfter(
  model: Model,
  buffers: Float32Array,
  { noted }: PassResult,
  values: readonly Float32Array[],
): Float32Array {
  if (noted.length === 0) return buffers;
  const moments = noted.map(({ count }, i): Moments => {
    const [mean, variance] = values.slice(2 * i) as [Float32Array, Float32Array];
    return { mean, variance, count };
  });
  return updatedBuffers(model, buffers, moments);
}

function refuseLost(device: TfjsDevice): void {
  const reason = device.lostReason();
  if (reason !== null) throw new DeviceLostError(`the ${device.backend} device is lost: ${reason}`);
}

/** One read for all tensors, given up when the device is lost meanwhile. */
async function readTogether(
  device: TfjsDevice,
  compute: () => tf.Tensor[],
): Promise<Float32Array[]> {
  const lengths: number[] = [];
  const packed = tf.tidy(() => {
    const flat = compute().map((tensor) => tf.reshape(tensor, [-1]));
    for (const tensor of flat) lengths.push(tensor.size);
    return tf.concat(flat, 0);
  });
  const gone = device.lost.then(() => null);
  const values = await Promise.race([packed.data<'float32'>(), gone]).catch(
    async (error: unknown) => {
      // The read fails a moment before the loss is reported; on a busy machine that may be long.
      await Promise.race([gone, new Promise((resolve) => setTimeout(resolve, LOSS_GRACE_MS))]);
      refuseLost(device);
      // Only what the device holds can be read, so a device that cannot be read is as good as lost.
      throw new DeviceLostError(
        `the ${device.backend} device cannot be read: ${error instanceof Error ? error.message : String(error)}`,
      );
    },
  );
  refuseLost(device);
  packed.dispose();
  let end = 0;
  return lengths.map((length) => {
    end += length;
    return (values ?? new Float32Array()).subarray(end - length, end);
  });
}

function segmentAt(model: Model, index: number): Segment {
  const segment = model.segments[index];
  if (segment !== undefined) return segment;
  throw new RangeError(`segment ${index}: 0 ... ${model.segments.length - 1} is allowed`);
}

/** A tensor for each parameter; matrices as [1, rows, columns], which dense kernels take. */
function upload(parameters: readonly Parameter[], weights: Float32Array): tf.Tensor[] {
  return parameters.map(({ offset, length, shape }) => {
    const values = weights.subarray(offset, offset + length);
    return tf.tensor(values, shape.length === 2 ? [1, ...shape] : [...shape]);
  });
}

function place(
  parameters: readonly Parameter[],
  parts: readonly Float32Array[],
  into: Float32Array,
): void {
  parameters.forEach(({ offset }, i) => {
    into.set(parts[i] ?? [], offset);
  });
}

function inputTensor(model: Model, x: Batch['x'], size: number): tf.Tensor {
  const first = segmentAt(model, 0);
  return segmentInput(model, first, x, size);
}

function segmentInput(model: Model, segment: Segment, x: Batch['x'], size: number): tf.Tensor {
  if (segment.op.kind === 'embedding') return oneHot(x, modelSizes(model).classes);
  return tf.tensor(Float32Array.from(x), batchShape(segment.inputShape, size));
}

/** [1, n, classes], made on the host: the kernel writes integer bits into float32 on wasm. */
function oneHot(indices: Batch['x'], classes: number): tf.Tensor {
  const hot = new Float32Array(indices.length * classes);
  indices.forEach((index, row) => {
    hot[row * classes + index] = 1;
  });
  return tf.tensor(hot, [1, indices.length, classes]);
}
