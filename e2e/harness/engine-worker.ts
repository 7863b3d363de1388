/** @file Runs the engine's checks in a dedicated worker, as a replica would. */
import type { Model } from '#core/model';
import { buildModel } from '#core/models';
import { probeBackend } from '#engine/availability';
import type { Check } from '#engine/check-support';
import { createEngine, loseDevice } from '#engine/create';
import type { BackendName, Engine } from '#engine/engine';
import { BACKENDS } from '#engine/engine';
import { precisionChecks } from '#engine/rounding-checks';
import { checksFor } from '#engine/suite';
import { WASM_URL } from '#engine/wasm-url';
import type { EngineJob, Outcome } from './engine-job.ts';

const model = buildModel(
  { kind: 'mlp', hidden: [5], activation: 'tanh' },
  { kind: 'points', features: 2, classes: 2 },
);
const make = (backend: BackendName, of: Model): Promise<Engine> => {
  return createEngine(backend, of, { wasmUrl: WASM_URL });
};

/** Loss and gradient of a fixed batch, as text. */
async function step(engine: Engine): Promise<string> {
  const weights = Float32Array.from({ length: model.parameterCount }, (_, i) => Math.sin(i));
  const batch = { size: 2, x: Float32Array.of(0.1, -0.2, 0.3, 0.4), y: Int32Array.of(0, 1) };
  const gradient = new Float32Array(weights.length);
  const { loss } = await engine.gradient(weights, new Float32Array(), batch, gradient);
  return [loss, ...gradient].map((value) => value.toFixed(4)).join(' ');
}

/** The name of the error that `call` ends in, or what it gave instead. */
function errorOf(call: () => Promise<unknown>): Promise<string> {
  return call().then(
    (value) => `no error but ${String(value)}`,
    (error: unknown) => (error instanceof Error ? error.name : String(error)),
  );
}

function expectEqual(name: string, found: string, expected: string): Outcome {
  return { name, error: found === expected ? '' : `found ${found}, expected ${expected}` };
}

async function runAll(backend: BackendName, checks: readonly Check[]): Promise<Outcome[]> {
  // Keeps the device open from check to check: a new one would compile every shader again.
  const keeper = await make(backend, model);
  const outcomes: Outcome[] = [];
  for (const check of checks) {
    const error = await check.run(make, backend).then(() => '', String);
    outcomes.push({ name: check.name, error });
  }
  keeper.dispose();
  return outcomes;
}

/** Pending and later calls fail by name when the device goes; a new engine computes the same. */
async function loss(backend: BackendName): Promise<Outcome[]> {
  const engine = await make(backend, model);
  const before = await step(engine);
  const pending = errorOf(() => step(engine));
  loseDevice(engine);
  const outcomes = [
    expectEqual('pending call', await pending, 'DeviceLostError'),
    expectEqual('next call', await errorOf(() => step(engine)), 'DeviceLostError'),
  ];
  engine.dispose();
  const again = await make(backend, model);
  outcomes.push(expectEqual('new engine', await step(again), before));
  again.dispose();
  return outcomes;
}

async function probe(backend: BackendName): Promise<Outcome[]> {
  const found = await probeBackend(backend, model);
  return [{ name: JSON.stringify(found), error: found.usable ? '' : found.reason }];
}

/** Engines in turn in one worker, as the automatic choice makes them, and the first once more. */
async function oneAfterAnother(first: BackendName): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  let expected = '';
  for (const backend of [first, ...BACKENDS, first]) {
    const engine = await make(backend, model);
    const found = await step(engine);
    engine.dispose();
    if (expected === '') expected = found;
    outcomes.push(expectEqual(backend, found, expected));
  }
  return outcomes;
}

function run({ kind, backend }: EngineJob): Promise<Outcome[]> {
  switch (kind) {
    case 'suite':
      return runAll(backend, checksFor(backend));
    case 'precision':
      return runAll(backend, precisionChecks(backend));
    case 'loss':
      return loss(backend);
    case 'probe':
      return probe(backend);
    case 'one after another':
      return oneAfterAnother(backend);
  }
}

self.onmessage = ({ data }: MessageEvent<EngineJob>) => {
  run(data).then(
    (outcomes) => self.postMessage(outcomes),
    (error: unknown) => {
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      self.postMessage([{ name: 'job', error: text }]);
    },
  );
};
