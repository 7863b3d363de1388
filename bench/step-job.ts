/** @file The one run that replica and bare loop of the step benchmark both train. */
import type { ModelSpec } from '#core/model';
import type { Plan } from '#core/plan';
import { requireExperiment } from '#experiment/parse';
import { resolvePlan, taskShapeOf } from '#experiment/plan';
import type { ReplicaData } from '#protocol/replica';

export type Network = 'mlp' | 'cnn';

/** Noise instead of digits: a step takes the same time whatever it learns. */
const SAMPLES = 4096;
const PIXELS = 28 * 28;
const CLASSES = 10;
/** Steps of a run that never gets there. */
const ENDLESS = 1_000_000;

/** A network at the default sizes, one replica, batch 32, on wasm, a record every step. */
export function stepPlan(kind: Network): Plan {
  const experiment = requireExperiment({
    data: { name: 'mnist' },
    model: { kind } satisfies Partial<ModelSpec>,
    replicas: 1,
    batchPerRank: 32,
    backend: 'wasm',
    duration: { unit: 'steps', count: ENDLESS },
    learningRate: { base: 0.01, decay: 'none' },
    logEvery: 1,
  });
  const task = taskShapeOf(experiment.data, 0);
  return resolvePlan(experiment, { trainCount: SAMPLES, testCount: 0, task });
}

/** Pixels and labels in no order that a network could learn fast, as bytes. */
export function stepData(): ReplicaData {
  const x = Uint8Array.from({ length: SAMPLES * PIXELS }, (_, i) => (i * 2_654_435_761) >>> 24);
  const y = Uint8Array.from({ length: SAMPLES }, (_, i) => (i * 7) % CLASSES);
  const train = { kind: 'labelled', count: SAMPLES, x, y } as const;
  const test = { kind: 'labelled', count: 0, x: new Uint8Array(), y: new Uint8Array() } as const;
  return { train, test, alphabet: null };
}
