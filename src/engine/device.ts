/** @file A TensorFlow.js backend in hand, whichever it is. */
import type * as tf from '@tensorflow/tfjs-core';
import type { BackendName } from './engine.ts';

export type TfjsBackendName = Exclude<BackendName, 'fused'>;

export interface TfjsDevice {
  readonly backend: TfjsBackendName;
  /** As the backend names it. */
  readonly name: string;
  /** Whether results can be read without waiting. */
  readonly isSynchronous: boolean;
  /** Why the device is gone, once it is. */
  readonly lostReason: () => string | null;
  /** Settles when the device is lost, with the reason; never on a device that cannot be lost. */
  readonly lost: Promise<string>;
  /** Loses the device really, as a driver reset would. For tests. */
  readonly lose: () => void;
  /** Values of a tensor, valid until the tensor is disposed of. Synchronous backends only. */
  readonly view: (tensor: tf.Tensor) => Float32Array;
  /** Gives the backend back; once for every time it was acquired. */
  readonly release: () => void;
}

export interface EngineOptions {
  /** Absolute URL (or path, in Node) of tfjs-backend-wasm-simd.wasm; only wasm needs it. */
  readonly wasmUrl?: string;
  /** Recompute activations in backward instead of keeping them; the fused engine keeps next to none. */
  readonly checkpointing?: boolean;
}
