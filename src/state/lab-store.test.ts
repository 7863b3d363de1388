import { expect, test } from 'vitest';
import { parseExperiment } from '#experiment/parse';
import type { StepEvent } from '#run/log';
import { createFakeClient } from './fake-client.ts';
import { createLabStore } from './lab-store.ts';

function step(index: number, loss: number): StepEvent {
  return {
    type: 'step',
    step: index,
    epoch: 0,
    samples: 128 * (index + 1),
    loss,
    lossPerRank: [loss, loss],
    weightsHash: ['aa', 'aa'],
    bytesPerRank: [10, 10],
    learningRate: 0.1,
    synchronised: true,
    cluster: { endMs: 1, stepMs: 1, computeMs: [], exposedMs: [], waitMs: [], dataMs: [] },
  };
}

function createLab(client = createFakeClient()) {
  const store = createLabStore({ client, dataUrl: 'http://x/data/', now: () => 5, initial: null });
  return { client, store, ...store.actions };
}

test('UI-2 a good edit becomes the experiment, a bad one is shown and leaves the last good', () => {
  const { store, edit } = createLab();
  edit('replicas', 8);
  expect(store.getState().experiment.replicas).toBe(8);
  edit('replicas', 40);
  expect(store.getState().experiment.replicas).toBe(8);
  expect(store.getState().draft).toMatchObject({ replicas: 40 });
  expect(store.getState().problems.map((problem) => problem.path)).toEqual(['replicas']);
  edit('replicas', 2);
  expect(store.getState().problems).toEqual([]);
  expect(store.getState().experiment.replicas).toBe(2);
});

test('UI-2 another choice drops the fields that only the old one had', () => {
  const { store, edit } = createLab();
  edit('optimizer.kind', 'adam');
  expect(store.getState().problems).toEqual([]);
  expect(store.getState().experiment.optimizer).toMatchObject({ kind: 'adam', beta2: 0.999 });
  edit('compression.kind', 'topK');
  edit('compression.ratio', 0.05);
  edit('compression.kind', 'powerSgd');
  expect(store.getState().problems).toEqual([]);
  expect(store.getState().experiment.compression).toMatchObject({ kind: 'powerSgd', rank: 1 });
});

test('UI-2 another task takes the defaults that suit it and keeps the seed', () => {
  const { store, edit, chooseTask } = createLab();
  edit('seed', 7);
  chooseTask('moby-dick');
  expect(store.getState().experiment).toMatchObject({
    seed: 7,
    data: { name: 'moby-dick' },
    model: { kind: 'transformer' },
  });
});

test('UI-8 a refused address shows its problems beside the default experiment', () => {
  const initial = parseExperiment({ replicas: 99 });
  const store = createLabStore({
    client: createFakeClient(),
    dataUrl: '',
    now: () => 0,
    initial,
  });
  expect(store.getState().experiment.replicas).toBe(4);
  expect(store.getState().problems).toHaveLength(1);
});

test('UI-1 train starts, pauses and resumes by the status of the run', () => {
  const { client, store, train } = createLab();
  train();
  expect(store.getState().run.status).toBe('preparing');
  train();
  client.send({ status: 'running' });
  train();
  client.send({ status: 'paused' });
  train();
  client.send({ status: 'finished' });
  train();
  expect(client.calls).toEqual(['start', 'pause', 'resume', 'start']);
});

test('UI-1 steps wanted while the run is prepared are taken one by one once it is', () => {
  const { client, step: stepOnce } = createLab();
  stepOnce();
  stepOnce();
  client.send({ status: 'preparing' });
  expect(client.calls).toEqual(['start paused']);
  client.send({ status: 'paused' });
  client.send({ status: 'paused', completed: 1 });
  client.send({ status: 'paused', completed: 2 });
  expect(client.calls).toEqual(['start paused', 'step', 'step']);
});

test('UI-1 after a reset the old run is silent; the next one is heard', async () => {
  const { client, store, train, reset } = createLab();
  train();
  await Promise.resolve();
  client.send({ run: 1, status: 'running', completed: 1, events: [step(0, 2)] });
  expect(store.series.live().lastStep?.loss).toBe(2);
  reset();
  expect(store.getState().run.status).toBe('idle');
  client.send({ run: 1, status: 'stopped', completed: 2, events: [step(1, 1)] });
  expect(store.getState().run.status).toBe('idle');
  expect(store.series.live().lastStep).toBeNull();
  train();
  client.send({ run: 1, status: 'stopped' });
  expect(store.getState().run.status).toBe('preparing');
  client.send({ run: 2, status: 'running' });
  expect(store.getState().run.status).toBe('running');
  expect(client.calls).toEqual(['start', 'stop', 'start']);
});

test('UI-3 a batch of steps fills the series and leaves the store as it was', () => {
  const { client, store, train } = createLab();
  train();
  client.send({ status: 'running', completed: 1, events: [step(0, 2)] });
  const before = store.getState();
  client.send({
    status: 'running',
    completed: 3,
    activity: ['communicating', 'computing'],
    events: [step(1, 1.5), step(2, 1)],
  });
  expect(store.getState()).toBe(before);
  expect(store.series.trainLoss.points().map((point) => point.mean)).toEqual([2, 1.5, 1]);
  expect(store.series.live()).toMatchObject({ completed: 3, lastStep: { step: 2 } });
  expect(store.series.communicatedAt(0)).toBe(5);
  expect(store.series.communicatedAt(7)).toBe(Number.NEGATIVE_INFINITY);
});

test('UI-4 the first disagreement and the first loss that is no number stay', () => {
  const { client, store, train } = createLab();
  train();
  const differ = { type: 'disagreement', weightsHash: ['a', 'b'] } as const;
  client.send({
    events: [
      { ...differ, step: 3 },
      { ...differ, step: 4 },
      { type: 'nonFinite', step: 5, ranks: [1] },
      { type: 'nonFinite', step: 6, ranks: [0] },
    ],
  });
  expect(store.getState().run.disagreement?.step).toBe(3);
  expect(store.getState().run.nonFinite?.step).toBe(5);
});

test('a call that the conductor refuses is a failure with its text', async () => {
  const { store, train } = createLab(createFakeClient(new Error('no workers')));
  train();
  await new Promise((resolve) => setTimeout(resolve, 0));
  expect(store.getState().run).toMatchObject({
    status: 'failed',
    failure: { message: 'page.failure.call', detail: 'no workers' },
  });
});
