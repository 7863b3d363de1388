/** @file Opens WebGPU with a device of our own, so that its loss can be seen. */
import type { WebGPUProgram } from '@tensorflow/tfjs-backend-webgpu';
import type { FloatFormat } from '#core/float-formats';
import type { OpenedBackend } from './backends.ts';
import { BackendUnavailableError } from './engine.ts';
import { registerRounding, roundingSource, type ShaderDialect } from './round-kernels.ts';

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
  const { WebGPUBackend, webgpu_util } = await import('@tensorflow/tfjs-backend-webgpu');
  registerRounding<InstanceType<typeof WebGPUBackend>>('webgpu', (backend, x, format) => {
    return backend.runWebGPUProgram(roundingProgram(webgpu_util, x.shape, format), [x], 'float32');
  });
  const device = await requestDevice(adapter);
  const lost = device.lost.then(({ message, reason }) => message || reason || 'no reason given');
  return {
    instance: new WebGPUBackend(device, adapter.info as GPUAdapterInfo),
    name: adapterName(adapter),
    lost,
    lose: () => device.destroy(),
  };
}

const WGSL: ShaderDialect = {
  uint: 'u32',
  int: 'i32',
  declare: (type, name, value) => `var ${name}: ${type} = ${value};`,
};

type Layout = typeof import('@tensorflow/tfjs-backend-webgpu').webgpu_util;

function roundingProgram(util: Layout, shape: number[], format: FloatFormat): WebGPUProgram {
  const workgroupSize: [number, number, number] = [128, 1, 1];
  const dispatchLayout = util.flatDispatchLayout(shape);
  return {
    variableNames: ['A'],
    size: true,
    workgroupSize,
    outputShape: shape,
    dispatchLayout,
    dispatch: util.computeDispatch(dispatchLayout, shape, workgroupSize),
    shaderKey: `round_${format.name}`,
    getUserCode: () => `
      fn main(index: i32) {
        if (index < uniforms.size) {
          var w: u32 = bitcast<u32>(getAByOutputIndex(index));
          ${roundingSource(format, WGSL)}
          setOutputAtIndex(index, bitcast<f32>(r));
        }
      }`,
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
