import { expect, test } from 'vitest';
import { samplesBefore } from '#core/course';
import { buildModel } from '#core/models';
import { NO_MISTAKES, type Plan } from '#core/plan';
import type { StepReport } from '#protocol/replica';
import { disagreement, evalEvent, stepEvent } from './assemble.ts';

const plan: Plan = {
  seed: 0,
  worldSize: 2,
  batchPerRank: 4,
  trainCount: 21,
  testCount: 10,
  stepsPerEpoch: 3,
  resumed: null,
  totalSteps: 6,
  model: buildModel({ kind: 'softmax' }, { kind: 'points', features: 2, classes: 2 }),
  optimizer: { kind: 'sgd', momentum: 0, nesterov: false, weightDecay: 0 },
  learningRate: { base: 0.1, warmupSteps: 0, decay: 'none' },
  buckets: { rule: 'ddp', firstBytes: 1, capBytes: 1 },
  collective: { name: 'ring', ranksPerNode: 1, combine: 'mean' },
  compression: { kind: 'none' },
  clipNorm: 0,
  accumulation: { microBatches: 1, noSync: true },
  sync: { kind: 'allReduce', balance: 'off', slowdowns: [] },
  mistakes: NO_MISTAKES,
  measuresNoise: false,
  augmentation: 'none',
  precision: { format: 'fp32', masterWeights: true, scaler: { kind: 'none' } },
  checkpointing: false,
  recovery: { policy: 'stop', commitEvery: 0, faults: [] },
  evalEvery: 3,
  logEvery: 1,
};
const report = (loss: number, weightsHash: string, hashChain = 'c'): StepReport => ({
  step: 4,
  loss,
  weightsHash,
  hashChain,
  synchronised: true,
  bytesSent: 24,
  precision: null,
  heldBytes: null,
  gatheredBytes: 0,
  residualNorm: null,
  noise: null,
  augmentation: null,
  gradientNorm: null,
  computeMs: 1,
  communicateMs: 2,
  updateMs: 3,
});

const CLOCK = {
  advance: (step: number) => ({
    endMs: step,
    stepMs: 1,
    computeMs: [1, 1],
    exposedMs: [0, 0],
    waitMs: [0, 0],
    dataMs: [0, 0],
  }),
};

test('LG-4 a step record holds the mean loss and each rank beside it', () => {
  const event = stepEvent(plan, [report(1, 'a'), report(2, 'a')], CLOCK);
  expect(event).toMatchObject({
    step: 4,
    epoch: 1,
    loss: 1.5,
    lossPerRank: [1, 2],
    weightsHash: ['a', 'a'],
    bytesPerRank: [24, 24],
    learningRate: 0.1,
  });
});

test('LG-4 samples count the padding of the sampler and the smaller last batch', () => {
  // 21 samples on 2 ranks: 11 each; batches of 4, 4, 3.
  expect([0, 1, 2, 3, 5].map((step) => samplesBefore(plan, step + 1))).toEqual([8, 16, 22, 30, 44]);
});

test('LG-6 ranks disagree if their hashes differ now or differed since the last record', () => {
  expect(disagreement([report(1, 'a'), report(2, 'a')])).toBeNull();
  expect(disagreement([report(1, 'a'), report(2, 'b')])?.weightsHash).toEqual(['a', 'b']);
  expect(disagreement([report(1, 'a', 'c'), report(2, 'a', 'd')])).not.toBeNull();
});

test('LG-5 shares of an evaluation are added, not averaged', () => {
  const test = { lossSum: 2, correct: 1, count: 2 };
  const rest = { lossSum: 4, correct: 7, count: 8 };
  const event = evalEvent([
    { step: 3, test, train: test },
    { step: 3, test: rest, train: test },
  ]);
  expect(event).toMatchObject({ loss: 0.6, accuracy: 0.8, trainLoss: 1, trainAccuracy: 0.5 });
});
