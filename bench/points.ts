/** @file Samples a second of a small 2-D MLP: the real conductor and replica, and the loop alone. */
import { wrap } from 'comlink';
import { connectConductor, type RunClient } from '#run/client';
import type { Measurement } from './measurement.ts';
import { BATCH, pointsExperiment } from './points-job.ts';
import type { PointsLoop } from './points-loop.ts';

/** The two take turns. */
const PASSES = 8;
const RUN_STEPS = 60_000;
const LOOP_STEPS = 20_000;
/** The loop's fastest block counts, the run's fastest stretch of at least this many milliseconds. */
const STRETCH_MS = 100;
const BLOCK_STEPS = 10_000;
const RUN_GOAL = 800_000;
const LOOP_GOAL = 1_000_000;

async function measure(): Promise<Measurement[]> {
  const conductor = new Worker(new URL('../workers/conductor.ts', import.meta.url), {
    type: 'module',
  });
  const client = connectConductor(conductor, {
    spawnReplica: () => {
      throw new Error('this browser cannot start workers in workers');
    },
    nestedWorkers: true,
  });
  const worker = new Worker(new URL('./points-loop.ts', import.meta.url), { type: 'module' });
  const loop = wrap<PointsLoop>(worker);
  const runs: RunSpeed[] = [];
  const loops: number[] = [];
  await loop.run(LOOP_STEPS);
  for (let pass = 0; pass < PASSES; pass++) {
    for (let step = 0; step < LOOP_STEPS; step += BLOCK_STEPS) {
      loops.push((BATCH * BLOCK_STEPS * 1000) / (await loop.run(BLOCK_STEPS)));
    }
    runs.push(await timeRun(client));
  }
  conductor.terminate();
  worker.terminate();
  const alone = Math.max(...loops);
  const fastest = Math.max(...runs.map(({ stretch }) => stretch));
  const whole = Math.max(...runs.map(({ whole }) => whole));
  return [
    {
      name: 'MLP 2-8-8-2, batch 10, one replica with log and hash',
      unit: 'samples/s',
      value: fastest,
      goal: { atLeast: RUN_GOAL },
      detail:
        `${((100 * fastest) / alone).toFixed(0)} % of the loop alone; ` +
        `${Math.round(whole).toLocaleString('en-GB')} over a whole run of ${RUN_STEPS} steps`,
    },
    {
      name: 'MLP 2-8-8-2, batch 10, the loop alone',
      unit: 'samples/s',
      value: alone,
      goal: { atLeast: LOOP_GOAL },
      detail: `fastest of ${loops.length} blocks of ${BLOCK_STEPS} steps: gradient and update`,
    },
  ];
}

/** Samples a second. */
interface RunSpeed {
  /** Over the fastest stretch of STRETCH_MS or a little more. */
  readonly stretch: number;
  /** From the first news of training to the last step. */
  readonly whole: number;
}

interface Moment {
  readonly ms: number;
  readonly completed: number;
}

function timeRun(client: RunClient): Promise<RunSpeed> {
  const moments: Moment[] = [];
  return new Promise((resolve, reject) => {
    const unsubscribe = client.subscribe((batch) => {
      if (batch.status === 'failed') reject(new Error(batch.failure?.detail));
      if (batch.status === 'running' || moments.length > 0) {
        moments.push({ ms: performance.now(), completed: batch.completed });
      }
      if (batch.status !== 'finished' || moments.length === 0) return;
      unsubscribe();
      resolve(speedOf(moments));
    });
    const options = { paused: false, dataUrl: location.href, given: null };
    client.conductor.start(pointsExperiment(RUN_STEPS), options).catch(reject);
  });
}

function speedOf(moments: readonly Moment[]): RunSpeed {
  const between = (a: Moment, b: Moment): number =>
    (1000 * BATCH * (b.completed - a.completed)) / (b.ms - a.ms);
  const first = moments[0] as Moment;
  const last = moments.findLast(({ completed }) => completed < RUN_STEPS) ?? first;
  let stretch = 0;
  for (const from of moments) {
    const to = moments.find(({ ms }) => ms >= from.ms + STRETCH_MS);
    if (to !== undefined) stretch = Math.max(stretch, between(from, to));
  }
  return { stretch, whole: between(first, last) };
}

window.measure = measure;
