/** @file Batch norms in real training, several ranks in one thread over ports. */
import { createRequire } from 'node:module';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { ModelState } from '#core/named-weights';
import type { Plan } from '#core/plan';
import { randomStream } from '#core/random';
import { createEngine } from '#engine/create';
import { type BackendName, type Batch, DeviceLostError, type Engine } from '#engine/engine';
import { requireExperiment } from '#experiment/parse';
import { resolvePlan } from '#experiment/plan';
import type { TelemetryBatch } from '#protocol/replica';
import { vectorLengthOf } from '#transport/channel';
import { createEndpoint } from '#transport/create';
import { CollectiveAbortedError, type Endpoint } from '#transport/endpoint';
import { connectPorts } from '#transport/ports';
import type { ComputeGradient } from './replica/gradient-step.ts';
import { createNormExchange } from './replica/normalisation.ts';
import { createReplica } from './replica/service.ts';
import { createStepClock } from './replica/step-clock.ts';
import { createTraining, type Training } from './replica/training.ts';

const wasmUrl = createRequire(import.meta.url).resolve(
  '@tensorflow/tfjs-backend-wasm/dist/tfjs-backend-wasm-simd.wasm',
);
const TASK = { kind: 'image', height: 8, width: 8, classes: 3 } as const;
const PIXELS = TASK.height * TASK.width;
const TOTAL = 12;
function planOf(input: Record<string, unknown>): Plan {
  const experiment = requireExperiment({
    model: { kind: 'cnn', channels: [3, 4], dense: 6, norm: 'syncBatch' },
    optimizer: { kind: 'sgd', momentum: 0 },
    learningRate: { base: 0.1, decay: 'none' },
    duration: { unit: 'steps', count: 20 },
    logEvery: 1,
    ...input,
  });
  return resolvePlan(experiment, { trainCount: 960, testCount: 0, task: TASK });
}

const cnn = (norm: string) => ({ kind: 'cnn', channels: [3, 4], dense: 6, norm });

/** Twelve samples a step, sorted by label: each rank sees another class, as on skewed shards. */
function samplesOf(step: number): Batch {
  const random = randomStream(5, 1, 0, step);
  const y = Int32Array.from({ length: TOTAL }, (_, i) => Math.floor((3 * i) / TOTAL));
  const x = Float32Array.from({ length: TOTAL * PIXELS }, (_, i) => {
    return random.uniform() - 0.5 + (y[Math.floor(i / PIXELS)] ?? 0) * ((i % PIXELS) / PIXELS);
  });
  return { size: TOTAL, x, y };
}

function shareOf(step: number, rank: number, worldSize: number): Batch {
  const { x, y } = samplesOf(step);
  const size = TOTAL / worldSize;
  const from = rank * size;
  return {
    size,
    x: x.slice(from * PIXELS, (from + size) * PIXELS),
    y: y.slice(from, from + size),
  };
}

interface Rank {
  readonly training: Training;
  readonly endpoint: Endpoint;
  readonly engine: Engine;
}

// In Node the cpu backend advertises its native sister on every new instance.
vi.spyOn(console, 'warn').mockImplementation(() => undefined);

const engines: Engine[] = [];
const endpoints: Endpoint[] = [];
afterEach(() => {
  for (const engine of engines.splice(0)) engine.dispose();
  for (const endpoint of endpoints.splice(0)) endpoint.close();
});

function endpointsOf(plan: Plan): Endpoint[] {
  const { worldSize } = plan;
  const made = connectPorts(worldSize).map((ports, rank) => {
    const link = { transport: 'ports', ports } as const;
    return createEndpoint({ rank, worldSize, vectorLength: vectorLengthOf(plan), link });
  });
  endpoints.push(...made);
  return made;
}

async function ranksOf(
  plan: Plan,
  backend: BackendName,
  computeOf: (engine: Engine, rank: number) => ComputeGradient = (engine) => engine.gradient,
): Promise<Rank[]> {
  const { worldSize } = plan;
  const ranks: Rank[] = [];
  for (const [rank, endpoint] of endpointsOf(plan).entries()) {
    const engine = await createEngine(backend, plan.model, { wasmUrl });
    engines.push(engine);
    const training = createTraining({
      plan,
      endpoint,
      initialState: null,
      batchAt: (step) => shareOf(step, rank, worldSize),
      augmentation: () => null,
      gradient: computeOf(engine, rank),
      now: () => performance.now(),
      activity: () => undefined,
    });
    ranks.push({ training, endpoint, engine });
  }
  return ranks;
}

/** So many steps of all ranks; resolves with each step's reports. */
async function run(ranks: readonly Rank[], steps: number) {
  const reports = [];
  for (let step = 0; step < steps; step++) {
    const outcomes = await Promise.all(ranks.map(({ training }) => training.step(step)));
    reports.push(
      outcomes.map((outcome) => {
        if (!outcome.finite || outcome.report === null) throw new Error('no report');
        return outcome.report;
      }),
    );
  }
  return reports;
}

async function train(input: Record<string, unknown>, backend: BackendName = 'cpu', steps = 10) {
  const ranks = await ranksOf(planOf(input), backend);
  const reports = await run(ranks, steps);
  const [{ training }] = ranks as [Rank];
  return { ranks, reports, weights: training.weights, buffers: training.buffers };
}

const furthest = (a: Float32Array, b: Float32Array): number =>
  a.reduce((most, value, i) => Math.max(most, Math.abs(value - (b[i] ?? Number.NaN))), 0);

describe.each(['cpu', 'wasm'] as const)('%s', (backend) => {
  test('DP-31 synchronised, 3 ranks of 4 train as one of 12; with local statistics they do not', async () => {
    const whole = await train({ model: cnn('batch'), replicas: 1, batchPerRank: 12 }, backend);
    const synchronised = await train({ replicas: 3, batchPerRank: 4 }, backend);
    expect(furthest(synchronised.weights, whole.weights)).toBeLessThan(1e-4);
    expect(furthest(synchronised.buffers, whole.buffers)).toBeLessThan(1e-4);
    synchronised.reports.forEach((reports, step) => {
      const loss = reports.reduce((sum, report) => sum + (report.loss ?? Number.NaN) / 3, 0);
      expect(Math.abs(loss - (whole.reports[step]?.[0]?.loss ?? Number.NaN))).toBeLessThan(1e-4);
      expect(new Set(reports.map((report) => report.weightsHash)).size).toBe(1);
    });
    const local = await train({ model: cnn('batch'), replicas: 3, batchPerRank: 4 }, backend);
    expect(furthest(local.weights, whole.weights)).toBeGreaterThan(0.05);
    for (const reports of local.reports) {
      expect(new Set(reports.map((report) => report.weightsHash)).size).toBe(1);
    }
  });

  test('LG-8 the same run gives the same weights and buffers, to the bit', async () => {
    const first = await train({ replicas: 3, batchPerRank: 4 }, backend, 4);
    const second = await train({ replicas: 3, batchPerRank: 4 }, backend, 4);
    expect(second.weights).toEqual(first.weights);
    expect(second.buffers).toEqual(first.buffers);
  });
});

test('DP-31 a world of one has nothing to exchange: syncBatch is batch', async () => {
  const one = await train({ replicas: 1, batchPerRank: 12 });
  const local = await train({ model: cnn('batch'), replicas: 1, batchPerRank: 12 });
  expect(one.weights).toEqual(local.weights);
  expect(one.reports[0]?.[0]?.bytesSent).toBe(0);
});

test('DP-31 bytes: 2C + 1 numbers gathered and 2C summed a layer, the buffers broadcast', async () => {
  const plain = await train({ model: cnn('none'), replicas: 3, batchPerRank: 4 }, 'cpu', 2);
  const local = await train({ model: cnn('batch'), replicas: 3, batchPerRank: 4 }, 'cpu', 2);
  const both = await train({ replicas: 3, batchPerRank: 4 }, 'cpu', 2);
  const total = (reports: readonly { bytesSent: number }[] = []): number =>
    reports.reduce((sum, report) => sum + report.bytesSent, 0);
  // Each norm has as many parameters more as the convolution has less: 3 + 4.
  const parameters = 4 * 7 * 2 * 2;
  // Two links of the chain carry 2 * (3 + 4) numbers.
  const broadcast = 2 * 4 * 14;
  expect(total(local.reports[1])).toBe(total(plain.reports[1]) + parameters + broadcast);
  const gathered = 2 * 4 * (7 + 9);
  expect(both.reports[1]?.map((report) => report.gatheredBytes)).toEqual([
    gathered,
    gathered,
    gathered,
  ]);
  const summed = 3 * 4 * (4 / 3) * (6 + 8);
  expect(total(both.reports[1])).toBeCloseTo(total(local.reports[1]) + 3 * gathered + summed, 6);
});

test('DP-32 after every step all ranks hold the buffers of rank 0', async () => {
  const { ranks } = await train({ model: cnn('batch'), replicas: 3, batchPerRank: 4 }, 'cpu', 3);
  const [first, ...others] = ranks.map(({ training }) => training.buffers);
  for (const buffers of others) expect(buffers).toEqual(first);
});

test('MI-20 without the broadcast running statistics differ, and weights do not', async () => {
  const mistakes = { noBufferBroadcast: true };
  const input = { model: cnn('batch'), replicas: 3, batchPerRank: 4 };
  const { ranks, reports } = await train({ ...input, mistakes }, 'cpu', 5);
  const [first = new Float32Array(), second = first] = ranks.map(
    ({ training }) => training.buffers,
  );
  expect(furthest(first, second)).toBeGreaterThan(0.05);
  expect(new Set(reports[4]?.map((report) => report.weightsHash)).size).toBe(1);
  // What rank 0 learns of its own shard is the same either way.
  const good = await train(input, 'cpu', 5);
  expect(good.weights).toEqual(ranks[0]?.training.weights);
  expect(good.buffers).toEqual(first);
});

test.each<Record<string, unknown>>([
  { checkpointing: true },
  { precision: { format: 'fp16' } },
  { precision: { format: 'bf16', masterWeights: false } },
  { compression: { kind: 'topK', ratio: 0.1 } },
  { compression: { kind: 'cast', format: 'fp16' } },
  { communication: { collective: 'star' } },
  { accumulation: { microBatches: 2 } },
  { accumulation: { microBatches: 2, noSync: false } },
  { optimizer: { kind: 'lamb' } },
])('DP-31 synchronised norms train with %o', async (changes) => {
  const { reports, ranks } = await train({ replicas: 3, batchPerRank: 4, ...changes }, 'cpu', 16);
  for (const step of reports) {
    expect(new Set(step.map((report) => report.weightsHash)).size).toBe(1);
  }
  const [first, ...others] = ranks.map(({ training }) => training.buffers);
  for (const buffers of others) expect(buffers).toEqual(first);
  const loss = (step: number): number =>
    (reports[step] ?? []).reduce((sum, report) => sum + (report.loss ?? Number.NaN) / 3, 0);
  expect(loss(14) + loss(15)).toBeLessThan(0.9 * (loss(0) + loss(1)));
});

test('DP-31 recomputation changes no bit of a synchronised step', async () => {
  const kept = await train({ replicas: 3, batchPerRank: 4 }, 'cpu', 3);
  const again = await train({ replicas: 3, batchPerRank: 4, checkpointing: true }, 'cpu', 3);
  expect(again.weights).toEqual(kept.weights);
});

test('TR-3 an abort ends a step that waits for the statistics of others', async () => {
  const plan = planOf({ replicas: 3, batchPerRank: 4 });
  const ranks = await ranksOf(plan, 'cpu');
  const [first, second] = ranks as [Rank, Rank];
  // The third rank never comes.
  const waiting = [first, second].map(({ training }) => training.step(0));
  setTimeout(() => first.endpoint.abort(), 50);
  const outcomes = await Promise.allSettled(waiting);
  for (const outcome of outcomes) {
    expect(outcome.status === 'rejected' && outcome.reason).toBeInstanceOf(CollectiveAbortedError);
  }
});

test('RU-5 a gradient that begins again is answered as before and asks no other rank', async () => {
  const plan = planOf({ replicas: 2, batchPerRank: 6 });
  const context = { clock: createStepClock(() => 0), activity: () => undefined };
  const [own, peer] = endpointsOf(plan).map((endpoint) =>
    createNormExchange(plan, endpoint, context),
  );
  if (own == null || peer == null) throw new Error('two exchanges were expected');
  own.begin();
  peer.begin();
  const [all] = await Promise.all([
    own.gather(Float32Array.of(1, 2, 3)),
    peer.gather(Float32Array.of(4, 5, 6)),
  ]);
  expect(all.map((values) => [...values])).toEqual([
    [1, 2, 3],
    [4, 5, 6],
  ]);
  const { allGather } = own.takeBytes();
  expect(allGather).toBe(12);
  own.rewind();
  expect(await own.gather(Float32Array.of(7, 7, 7))).toEqual(all);
  expect(own.takeBytes()).toEqual({ allReduce: 0, allGather: 0 });
  const sums = await Promise.all([
    own.sum(Float32Array.of(1, 2)),
    peer.sum(Float32Array.of(10, 20)),
  ]);
  expect(sums.map((values) => [...values])).toEqual([
    [11, 22],
    [11, 22],
  ]);
});

const random = randomStream(6, 1);
const labelled = (count: number) => ({
  kind: 'labelled' as const,
  count,
  x: Float32Array.from({ length: count * PIXELS }, () => random.uniform() - 0.5),
  y: Uint8Array.from({ length: count }, () => random.below(3)),
});
const DATA = { train: labelled(40), test: labelled(20), alphabet: null };

/** Two replicas' whole loop of three steps; what they said of the test set, and rank 0's own loss. */
async function evaluateTogether(mistakes: Record<string, unknown>) {
  const planned = planOf({
    model: cnn('batch'),
    replicas: 2,
    batchPerRank: 4,
    evalEvery: 3,
    duration: { unit: 'steps', count: 3 },
    mistakes,
  });
  const plan = { ...planned, trainCount: 40, testCount: 20 };
  const services = connectPorts(2).map((ports, rank) => {
    const { port1, port2 } = new MessageChannel();
    const evals: { lossSum: number; count: number }[] = [];
    const finished = new Promise<void>((resolve) => {
      port1.onmessage = ({ data: batch }: MessageEvent<TelemetryBatch>) => {
        for (const report of batch.reports) {
          if (report.type === 'eval') evals.push(report.report.test);
        }
        if (batch.completed === 3) resolve();
      };
    });
    const service = createReplica();
    const link = { transport: 'ports', ports } as const;
    const setup = {
      rank,
      generation: 0,
      plan,
      link,
      data: DATA,
      initialState: null,
      telemetry: port2,
    };
    return { service, setup, evals, finished, close: () => port1.close() };
  });
  for (const { service, setup } of services) await service.prepare(setup);
  // biome-ignore lint/correctness/useHookAtTopLevel: a service's call, which only sounds like a hook.
  for (const { service } of services) await service.useBackend('cpu');
  await Promise.all(services.map(({ service }) => service.broadcastWeights()));
  await Promise.all(services.map(({ service }) => service.grant(3)));
  await Promise.all(services.map(({ finished }) => finished));
  const states = await Promise.all(services.map(({ service }) => service.state()));
  for (const { close, service } of services) {
    await service.abort();
    close();
  }
  const engine = await createEngine('cpu', plan.model);
  engines.push(engine);
  const batch = { size: 20, x: DATA.test.x, y: Int32Array.from(DATA.test.y) };
  const { weights, buffers } = states[0] as ModelState;
  const byRankZero = await engine.evaluate(weights, buffers, batch);
  const found = services.flatMap(({ evals }) => evals);
  return {
    count: found.reduce((sum, share) => sum + share.count, 0),
    lossSum: found.reduce((sum, share) => sum + share.lossSum, 0),
    lossSumOfRankZero: byRankZero.lossSum,
  };
}

/** The engine, but for a device that is lost with the second answer of the other ranks. */
function losingDevice(engine: Engine): ComputeGradient {
  return async (...[weights, buffers, batch, gradient, precision, exchange]) => {
    if (exchange === undefined) throw new Error('an exchange was expected');
    let answers = 0;
    const lost = {
      ...exchange,
      gather: async (values: Float32Array) => {
        const all = await exchange.gather(values);
        if (++answers === 2) throw new DeviceLostError('lost');
        return all;
      },
    };
    const first = engine.gradient(weights, buffers, batch, gradient, precision, lost);
    await expect(first).rejects.toThrow(DeviceLostError);
    exchange.rewind();
    return engine.gradient(weights, buffers, batch, gradient, precision, exchange);
  };
}

test('RU-5 EN-23 a rank that loses its device in the middle of a step trains on with the others', async () => {
  const plan = planOf({ replicas: 3, batchPerRank: 4 });
  const ranks = await ranksOf(plan, 'cpu', (engine, rank) =>
    rank === 1 ? losingDevice(engine) : engine.gradient,
  );
  const reports = await run(ranks, 3);
  const calm = await train({ replicas: 3, batchPerRank: 4 }, 'cpu', 3);
  expect(
    reports.map((step) => step.map(({ weightsHash, bytesSent }) => [weightsHash, bytesSent])),
  ).toEqual(
    calm.reports.map((step) => step.map(({ weightsHash, bytesSent }) => [weightsHash, bytesSent])),
  );
});

test('DP-32 every rank evaluates its share with the buffers of rank 0', async () => {
  const good = await evaluateTogether({});
  expect(good.count).toBe(20);
  expect(Math.abs(good.lossSum - good.lossSumOfRankZero)).toBeLessThan(1e-4);
});

test('MI-20 without the broadcast an evaluation is a mixture of models', async () => {
  const bad = await evaluateTogether({ noBufferBroadcast: true });
  expect(bad.count).toBe(20);
  expect(Math.abs(bad.lossSum - bad.lossSumOfRankZero)).toBeGreaterThan(1e-3);
});
