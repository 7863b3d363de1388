/** @file Makes engines. */
import type { Model } from '#core/model';
import { acquireDevice } from './backends.ts';
import type { EngineOptions, TfjsDevice } from './device.ts';
import type { BackendName, Engine } from './engine.ts';
import { createFusedEngine } from './fused.ts';
import { createTfjsEngine } from './tfjs-engine.ts';

const devices = new WeakMap<Engine, TfjsDevice>();

/** An engine for `model` on `backend`. Throws BackendUnavailableError where it cannot be had. */
export async function createEngine(
  backend: BackendName,
  model: Model,
  options: EngineOptions = {},
): Promise<Engine> {
  if (backend === 'fused') return createFusedEngine(model);
  const device = await acquireDevice(backend, options);
  const engine = createTfjsEngine(device, model, options.checkpointing ?? false);
  devices.set(engine, device);
  return engine;
}

/** Loses the engine's device really, as a driver reset would; for tests of what follows. */
export function loseDevice(engine: Engine): void {
  devices.get(engine)?.lose();
}
