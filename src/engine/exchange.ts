/** @file Runs a segmented pass: by itself, or with an exchange between the ranks where it asks for one. */
import type * as tf from '@tensorflow/tfjs-core';
import type { NormExchange } from './engine.ts';
import type { PassResult } from './pass.ts';
import type { SegmentedPass } from './segmented-pass.ts';

/** How a pass that was interrupted gets back to its device. */
export interface DeviceHooks {
  /** Before any operation; throws where the device is gone. */
  readonly enter: () => void;
  readonly readAll: (tensors: readonly tf.Tensor[]) => Promise<readonly Float32Array[]>;
}

/** A pass that asks for nothing. */
export function alone(pass: SegmentedPass): PassResult {
  const turn = pass.next();
  if (turn.done) return turn.value;
  throw new Error('the pass asks for an exchange, and there is none');
}

/** A pass with its exchanges. Where one fails the pass gives its tensors up. */
export async function driveExchanges(
  pass: SegmentedPass,
  exchange: NormExchange,
  { enter, readAll }: DeviceHooks,
): Promise<PassResult> {
  let turn = pass.next();
  while (!turn.done) {
    const { kind, values } = turn.value;
    let reply: readonly Float32Array[];
    try {
      const [own = new Float32Array()] = await readAll([values]);
      reply = kind === 'gather' ? await exchange.gather(own) : [await exchange.sum(own)];
      enter();
    } catch (error) {
      // Throws it again once its tensors are gone.
      turn = pass.throw(error);
      continue;
    }
    turn = pass.next(reply);
  }
  return turn.value;
}
