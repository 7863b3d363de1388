/** @file Opens the wasm backend: SIMD, one thread. */
import * as tf from '@tensorflow/tfjs-core';
import { roundFloats } from '#core/float-formats';
import type { OpenedBackend } from './backends.ts';
import type { EngineOptions } from './device.ts';
import { BackendUnavailableError } from './engine.ts';
import { registerWasmKernels } from './kernels.ts';
import { registerRounding } from './round-kernels.ts';

export const WASM_DEVICE = 'WebAssembly SIMD, one thread';

/** The smallest module with a SIMD instruction: it splats an i32 and counts bits. */
const SIMD_MODULE = Uint8Array.of(
  ...[0, 97, 115, 109, 1, 0, 0, 0],
  ...[1, 5, 1, 96, 0, 1, 123],
  ...[3, 2, 1, 0],
  ...[10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11],
);

/** Throws BackendUnavailableError unless WebAssembly with SIMD is there. */
export function requireWasmSimd(): void {
  if (typeof WebAssembly === 'undefined') {
    throw new BackendUnavailableError(
      'wasm: this browser has no WebAssembly, or it is switched off',
    );
  }
  if (!WebAssembly.validate(SIMD_MODULE)) {
    throw new BackendUnavailableError('wasm: this browser has no WebAssembly SIMD');
  }
}

export async function openWasm({ wasmUrl }: EngineOptions): Promise<OpenedBackend> {
  requireWasmSimd();
  const { setWasmPaths } = await import('@tensorflow/tfjs-backend-wasm');
  const { init, BackendWasm } = await import('@tensorflow/tfjs-backend-wasm/dist/backend_wasm');
  // One thread everywhere, so that isolated and other pages run the same binary.
  tf.env().set('WASM_HAS_MULTITHREAD_SUPPORT', false);
  if (wasmUrl !== undefined) {
    setWasmPaths({
      'tfjs-backend-wasm.wasm': wasmUrl,
      'tfjs-backend-wasm-simd.wasm': wasmUrl,
      'tfjs-backend-wasm-threaded-simd.wasm': wasmUrl,
    });
  }
  registerWasmKernels();
  registerRounding<InstanceType<typeof BackendWasm>>('wasm', (backend, x, format) => {
    const output = backend.makeOutput(x.shape, 'float32');
    // Views last: making the output may move the module's memory.
    const values = backend.typedArrayFromHeap(output) as Float32Array;
    values.set(backend.typedArrayFromHeap(x));
    roundFloats(format, values);
    return output;
  });
  // The library rejects with a bare { message }, which speaks of bundlers.
  const { wasm } = await init().catch(() => {
    throw new BackendUnavailableError(`wasm: ${wasmUrl} could not be loaded; reload the page`);
  });
  const instance = new BackendWasm(wasm);
  // A view into the module's memory, so that a gradient is copied once only.
  const view = (tensor: tf.Tensor): Float32Array => {
    return instance.typedArrayFromHeap(tensor) as Float32Array;
  };
  return { instance, name: WASM_DEVICE, view };
}
