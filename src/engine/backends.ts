/**
 * @file Takes and gives back the backends of TensorFlow.js. Each is loaded when first asked for, and
 * made anew for every device: the library would keep a dead one.
 */
import * as tf from '@tensorflow/tfjs-core';
import type { EngineOptions, TfjsBackendName, TfjsDevice } from './device.ts';
import { registerRounding, rounded } from './round-kernels.ts';
import { openWasm } from './wasm.ts';
import { openWebgl } from './webgl.ts';
import { openWebgpu } from './webgpu.ts';

/** What a backend module brings: an instance for the library's registry, and how to watch it. */
export interface OpenedBackend {
  readonly instance: tf.KernelBackend;
  readonly name: string;
  readonly view?: (tensor: tf.Tensor) => Float32Array;
  /** Settles when the device is lost. */
  readonly lost?: Promise<string>;
  readonly lose?: () => void;
}

interface Holder {
  readonly device: TfjsDevice;
  users: number;
}

/** One live device a backend; engines of one backend share it. */
const holders = new Map<TfjsBackendName, Holder>();
/** Backends that are being opened, for those who ask meanwhile. */
const opening = new Map<TfjsBackendName, Promise<TfjsDevice>>();

/** Opens `backend`, or shares it. Throws BackendUnavailableError with the reason. */
export async function acquireDevice(
  backend: TfjsBackendName,
  options: EngineOptions,
): Promise<TfjsDevice> {
  const held = holders.get(backend);
  if (held !== undefined && held.device.lostReason() === null) {
    held.users++;
    return held.device;
  }
  const pending = opening.get(backend);
  if (pending !== undefined) {
    await pending;
    return acquireDevice(backend, options);
  }
  const device = openDevice(backend, options);
  opening.set(backend, device);
  return device.finally(() => opening.delete(backend));
}

/** The device's first user is whoever opened it. */
async function openDevice(backend: TfjsBackendName, options: EngineOptions): Promise<TfjsDevice> {
  const opened = await open(backend, options);
  install(backend, opened.instance);
  const device = watch(backend, opened);
  holders.set(backend, { device, users: 1 });
  return device;
}

/** Makes `backend` the one the library's operations run on. It must be installed. */
export function selectBackend(backend: TfjsBackendName): void {
  // setBackend resolves at once for an installed backend; what it sets is set on return.
  if (tf.getBackend() !== backend) void tf.setBackend(backend);
}

function open(backend: TfjsBackendName, options: EngineOptions): Promise<OpenedBackend> {
  switch (backend) {
    case 'cpu':
      return openCpu();
    case 'wasm':
      return openWasm(options);
    case 'webgl':
      return openWebgl();
    case 'webgpu':
      return openWebgpu();
  }
}

async function openCpu(): Promise<OpenedBackend> {
  const { MathBackendCPU } = await import('@tensorflow/tfjs-backend-cpu');
  registerRounding<InstanceType<typeof MathBackendCPU>>('cpu', (backend, x, format) => {
    const values = backend.data.get(x.dataId).values as Float32Array;
    return backend.makeTensorInfo(x.shape, 'float32', rounded(values, format));
  });
  const view = (tensor: tf.Tensor): Float32Array => tensor.dataSync<'float32'>();
  return { instance: new MathBackendCPU(), name: 'plain JavaScript', view };
}

/** Puts `instance` into the library's registry in place of any other of that name. */
function install(backend: TfjsBackendName, instance: tf.KernelBackend): void {
  remove(backend);
  tf.registerBackend(backend, () => instance);
  selectBackend(backend);
}

function remove(backend: TfjsBackendName): void {
  if (tf.findBackendFactory(backend) === null) return;
  try {
    tf.removeBackend(backend);
  } catch {
    // A lost device may fail to free what went with it; drop it from the registry all the same.
    tf.removeBackend(backend);
  }
}

function watch(backend: TfjsBackendName, opened: OpenedBackend): TfjsDevice {
  let reason: string | null = null;
  const lost = (opened.lost ?? new Promise<string>(() => {})).then((why) => {
    reason = why;
    return why;
  });
  const release = (): void => {
    const holder = holders.get(backend);
    if (holder?.device !== device) return;
    holder.users--;
    if (holder.users > 0) return;
    holders.delete(backend);
    remove(backend);
  };
  const device: TfjsDevice = {
    backend,
    name: opened.name,
    isSynchronous: opened.view !== undefined,
    lostReason: () => reason,
    lost,
    lose: opened.lose ?? (() => {}),
    view: opened.view ?? ((tensor) => tensor.dataSync<'float32'>()),
    release,
  };
  return device;
}
