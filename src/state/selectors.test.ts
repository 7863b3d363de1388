import { expect, test } from 'vitest';
import type { Problem } from '#experiment/experiment';
import { parseExperiment } from '#experiment/parse';
import type { StepEvent, WallRecord } from '#run/log';
import { NO_RUN } from './run-state.ts';
import {
  agreementOf,
  dissenters,
  faultsWithoutField,
  hasPendingEdits,
  measuresTheSame,
  problemsAt,
  ringBound,
  stepSplit,
} from './selectors.ts';

function stepWith(weightsHash: readonly string[]): StepEvent {
  return {
    type: 'step',
    step: 7,
    epoch: 0,
    samples: 1024,
    loss: 1,
    lossPerRank: [],
    weightsHash,
    bytesPerRank: [],
    learningRate: 0.1,
    synchronised: true,
    cluster: { endMs: 1, stepMs: 1, computeMs: [], exposedMs: [], waitMs: [], dataMs: [] },
  };
}

test('UI-4 equal hashes agree; nothing is claimed before the first step', () => {
  expect(agreementOf(null, null)).toEqual({ kind: 'unknown' });
  const agreement = agreementOf(stepWith(['a', 'a', 'a']), null);
  expect(agreement).toEqual({ kind: 'agree', ranks: 3, hash: 'a' });
  expect(dissenters(agreement)).toEqual([]);
});

test('UI-4 a disagreement names its step and ranks, and outlives later agreement', () => {
  expect(agreementOf({ ...stepWith(['a', 'b']), synchronised: false }, null)).toEqual({
    kind: 'apart',
  });
  const differ = agreementOf(stepWith(['a', 'a']), {
    type: 'disagreement',
    step: 3,
    weightsHash: ['b', 'a', 'b'],
  });
  expect(differ).toEqual({
    kind: 'differ',
    step: 3,
    groups: [
      { hash: 'b', ranks: [0, 2] },
      { hash: 'a', ranks: [1] },
    ],
  });
  expect(dissenters(differ)).toEqual([1]);
});

test('UI-5 the ring bound is 2(N-1)/N S, and nothing for one rank', () => {
  expect(ringBound(4, 1000)).toBe(6000);
  expect(ringBound(1, 1000)).toBe(0);
});

test('UI-5 a step splits into compute, communicate, update and the rest', () => {
  const record: WallRecord = {
    step: 1,
    wallMs: 10,
    computeMs: [4, 6],
    communicateMs: [2, 2],
    updateMs: [1, 1],
    heldBytes: [null],
  };
  expect(stepSplit([])).toBeNull();
  expect(stepSplit([record, { ...record, step: 11 }])?.total).toBe(1);
  expect(stepSplit([record, { ...record, step: 2 }])).toEqual({
    total: 10,
    compute: 5,
    communicate: 2,
    update: 1,
    other: 2,
  });
  expect(stepSplit([{ ...record, wallMs: 5 }])?.other).toBe(0);
});

test('UI-2 edits are pending once the experiment differs from the run on the page', () => {
  const parsed = parseExperiment({});
  if (!parsed.ok) throw new Error('defaults');
  const { experiment } = parsed;
  expect(hasPendingEdits(experiment, NO_RUN)).toBe(false);
  const run = { ...NO_RUN, experiment };
  expect(hasPendingEdits({ ...experiment }, run)).toBe(false);
  expect(hasPendingEdits({ ...experiment, seed: 1 }, run)).toBe(true);
});

test('UI-2 a field shows its own problems and those of its elements', () => {
  const at = (path: string): Problem => ({
    path,
    found: '0',
    message: 'problem.number',
    parameters: {},
  });
  const problems = [at('model.hidden.1'), at('model.hiddenX'), at('model.hidden'), at('seed')];
  expect(problemsAt(problems, 'model.hidden').map((p) => p.path)).toEqual([
    'model.hidden.1',
    'model.hidden',
  ]);
});

test('UI-8 a fault that no shown field has is named apart', () => {
  const draft = { data: { name: 'mnist' }, model: { kind: 'mlp' } };
  const at = (path: string): Problem => ({
    path,
    found: '1',
    message: 'problem.unknownField',
    parameters: {},
  });
  const problems = [at(''), at('v'), at('model.hidden.1'), at('data.noise')];
  expect(faultsWithoutField(problems, draft).map(({ path }) => path)).toEqual([
    '',
    'v',
    'data.noise',
  ]);
});

test('UI-14 measured times hold for the same data, model, batch and replicas only', () => {
  const of = (input: object) => {
    const parsed = parseExperiment(input);
    if (!parsed.ok) throw new Error('not an experiment');
    return parsed.experiment;
  };
  expect(measuresTheSame(of({}), null)).toBe(false);
  expect(measuresTheSame(of({}), of({ seed: 7 }))).toBe(true);
  expect(measuresTheSame(of({}), of({ replicas: 2 }))).toBe(false);
  expect(measuresTheSame(of({}), of({ model: { kind: 'mlp', hidden: [64] } }))).toBe(false);
});
