import { afterEach, expect, test } from 'vitest';
import type { Experiment } from '#experiment/experiment';
import { parseExperiment } from '#experiment/parse';
import type { LogEvent } from '#run/log';
import type { PageBatch, StartOptions } from '#run/service';
import { createAutomation } from './automation.ts';

const IDLE: PageBatch = {
  run: 3,
  status: 'preparing',
  preparation: null,
  failure: null,
  timings: [],
  completed: 0,
  totalSteps: 0,
  samplesPerSecond: 0,
  activity: [],
  events: [],
  wall: [],
  logHash: null,
};

function runEvent(experiment: Experiment): LogEvent {
  return {
    type: 'run',
    experiment,
    backend: 'fused',
    device: 'loops',
    transport: 'ports',
    parameters: 5,
    stepsPerEpoch: 1,
    totalSteps: 1,
    trainCount: 10,
    testCount: 10,
    bucketBytes: [20],
    initialHash: ['aa'],
  };
}

const STEP: LogEvent = {
  type: 'step',
  step: 0,
  epoch: 0,
  samples: 40,
  loss: Number.NaN,
  lossPerRank: [Number.NaN],
  weightsHash: ['aa'],
  bytesPerRank: [0],
  learningRate: 0.1,
  synchronised: true,
  cluster: { endMs: 1, stepMs: 1, computeMs: [], exposedMs: [], waitMs: [], dataMs: [] },
};

/** A conductor that tells what `script` says once it is started as run 3. */
function scripted(script: (experiment: Experiment) => readonly PageBatch[]) {
  const started: StartOptions[] = [];
  let listener: (batch: PageBatch) => void = () => {};
  let time = 0;
  const automation = createAutomation({
    client: {
      subscribe: (heard) => {
        listener = heard;
        return () => {
          listener = () => {};
        };
      },
      conductor: {
        start: async (experiment, options) => {
          started.push(options);
          // News of the run before this one, and news that overtakes the answer to `start`.
          listener({ ...IDLE, run: 2, events: [{ type: 'end', step: 9, reason: 'finished' }] });
          for (const batch of script(experiment)) listener(batch);
          return 3;
        },
        stop: async () => {},
        kill: async () => false,
        weights: async () => ({}),
      },
    },
    dataUrl: 'http://127.0.0.1/data/',
    say: (message) => `said ${message}`,
    now: () => (time += 1000),
  });
  return { automation, started };
}

const lines: Record<string, unknown>[] = [];
const listen = (): void => {
  globalThis.ringsideLines = async (texts) => {
    lines.push(...texts.map((text) => JSON.parse(text)));
  };
};
afterEach(() => {
  lines.length = 0;
  globalThis.ringsideLines = undefined;
});

test('forwards the events of its own run, steps with their wall time, NaN as null', async () => {
  listen();
  const { automation, started } = scripted((experiment) => [
    { ...IDLE, events: [runEvent(experiment)] },
    {
      ...IDLE,
      events: [STEP, { type: 'nonFinite', step: 0, ranks: [0] }],
      wall: [
        {
          step: 0,
          wallMs: 12,
          computeMs: [8],
          communicateMs: [3],
          updateMs: [1],
          heldBytes: [null],
        },
      ],
    },
    {
      ...IDLE,
      status: 'failed',
      logHash: 'ff',
      events: [{ type: 'end', step: 0, reason: 'nonFinite' }],
    },
  ]);
  const outcome = await automation.run({ experiment: {}, given: null, backend: 'wasm' });
  expect(outcome).toEqual({ kind: 'ended', reason: 'nonFinite', message: '' });
  expect(started[0]).toEqual({ paused: false, dataUrl: 'http://127.0.0.1/data/', given: null });
  expect(lines.map(({ type }) => type)).toEqual(['run', 'step', 'nonFinite', 'summary']);
  expect(lines[0]?.experiment).toMatchObject({ backend: 'wasm', data: { name: 'mnist' } });
  expect(lines[1]).toMatchObject({ step: 0, loss: null, lossPerRank: [null], wallMs: 12 });
  expect(lines[3]).toMatchObject({
    reason: 'nonFinite',
    steps: 0,
    logHash: 'ff',
    wallSeconds: 2,
    samplesPerSecond: 20,
  });
});

test('says why a run failed, and sums up one that never began', async () => {
  listen();
  const failure = { message: 'failure.data', parameters: {}, detail: 'x.bin is short' };
  const { automation } = scripted(() => [
    { ...IDLE, status: 'failed', failure, events: [{ type: 'end', step: 0, reason: 'failed' }] },
  ]);
  const outcome = await automation.run({ experiment: {}, given: null, backend: null });
  const message = 'said failure.data (x.bin is short)';
  expect(outcome).toEqual({ kind: 'ended', reason: 'failed', message });
  expect(lines).toEqual([expect.objectContaining({ type: 'summary', loss: null, message })]);
});

test('refuses with all faults at once and starts nothing', async () => {
  const { automation, started } = scripted(() => []);
  const bad = await automation.run({ experiment: { seed: -1, foo: 1 }, given: null, backend: 'x' });
  if (bad.kind !== 'invalid') throw new Error('accepted');
  expect(bad.faults.map(({ path }) => path).sort()).toEqual(['backend', 'foo', 'seed']);

  const given = { init: { 'fc1.weight': [[1]] }, x: [[[[0, 1]]]], y: [[[0]]] };
  const differs = await automation.run({
    experiment: { replicas: 2, foo: 1 },
    given,
    backend: null,
  });
  if (differs.kind !== 'invalid') throw new Error('accepted');
  expect(differs.faults.map(({ path }) => path)).toEqual(['replicas', 'foo']);

  const shapes = await automation.run({ experiment: {}, given, backend: null });
  if (shapes.kind !== 'invalid') throw new Error('accepted');
  expect(shapes.faults[0]).toMatchObject({ path: 'init' });

  const ragged = await automation.run({ experiment: {}, given: { ...given, y: 3 }, backend: null });
  if (ragged.kind !== 'invalid') throw new Error('accepted');
  expect(ragged.faults[0]?.message).toContain('y');
  expect(started).toEqual([]);
});

test('the run line of given batches says so instead of naming a data set', async () => {
  listen();
  const { automation } = scripted((experiment) => {
    expect(parseExperiment(experiment).ok).toBe(true);
    return [
      { ...IDLE, events: [runEvent(experiment), { type: 'end', step: 1, reason: 'finished' }] },
    ];
  });
  const given = { init: null, x: [[[[0, 1]]]], y: [[[0]]] };
  await automation.run({ experiment: {}, given, backend: null });
  expect(lines[0]?.experiment).toMatchObject({ data: { name: 'given', samples: 1 }, replicas: 1 });
});
