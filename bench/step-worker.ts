/** @file One contestant of the step benchmark: the real replica, or a bare loop. */
import { expose } from 'comlink';
import { createBatcher } from '#data/batches';
import type { TelemetryBatch } from '#protocol/replica';
import { createArena } from '#transport/arena';
import { createReplica } from '../workers/replica/service.ts';
import { bareLoop, type Operations } from './bare-loop.ts';
import { type Network, stepData, stepPlan } from './step-job.ts';

/** Trains so many steps; resolves with the milliseconds they took. */
type Block = (steps: number) => Promise<number>;

let block: Block | null = null;

/** All that a replica does: batch, gradient, update, hash, telemetry, looks at its messages. */
async function replicaBlock(network: Network): Promise<Block> {
  const plan = stepPlan(network);
  const replica = createReplica();
  const { port1, port2 } = new MessageChannel();
  const arena = createArena(1, plan.model.parameterCount);
  await replica.prepare({
    rank: 0,
    generation: 0,
    plan,
    link: { transport: 'shared', arena },
    data: stepData(),
    initialState: null,
    telemetry: port2,
  });
  // biome-ignore lint/correctness/useHookAtTopLevel: a service's call, which only sounds like a hook.
  await replica.useBackend('wasm');
  let completed = 0;
  return (steps) =>
    new Promise((resolve, reject) => {
      const target = completed + steps;
      port1.onmessage = ({ data }: MessageEvent<TelemetryBatch>) => {
        const failed = data.reports.find((report) => report.type === 'failed');
        if (failed !== undefined) reject(new Error(failed.reason));
        completed = data.completed;
        if (completed >= target) resolve(performance.now() - began);
      };
      const began = performance.now();
      void replica.grant(target);
    });
}

/** Batches are made in advance: bytes to floats is a replica's work, not the loop's. */
async function bareBlock(network: Network, operations: Operations): Promise<Block> {
  const plan = stepPlan(network);
  const batcher = createBatcher({ data: stepData(), plan, rank: 0 });
  const batches = Array.from({ length: plan.stepsPerEpoch }, (_, step) => {
    const { size, x, y } = batcher.batchAt(step);
    return { size, x: x.slice(), y: y.slice() };
  });
  const step = await bareLoop(plan.model, operations);
  let completed = 0;
  return async (steps) => {
    const began = performance.now();
    for (let i = 0; i < steps; i++) {
      const batch = batches[completed++ % batches.length];
      if (batch !== undefined) step(batch);
    }
    return performance.now() - began;
  };
}

const contestant = {
  async beReplica(network: Network): Promise<void> {
    block = await replicaBlock(network);
  },
  async beLoop(network: Network, operations: Operations): Promise<void> {
    block = await bareBlock(network, operations);
  },
  run(steps: number): Promise<number> {
    if (block === null) throw new Error('be something first');
    return block(steps);
  },
};

export type Contestant = typeof contestant;
expose(contestant);
