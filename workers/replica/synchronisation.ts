/** @file When the ranks agree, and on what: gradients in every step, or weights now and then. */
import type { OptimizerState } from '#core/optimizers';
import type { Plan, SyncConfig } from '#core/plan';
import {
  averagesAfterStep,
  type DilocoOuter,
  dilocoOuter,
  postLocalAverages,
} from '#core/sync-rules';
import type { Endpoint } from '#transport/endpoint';
import { scheduleOf } from './reduction.ts';

export interface Synchronisation {
  /** Whether this step's gradients are averaged over the ranks. */
  reducesGradients(step: number): boolean;
  /** Whether all ranks should hold the same weights once this step is done. */
  agreesAfter(step: number): boolean;
  /** Called before the first step, with the weights that all ranks begin with. */
  begin(weights: Float32Array): void;
  /** Whether weights are averaged after this step. */
  averagesWeights(step: number): boolean;
  /** Averages the weights over the ranks, in place; resolves with the bytes sent. */
  run(weights: Float32Array): Promise<number>;
}

/** The synchronisation of a plan. With one rank there is nothing to agree on. */
export function createSynchronisation(plan: Plan, endpoint: Endpoint): Synchronisation {
  const { sync, worldSize, totalSteps, mistakes } = plan;
  /** From here on the model is called around its wrapper, if that mistake is made. */
  const bareFrom = mistakes.unsyncedModule ? Math.floor(totalSteps / 2) : totalSteps;
  const schedule = scheduleOf(plan);
  const outer = sync.kind === 'diloco' ? outerStep(dilocoOuter(sync)) : null;
  const reducesGradients = (step: number): boolean =>
    (sync.kind === 'allReduce' && step < bareFrom) ||
    sync.kind === 'backup' ||
    (sync.kind === 'postLocalSgd' && step < sync.warmupSteps);
  const averages = (step: number): boolean =>
    sync.kind !== 'allReduce' &&
    !reducesGradients(step) &&
    (isDue(sync, step) || step === totalSteps - 1);

  return {
    reducesGradients,
    agreesAfter: (step) =>
      worldSize === 1 || sync.kind === 'allReduce' || reducesGradients(step) || averages(step),
    begin: (weights) => outer?.begin(weights),
    averagesWeights: averages,
    async run(weights) {
      const { length } = weights;
      let bytesSent = 0;
      if (worldSize > 1) {
        endpoint.input.set(weights);
        const running = endpoint.run(schedule, { start: 0, end: length });
        bytesSent = (running instanceof Promise ? await running : running).bytesSent;
        for (let i = 0; i < length; i++) weights[i] = (endpoint.output[i] ?? 0) / worldSize;
      }
      outer?.run(weights);
      return bytesSent;
    },
  };
}

function isDue(sync: SyncConfig, step: number): boolean {
  switch (sync.kind) {
    case 'allReduce':
    case 'backup':
    case 'async':
    case 'ssp':
      return false;
    case 'postLocalSgd':
      return postLocalAverages(step, sync.warmupSteps, sync.period);
    case 'localSgd':
    case 'diloco':
      return averagesAfterStep(step, sync.period);
  }
}

/** DiLoCo's outer optimizer with its state, the same on every rank. */
function outerStep({ init, update }: DilocoOuter) {
  let global: Float32Array | null = null;
  let state: OptimizerState = init(0);
  return {
    begin(weights: Float32Array): void {
      global = weights.slice();
      state = init(weights.length);
    },
    /** From the old common weights towards `weights`, the mean, and into them. */
    run(weights: Float32Array): void {
      if (global === null) throw new Error('the first step has not begun');
      update(state, global, weights);
      weights.set(global);
    },
  };
}
