/** @file Which backends can train a model here, found out without starting them. */
import type { Model } from '#core/model';
import type { BackendName } from './engine.ts';
import { BackendUnavailableError } from './engine.ts';
import { FUSED_DEVICE, requireDenseModel } from './fused.ts';
import { isSoftwareRenderer, newCanvas, openContext, rendererName } from './webgl.ts';
import { adapterName, findAdapter, isSoftwareAdapter } from './webgpu.ts';

export interface Availability {
  readonly backend: BackendName;
  readonly usable: boolean;
  /** The device as the backend names it; empty where there is none. */
  readonly device: string;
  /** A GPU interface that computes on the CPU: slower than wasm. */
  readonly software: boolean;
  /** Why it is not usable, in plain words; empty where it is. */
  readonly reason: string;
}

/** Whether `backend` can train `model` in this worker. Never throws. */
export async function probeBackend(backend: BackendName, model: Model): Promise<Availability> {
  try {
    return { backend, usable: true, reason: '', ...(await findDevice(backend, model)) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { backend, usable: false, device: '', software: false, reason };
  }
}

type Found = Pick<Availability, 'device' | 'software'>;

async function findDevice(backend: BackendName, model: Model): Promise<Found> {
  switch (backend) {
    case 'fused':
      requireDenseModel(model);
      return { device: FUSED_DEVICE, software: false };
    case 'cpu':
      return { device: 'plain JavaScript', software: false };
    case 'wasm':
      if (hasWasmSimd()) return { device: 'WebAssembly SIMD, one thread', software: false };
      throw new BackendUnavailableError('wasm: this browser has no WebAssembly SIMD');
    case 'webgl':
      return findRenderer();
    case 'webgpu': {
      const adapter = await findAdapter();
      return { device: adapterName(adapter), software: isSoftwareAdapter(adapter) };
    }
  }
}

function findRenderer(): Found {
  const gl = openContext(newCanvas());
  const device = rendererName(gl);
  // Browsers keep few contexts alive; do not leave one to the garbage collector.
  gl.getExtension('WEBGL_lose_context')?.loseContext();
  return { device, software: isSoftwareRenderer(device) };
}

/** The smallest module with a SIMD instruction: () => i8x16.splat(0), its sum taken by popcnt. */
const SIMD_MODULE = Uint8Array.of(
  ...[0, 97, 115, 109, 1, 0, 0, 0],
  ...[1, 5, 1, 96, 0, 1, 123],
  ...[3, 2, 1, 0],
  ...[10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11],
);

/** Whether WebAssembly with SIMD is there (and not forbidden by the page's policy). */
export function hasWasmSimd(): boolean {
  return typeof WebAssembly !== 'undefined' && WebAssembly.validate(SIMD_MODULE);
}
