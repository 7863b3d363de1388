/** @file The run of the 2-D benchmark: MLP 2-8-8-2, batch 10, one replica, the fused engine. */
import type { Experiment } from '#experiment/experiment';
import { requireExperiment } from '#experiment/parse';

export const BATCH = 10;

/** `steps` steps with a hash each and a log record every hundredth; evaluated at the end only. */
export function pointsExperiment(steps: number): Experiment {
  return requireExperiment({
    data: { name: 'circles' },
    model: { kind: 'mlp', hidden: [8, 8] },
    replicas: 1,
    batchPerRank: BATCH,
    backend: 'fused',
    duration: { unit: 'steps', count: steps },
    evalEvery: 1_000_000,
    logEvery: 100,
  });
}
