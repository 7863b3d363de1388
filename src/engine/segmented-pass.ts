/**
 * @file A model's loss and gradient a segment at a time. Only the segments' inputs are kept, and
 * backward makes the rest again (activation checkpointing [Chen et al. 2016]); between two segments
 * the ranks may tell each other what synchronised batch norms need. It runs the kernels of the
 * whole tape on the same values, so both agree to the bit where kernels repeat.
 */
import * as tf from '@tensorflow/tfjs-core';
import { combineMoments, unpackMoments } from '#core/batch-norm';
import type { Segment } from '#core/model';
import { channelSums, inputGradient, normalise, statisticsOf, valuesOf } from './batch-norm.ts';
import { applySegment, byBatch, byStatistics, type Setting } from './layers.ts';
import { crossEntropy } from './ops.ts';
import {
  type Apply,
  keepStatistics,
  liveBytes,
  type Noted,
  type Pass,
  type PassResult,
  parametersOf,
} from './pass.ts';

/** What the pass waits for: every rank's `values`, or their sum alone. */
export interface NormRequest {
  readonly kind: 'gather' | 'sum';
  readonly values: tf.Tensor;
}

/** Resumed with every rank's values in rank order, or with one vector, their sum. */
export type SegmentedPass = Generator<NormRequest, PassResult, readonly Float32Array[]>;

/** The tensors of a pass, all of which are disposed of where it is given up. */
interface Store {
  hold<T extends tf.Tensor>(tensor: T): T;
  drop(...tensors: readonly tf.Tensor[]): void;
  dropAll(): void;
}

function createStore(): Store {
  const held = new Set<tf.Tensor>();
  return {
    hold(tensor) {
      held.add(tensor);
      return tensor;
    },
    drop(...tensors) {
      for (const tensor of tensors) {
        tensor.dispose();
        held.delete(tensor);
      }
    },
    dropAll() {
      for (const tensor of held) tensor.dispose();
    },
  };
}

/** With `shared`, synchronised norms ask for the other ranks' part; else they are like any norm. */
export function* segmentedPass(pass: Pass, shared: boolean): SegmentedPass {
  const store = createStore();
  try {
    return yield* run(pass, shared, store);
  } catch (error) {
    store.dropAll();
    throw error;
  }
}

function* run(pass: Pass, shared: boolean, store: Store): SegmentedPass {
  const { model, labels, size, boundary } = pass;
  const before = liveBytes();
  let heldBytes = 0;
  const note = (): void => {
    heldBytes = Math.max(heldBytes, liveBytes() - before);
  };
  const isShared = ({ op }: Segment): boolean =>
    shared && op.kind === 'batchNorm' && op.synchronised;
  const own = (segment: number): tf.Tensor[] => parametersOf(model, segment, pass.parameters);

  const noted = new Map<Segment, Noted>();
  const known = byStatistics((segment) => noted.get(segment) as Noted);
  const ownBatch = byBatch((segment, statistics) => {
    const kept = keepStatistics(segment, size, statistics);
    store.hold(kept.mean);
    store.hold(kept.variance);
    noted.set(segment, kept);
  });
  const inputs: tf.Tensor[] = [pass.x];
  for (const [i, segment] of model.segments.entries()) {
    const x = inputs[i] as tf.Tensor;
    if (isShared(segment)) noted.set(segment, yield* gatherStatistics(x, store));
    const setting = { size, boundary, normalise: isShared(segment) ? known : ownBatch };
    inputs.push(store.hold(tf.tidy(() => applySegment(segment, own(i), x, setting))));
  }

  const logits = inputs.pop() as tf.Tensor;
  const top = tf.tidy(() => {
    return tf.valueAndGrad((z: tf.Tensor) => crossEntropy(z, labels))(logits, pass.lossScale);
  });
  store.hold(top.value);
  store.drop(logits);

  let dy = store.hold(top.grad);
  const gradients: tf.Tensor[][] = [];
  // Its statistics are those of forward again, from the same input.
  const again = { size, boundary, normalise: byBatch(() => undefined) };
  for (let i = model.segments.length - 1; i >= 0; i--) {
    const segment = model.segments[i] as Segment;
    const x = inputs[i] as tf.Tensor;
    const [dx, parts] = isShared(segment)
      ? yield* sharedBackward(own(i), x, dy, noted.get(segment) as Noted, again, store)
      : backwardOf(segment, own(i), x, dy, i > 0, again, note);
    gradients.unshift(parts.map(store.hold));
    store.drop(dy);
    if (i > 0) store.drop(x);
    if (dx !== null) dy = store.hold(dx);
  }
  return { loss: top.value, gradients: gradients.flat(), noted: [...noted.values()], heldBytes };
}

/** The statistics of all ranks' batches together; every rank comes to the same bits. */
function* gatherStatistics(
  x: tf.Tensor,
  store: Store,
): Generator<NormRequest, Noted, readonly Float32Array[]> {
  const values = store.hold(
    tf.tidy(() => {
      const { mean, variance } = statisticsOf(x);
      return tf.concat([mean, variance, tf.tensor1d([valuesOf(x)])], 0);
    }),
  );
  const packed = yield { kind: 'gather', values };
  store.drop(values);
  const { mean, variance, count } = combineMoments(packed.map(unpackMoments));
  return {
    mean: store.hold(tf.tensor1d(mean)),
    variance: store.hold(tf.tensor1d(variance)),
    count,
  };
}

/** Gradients of a synchronised norm's input, which depend on all ranks', and of its parameters. */
function* sharedBackward(
  [weight, bias]: readonly tf.Tensor[],
  x: tf.Tensor,
  dy: tf.Tensor,
  statistics: Noted,
  { boundary }: Setting,
  store: Store,
): Generator<NormRequest, [tf.Tensor, tf.Tensor[]], readonly Float32Array[]> {
  if (weight === undefined || bias === undefined) throw new Error('a norm has weight and bias');
  const local = tf.tidy(() => {
    const z = normalise(x, statistics, weight, bias);
    const dz = tf.grad((z: tf.Tensor) => boundary.result(tf.relu(z)))(z, dy);
    const sums = channelSums(x, dz, statistics);
    return { dz, ...sums, values: tf.concat([sums.weight, sums.bias], 0) };
  });
  store.hold(local.dz);
  store.hold(local.values);
  const parts = [store.hold(local.weight), store.hold(local.bias)];
  const [total = new Float32Array()] = yield { kind: 'sum', values: local.values };
  const channels = total.length / 2;
  const dx = tf.tidy(() => {
    const sums = {
      weight: tf.tensor1d(total.slice(0, channels)),
      bias: tf.tensor1d(total.slice(channels)),
    };
    return inputGradient(x, local.dz, statistics, weight, sums, statistics.count);
  });
  store.drop(local.dz, local.values);
  return [dx, parts];
}

/** Gradients of a segment's input, where wanted, and of its parameters. */
function backwardOf(
  segment: Segment,
  parameters: readonly tf.Tensor[],
  x: tf.Tensor,
  dy: tf.Tensor,
  wantsInput: boolean,
  setting: Setting,
  note: () => void,
): [tf.Tensor | null, tf.Tensor[]] {
  const forward = (input: tf.Tensor, rest: readonly tf.Tensor[]): tf.Tensor => {
    const y = applySegment(segment, rest, input, setting);
    note();
    return y;
  };
  if (!wantsInput) {
    const apply: Apply = (...rest) => forward(x, rest);
    return [null, tf.tidy(() => tf.grads(apply)([...parameters], dy))];
  }
  const apply: Apply = (input, ...rest) => forward(input as tf.Tensor, rest);
  const [dx, ...parts] = tf.tidy(() => tf.grads(apply)([x, ...parameters], dy));
  return [dx as tf.Tensor, parts];
}
