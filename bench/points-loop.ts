/** @file The fused engine's loop alone: gradient and update on batches made in advance. */
import { expose } from 'comlink';
import { initialWeights } from '#core/initial-weights';
import { createOptimizer } from '#core/optimizers';
import { createBatcher } from '#data/batches';
import { pointsDataset } from '#data/points';
import { createFusedEngine } from '#engine/fused';
import { resolvePlan } from '#experiment/plan';
import { pointsExperiment } from './points-job.ts';

/** As many as an epoch of 400 samples has. */
const BATCHES = 40;

const experiment = pointsExperiment(BATCHES);
if (!('noise' in experiment.data)) throw new Error('the experiment is not about points');
const data = pointsDataset(experiment.data, experiment.seed);
const trainCount = experiment.data.samples;
const plan = resolvePlan(experiment, { trainCount, testCount: trainCount, task: data.task });
const batcher = createBatcher({ data, plan, rank: 0 });
const batches = Array.from({ length: BATCHES }, (_, step) => {
  const { size, x, y } = batcher.batchAt(step);
  return { size, x: x.slice(), y: y.slice() };
});
const engine = createFusedEngine(plan.model);
const optimizer = createOptimizer(plan.optimizer);
const state = optimizer.init(plan.model.parameterCount);
const weights = initialWeights(plan.model, plan.seed);
const gradient = new Float32Array(plan.model.parameterCount);
const buffers = new Float32Array(plan.model.bufferCount);

const loop = {
  /** Trains so many steps; returns the milliseconds they took. */
  run(steps: number): number {
    const began = performance.now();
    for (let step = 0; step < steps; step++) {
      const batch = batches[step % BATCHES];
      if (batch === undefined) continue;
      // The fused engine answers at once.
      void engine.gradient(weights, buffers, batch, gradient);
      optimizer.update(state, weights, gradient, plan.learningRate.base);
    }
    return performance.now() - began;
  },
};

export type PointsLoop = typeof loop;
expose(loop);
