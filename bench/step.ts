/** @file A step of the replica at N = 1 on wasm against loops in TensorFlow.js alone. */
import { wrap } from 'comlink';
import type { Measurement } from './measurement.ts';
import { bestOf, median } from './statistics.ts';
import type { Network } from './step-job.ts';
import type { Contestant } from './step-worker.ts';

/** Blocks of steps take turns, so that a busy moment of the machine hits all alike. */
const PASSES = 40;
const WARM_UP_STEPS = 30;
const STEPS: Readonly<Record<Network, number>> = { mlp: 20, cnn: 4 };
const NAMES: Readonly<Record<Network, string>> = { mlp: 'MLP 784-128-10', cnn: 'CNN' };
const GOAL = 1.1;

const CONTESTANTS = ['replica', 'library', 'engine'] as const;
type Times = Record<(typeof CONTESTANTS)[number], number[]>;

async function measure(): Promise<Measurement[]> {
  const lines: Measurement[] = [];
  for (const network of ['mlp', 'cnn'] as const) {
    lines.push(...report(network, await timeSteps(network)));
  }
  return lines;
}

/** Milliseconds a step, one entry a block. */
async function timeSteps(network: Network): Promise<Times> {
  const times: Times = { replica: [], library: [], engine: [] };
  const workers = CONTESTANTS.map((who) => {
    const worker = new Worker(new URL('./step-worker.ts', import.meta.url), { type: 'module' });
    return { who, worker, remote: wrap<Contestant>(worker) };
  });
  for (const { who, remote } of workers) {
    await (who === 'replica' ? remote.beReplica(network) : remote.beLoop(network, who));
    await remote.run(WARM_UP_STEPS);
  }
  const steps = STEPS[network];
  for (let pass = 0; pass < PASSES; pass++) {
    for (const { who, remote } of workers) times[who].push((await remote.run(steps)) / steps);
  }
  for (const { worker } of workers) worker.terminate();
  return times;
}

function report(network: Network, times: Times): Measurement[] {
  const replica = bestOf(times.replica);
  const line = (loop: 'library' | 'engine', name: string, atMost: number | null): Measurement => ({
    name: `step of ${NAMES[network]}, batch 32, wasm, N = 1, against ${name}`,
    unit: 'of a step',
    value: replica / bestOf(times[loop]),
    goal: atMost === null ? null : { atMost },
    detail:
      `fastest blocks ${replica.toFixed(2)} ms and ${bestOf(times[loop]).toFixed(2)} ms a step; ` +
      `medians ${median(times.replica).toFixed(2)} and ${median(times[loop]).toFixed(2)}`,
  });
  return [
    line('library', 'the bare loop', GOAL),
    line('engine', "a bare loop with our engine's operations and gradients", null),
  ];
}

window.measure = measure;
