/** @file Opens WebGPU with a device of our own, so that its loss can be seen. */
import type { OpenedBackend } from './backends.ts';
import { BackendUnavailableError } from './engine.ts';

const LIMITS = [
  'maxComputeWorkgroupStorageSize',
  'maxComputeWorkgroupsPerDimension',
  'maxStorageBufferBindingSize',
  'maxBufferSize',
  'maxComputeWorkgroupSizeX',
  'maxComputeInvocationsPerWorkgroup',
] as const;

/** The adapter, or BackendUnavailableError with the reason. */
export async function findAdapter(): Promise<GPUAdapter> {
  // Typed as always there, which is not so in every browser, nor in Node.
  const gpu: GPU | undefined = globalThis.navigator?.gpu;
  if (gpu === undefined) {
    throw new BackendUnavailableError('webgpu: this browser has no WebGPU');
  }
  const adapter = await gpu.requestAdapter({ powerPreference: 'high-performance' });
  if (adapter === null) {
    throw new BackendUnavailableError('webgpu: the browser has WebGPU but found no GPU for it');
  }
  return adapter;
}

export function adapterName({ info }: GPUAdapter): string {
  const words = [info.description || info.device, info.architecture, info.vendor];
  return words.find((word) => word !== '') ?? 'unnamed GPU';
}

/** Whether the adapter computes on the CPU. */
export function isSoftwareAdapter({ info }: GPUAdapter): boolean {
  return info.isFallbackAdapter || info.architecture === 'swiftshader';
}

export async function openWebgpu(): Promise<OpenedBackend> {
  const adapter = await findAdapter();
  const { WebGPUBackend } = await import('@tensorflow/tfjs-backend-webgpu');
  const device = await requestDevice(adapter);
  const lost = device.lost.then(({ message, reason }) => message || reason || 'no reason given');
  return {
    instance: new WebGPUBackend(device, adapter.info as GPUAdapterInfo),
    name: adapterName(adapter),
    lost,
    lose: () => device.destroy(),
  };
}

async function requestDevice(adapter: GPUAdapter): Promise<GPUDevice> {
  const requiredLimits = Object.fromEntries(LIMITS.map((name) => [name, adapter.limits[name]]));
  try {
    return await adapter.requestDevice({ requiredLimits });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new BackendUnavailableError(`webgpu: the GPU gave no device (${reason})`);
  }
}
