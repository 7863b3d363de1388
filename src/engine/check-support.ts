/** @file What the checks of engines share: weights, batches, comparisons. */
import { initialBuffers } from '#core/initial-weights';
import type { Model } from '#core/model';
import { randomStream } from '#core/random';
import type { BackendName, Batch, Engine } from './engine.ts';

export type MakeEngine = (backend: BackendName, model: Model) => Promise<Engine>;

export interface Check {
  readonly name: string;
  readonly run: (make: MakeEngine, backend: BackendName) => Promise<void>;
}

/** Largest difference allowed, relative to the largest element of what is compared. */
export const GRADIENT_TOLERANCE: Readonly<Record<BackendName, number>> = {
  fused: 1e-6,
  cpu: 1e-5,
  wasm: 1e-5,
  webgl: 1e-4,
  webgpu: 1e-4,
};
/** Weights within `scale` of zero, away from relu's kink; the same everywhere. */
export function someWeights(model: Model, scale: number): Float32Array {
  const random = randomStream(7, 1);
  return Float32Array.from({ length: model.parameterCount }, () => {
    return scale * (2 * random.uniform() - 1);
  });
}

/** Running means around 0 and variances around 1. */
export function someBuffers(model: Model): Float32Array {
  const random = randomStream(10, 4);
  return Float32Array.from(initialBuffers(model), (value) => value + 0.5 * random.uniform());
}

export function someBatch(model: Model, size: number): Batch {
  const random = randomStream(8, 2);
  const { task } = model;
  const inputs = model.segments[0]?.inputShape.reduce((a, b) => a * b, 1) ?? 0;
  const length = size * inputs;
  if (task.kind === 'text') {
    const tokens = (): Int32Array => {
      return Int32Array.from({ length }, () => random.below(task.vocabulary));
    };
    return { size, x: tokens(), y: tokens() };
  }
  return {
    size,
    x: Float32Array.from({ length }, () => random.uniform() * 2 - 1),
    y: Int32Array.from({ length: size }, () => random.below(task.classes)),
  };
}

export function largest(values: ArrayLike<number>): number {
  return Array.from(values).reduce((most, value) => Math.max(most, Math.abs(value)), 0);
}

export function requireClose(
  what: string,
  found: ArrayLike<number>,
  expected: ArrayLike<number>,
  tolerance: number,
  scale = Math.max(largest(expected), 1e-3),
): void {
  if (found.length !== expected.length) {
    throw new Error(`${what}: ${found.length} values, expected ${expected.length}`);
  }
  for (let i = 0; i < found.length; i++) {
    const off = Math.abs((found[i] ?? Number.NaN) - (expected[i] ?? Number.NaN));
    if (off <= tolerance * scale) continue;
    throw new Error(
      `${what}: element ${i} is ${found[i]}, expected ${expected[i]} (tolerance ${tolerance} of ${scale})`,
    );
  }
}

export function requireSame(what: string, a: Float32Array, b: Float32Array): void {
  const bitsA = new Uint32Array(a.slice().buffer);
  const bitsB = new Uint32Array(b.slice().buffer);
  const different = bitsA.findIndex((bits, i) => bits !== bitsB[i]);
  if (different >= 0)
    throw new Error(`${what}: ${a[different]} and ${b[different]} at ${different}`);
}

export async function withEngine<T>(
  make: MakeEngine,
  backend: BackendName,
  model: Model,
  use: (engine: Engine) => Promise<T>,
): Promise<T> {
  const engine = await make(backend, model);
  try {
    return await use(engine);
  } finally {
    engine.dispose();
  }
}

export async function gradientOf(engine: Engine, weights: Float32Array, batch: Batch) {
  const gradient = new Float32Array(weights.length).fill(Number.NaN);
  const { loss, buffers } = await engine.gradient(
    weights,
    someBuffers(engine.model),
    batch,
    gradient,
  );
  return { loss, buffers, gradient };
}
