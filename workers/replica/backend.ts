/** @file The engine of one replica: timed, chosen, and replaced when its device is lost. */
import { initialBuffers } from '#core/initial-weights';
import type { Plan } from '#core/plan';
import { probeBackend } from '#engine/availability';
import { createEngine } from '#engine/create';
import {
  BACKENDS,
  type BackendName,
  type Batch,
  DeviceLostError,
  type Engine,
  type GradientResult,
  type NormExchange,
  type Precision,
} from '#engine/engine';
import { WASM_URL } from '#engine/wasm-url';
import type { BackendTiming, ReplicaEvent } from '#protocol/replica';
import type { RepeatableExchange } from './normalisation.ts';

/** Wall ms spent on timing one backend, beyond its first step. */
const TIMING_MS = 250;
const TIMING_STEPS = 5;

export interface ReplicaBackend {
  time(backend: string): Promise<BackendTiming>;
  use(backend: string): Promise<string>;
  engine(): Engine;
  gradient(
    weights: Float32Array,
    buffers: Float32Array,
    batch: Batch,
    gradient: Float32Array,
    precision: Precision,
    exchange?: RepeatableExchange,
  ): GradientResult | Promise<GradientResult>;
  /** Runs `work` with the engine, and once more with a new one if the device is lost. */
  withEngine<T>(work: (engine: Engine) => T | Promise<T>): Promise<T>;
}

export interface BackendOptions {
  readonly plan: Plan;
  /** A batch of the run's size, for timing. */
  readonly sampleBatch: () => Batch;
  readonly sampleWeights: () => Float32Array;
  readonly now: () => number;
  readonly report: (event: Omit<Extract<ReplicaEvent, { type: 'fallback' }>, 'step'>) => void;
}

export function createBackend(options: BackendOptions): ReplicaBackend {
  const { plan, now } = options;
  let current: Engine | null = null;

  const engine = (): Engine => {
    if (current === null) throw new Error('no backend has been chosen yet');
    return current;
  };
  const make = (backend: BackendName): Promise<Engine> =>
    createEngine(backend, plan.model, {
      wasmUrl: WASM_URL,
      checkpointing: plan.checkpointing,
    });

  const use = async (backend: string): Promise<string> => {
    current?.dispose();
    current = null;
    current = await make(requireBackend(backend));
    return current.device;
  };

  /** The same backend anew, else the next that works. */
  const replace = async (lost: Engine, reason: string): Promise<void> => {
    const place = BACKENDS.indexOf(lost.backend);
    lost.dispose();
    for (const backend of BACKENDS.slice(place)) {
      if (backend === 'fused') continue;
      try {
        current = await make(backend);
        options.report({ type: 'fallback', from: lost.backend, to: backend, reason });
        return;
      } catch (error) {
        reason = `${reason}; ${backend}: ${messageOf(error)}`;
      }
    }
    throw new Error(`no backend is left: ${reason}`);
  };

  const withEngine = async <T>(work: (engine: Engine) => T | Promise<T>): Promise<T> => {
    for (let attempt = 0; ; attempt++) {
      const used = engine();
      try {
        return await work(used);
      } catch (error) {
        if (!(error instanceof DeviceLostError) || attempt >= BACKENDS.length) throw error;
        if (current === used) await replace(used, error.message);
      }
    }
  };

  return {
    engine,
    use,
    withEngine,
    gradient(weights, buffers, batch, gradient, precision, exchange) {
      const used = engine();
      if (isSynchronous(used)) {
        return used.gradient(weights, buffers, batch, gradient, precision, exchange);
      }
      return withEngine((present) => {
        exchange?.rewind();
        return present.gradient(weights, buffers, batch, gradient, precision, exchange);
      });
    },
    async time(backend) {
      const name = requireBackend(backend);
      const { device, usable, software, reason } = await probeBackend(name, plan.model);
      const untimed = { backend, device, stepMs: null, reason };
      if (!usable) return { ...untimed, verdict: name === 'fused' ? 'otherModel' : 'unusable' };
      if (software) return { ...untimed, verdict: 'emulated' };
      try {
        await use(name);
        const stepMs = await timeSteps(engine(), options, now);
        return { backend, device, stepMs, verdict: 'timed', reason: '' };
      } catch (error) {
        return { ...untimed, verdict: 'unusable', reason: messageOf(error) };
      }
    },
  };
}

/** Stands for the exchange of synchronised norms, so that a step is timed as it is computed. */
const ALONE: NormExchange = { gather: (values) => [values], sum: (values) => values };

/** The fastest of a few steps after a first one that compiles shaders and warms caches. */
async function timeSteps(
  engine: Engine,
  options: BackendOptions,
  now: () => number,
): Promise<number> {
  const { plan, sampleBatch, sampleWeights } = options;
  const gradient = new Float32Array(plan.model.parameterCount);
  const buffers = initialBuffers(plan.model);
  const precision = { format: plan.precision.format, lossScale: 1 };
  const step = async (): Promise<number> => {
    const startMs = now();
    const exchange = plan.worldSize > 1 ? ALONE : undefined;
    await engine.gradient(sampleWeights(), buffers, sampleBatch(), gradient, precision, exchange);
    return now() - startMs;
  };
  await step();
  let best = Number.POSITIVE_INFINITY;
  const endMs = now() + TIMING_MS;
  for (let i = 0; i < TIMING_STEPS; i++) {
    best = Math.min(best, await step());
    if (now() >= endMs) break;
  }
  return best;
}

function isSynchronous(engine: Engine): boolean {
  return engine.backend === 'fused' || engine.backend === 'wasm' || engine.backend === 'cpu';
}

function requireBackend(name: string): BackendName {
  const backend = BACKENDS.find((known) => known === name);
  if (backend === undefined) {
    throw new Error(`backend "${name}" is unknown; known are ${BACKENDS.join(', ')}`);
  }
  return backend;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
