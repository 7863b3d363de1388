import { expect, test } from 'vitest';
import type { Experiment } from '#experiment/experiment';
import { requireExperiment } from '#experiment/parse';
import type { LogEvent, StepEvent } from '#run/log';
import { type FinishedRun, runInProcess } from './run-in-process.ts';

function experimentOf(changes: object): Experiment {
  return requireExperiment({
    data: { name: 'moons', samples: 400 },
    replicas: 4,
    backend: 'fused',
    duration: { unit: 'steps', count: 40 },
    logEvery: 1,
    evalEvery: 40,
    ...changes,
  });
}

const script = (policy: string, ...faults: string[]) =>
  experimentOf({
    recovery: policy === 'stop' ? { policy, faults } : { policy, faults, commitEvery: 5 },
  });

const ofType = <T extends LogEvent['type']>(run: FinishedRun, type: T) =>
  run.events.filter((event): event is Extract<LogEvent, { type: T }> => event.type === type);

/** The last record of every step: what was done again counts. */
function finalSteps(run: FinishedRun): StepEvent[] {
  const steps = new Map(ofType(run, 'step').map((event) => [event.step, event]));
  return [...steps.values()].sort((a, b) => a.step - b.step);
}

const agree = (run: FinishedRun): boolean =>
  ofType(run, 'step').every(({ weightsHash }) => new Set(weightsHash).size === 1);

test('FT-3 a killed rank: the others go on from the last commit and end with equal weights', async () => {
  const run = await runInProcess(script('shrink', 'kill 2 @ 13'));
  expect(run.last).toMatchObject({ status: 'finished' });
  expect(ofType(run, 'fault')).toEqual([
    { type: 'fault', step: 13, kind: 'kill', ranks: [2], cause: 'script' },
  ]);
  expect(ofType(run, 'recovery')).toMatchObject([
    { step: 10, lostSteps: 3, worldSize: 3, newcomers: 0 },
  ]);
  expect(agree(run)).toBe(true);
  const steps = finalSteps(run);
  expect(steps.map(({ step }) => step)).toEqual(steps.map((_, i) => i));
  expect(steps.at(-1)?.weightsHash).toHaveLength(3);
});

test('FT-4 a replacement gets the state from rank 0: the run is the undisturbed one', async () => {
  const disturbed = await runInProcess(script('replace', 'kill 3 @ 13', 'hang 0+1 @ 22'));
  const undisturbed = await runInProcess(script('replace'));
  expect(ofType(disturbed, 'recovery')).toMatchObject([
    { step: 10, newcomers: 1, worldSize: 4 },
    { step: 20, newcomers: 2, worldSize: 4 },
  ]);
  const hashes = (run: FinishedRun) => finalSteps(run).map(({ weightsHash }) => weightsHash);
  expect(hashes(disturbed)).toEqual(hashes(undisturbed));
  expect(ofType(disturbed, 'eval').at(-1)).toEqual(ofType(undisturbed, 'eval').at(-1));
});

test('FT-5 with the policy stop the run ends, says whom it lost, and keeps the log', async () => {
  const run = await runInProcess(script('stop', 'kill 1 @ 7'));
  expect(run.last).toMatchObject({ status: 'failed' });
  expect(run.last.failure).toMatchObject({
    message: 'failure.lost',
    parameters: { ranks: '1', step: 7 },
  });
  expect(ofType(run, 'step')).toHaveLength(7);
});

test('FT-6 a network that splits goes on with its larger side; of halves, the one with rank 0', async () => {
  const smaller = await runInProcess(script('shrink', 'split 0 @ 8'));
  expect(ofType(smaller, 'fault')[0]?.ranks).toEqual([0]);
  const half = await runInProcess(script('shrink', 'split 0+2 @ 8'));
  expect(ofType(half, 'fault')[0]?.ranks).toEqual([1, 3]);
  for (const run of [smaller, half]) expect(run.last.status).toBe('finished');
});

test('FT-7 a rank whose gradient is NaN is sent away, and the step is done without it', async () => {
  const run = await runInProcess(script('shrink', 'nan 1 @ 12'));
  expect(ofType(run, 'nonFinite')).toEqual([{ type: 'nonFinite', step: 12, ranks: [1] }]);
  expect(ofType(run, 'fault')).toMatchObject([{ kind: 'nan', ranks: [1], cause: 'found' }]);
  expect(run.last.status).toBe('finished');
  expect(finalSteps(run).every(({ loss }) => Number.isFinite(loss))).toBe(true);
});

test('FT-8 a flipped bit shows in the hashes; the one that differs goes, and the commit before counts', async () => {
  const run = await runInProcess(script('shrink', 'flip 3 @ 11'));
  expect(ofType(run, 'disagreement')).toMatchObject([{ step: 11 }]);
  expect(ofType(run, 'fault')).toMatchObject([{ kind: 'flip', ranks: [3], cause: 'found' }]);
  expect(ofType(run, 'recovery')).toMatchObject([{ step: 10, worldSize: 3 }]);
  expect(run.last.status).toBe('finished');
});

test('FT-9 the same script gives the same log', async () => {
  const experiment = script('shrink', 'kill 2 @ 13', 'flip 1 @ 20', 'link 0 @ 31');
  const [first, second] = [await runInProcess(experiment), await runInProcess(experiment)];
  expect(first.last.logHash).toBe(second.last.logHash);
  expect(first.events).toEqual(second.events);
});

test('FT-5 with batches from outside nobody can stand in: a lost rank ends the run', async () => {
  const experiment = experimentOf({ recovery: { faults: ['kill 1 @ 2'] } });
  const x = Array.from({ length: 5 }, () => [[[0, 1]], [[1, 0]], [[1, 1]], [[0, 0]]]);
  const y = Array.from({ length: 5 }, () => [[0], [1], [0], [1]]);
  const run = await runInProcess(experiment, { given: { init: null, x, y } });
  expect(run.last.failure).toMatchObject({ message: 'failure.lost', parameters: { ranks: '1' } });
  expect(ofType(run, 'step')).toHaveLength(2);
});
