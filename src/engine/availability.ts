/** @file Which backends can train a model here, found out without starting them. */
import type { Model } from '#core/model';
import type { BackendName } from './engine.ts';
import { FUSED_DEVICE, requireDenseModel } from './fused.ts';
import { requireWasmSimd, WASM_DEVICE } from './wasm.ts';
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
      requireWasmSimd();
      return { device: WASM_DEVICE, software: false };
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
