/** @file One rank of an asynchronous run in a Node thread: a real replica that dawdles at random. */
import { parentPort } from 'node:worker_threads';
import type { Plan } from '#core/plan';
import { PURPOSE, randomStream } from '#core/random';
import { createBatcher } from '#data/batches';
import type { Dataset } from '#data/dataset';
import { createFusedEngine } from '#engine/fused';
import type { StepReport } from '#protocol/replica';
import { createEndpoint, type EndpointSetup } from '#transport/create';
import { createServerTraining } from '../../workers/replica/server-training.ts';

export interface ServerJob {
  readonly plan: Plan;
  readonly setup: EndpointSetup;
  readonly data: Dataset;
  /** Longest pause in a gradient, wall ms; 0 for none. */
  readonly pauseMs: number;
}

export interface ServerAnswer {
  readonly rank: number;
  readonly reports: readonly StepReport[];
  /** When each gradient began and ended, wall ms since the epoch. */
  readonly computed: readonly (readonly [number, number])[];
  readonly error: string | null;
}

const sleeper = new Int32Array(new SharedArrayBuffer(4));
const nowMs = (): number => performance.timeOrigin + performance.now();

async function work({ plan, setup, data, pauseMs }: ServerJob): Promise<ServerAnswer> {
  const { rank } = setup;
  const engine = createFusedEngine(plan.model);
  const batcher = createBatcher({ data, plan, rank });
  /** Of wall time, and none of the training's own numbers. */
  const pauses = randomStream(plan.seed, PURPOSE.generation, rank);
  const computed: [number, number][] = [];
  const reports: StepReport[] = [];
  const training = createServerTraining({
    plan,
    endpoint: createEndpoint(setup),
    initialState: null,
    batchAt: (step) => batcher.batchAt(step),
    augmentation: () => null,
    gradient(weights, buffers, batch, gradient, precision) {
      const beganMs = nowMs();
      if (pauseMs > 0) Atomics.wait(sleeper, 0, 0, pauses.uniform() * pauseMs);
      const result = engine.gradient(weights, buffers, batch, gradient, precision);
      computed.push([beganMs, nowMs()]);
      return result;
    },
    now: () => performance.now(),
    activity: () => undefined,
  });
  try {
    for (let step = 0; step < plan.totalSteps; step++) {
      const outcome = await training.step(step);
      if (outcome.finite && outcome.report !== null) reports.push(outcome.report);
    }
    return { rank, reports, computed, error: null };
  } catch (error) {
    return { rank, reports, computed, error: String(error) };
  }
}

parentPort?.on('message', (job: ServerJob) => {
  void work(job).then((answer) => parentPort?.postMessage(answer));
});
