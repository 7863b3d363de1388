/** @file For tests: a small task for whole runs in one thread, and what their logs hold. */
import type { Experiment } from '#experiment/experiment';
import { requireExperiment } from '#experiment/parse';
import type { LogEvent, StepEvent } from '#run/log';
import type { FinishedRun } from './run-in-process.ts';

/** Steps of `spirals`, where `changes` do not say otherwise. */
export const STEPS = 24;

/** 200 points of two spirals, a small MLP, 4 ranks x 8 samples on the fused backend, every step recorded. */
export const spirals = (changes: Record<string, unknown> = {}): Experiment =>
  requireExperiment({
    data: { name: 'spirals', samples: 200, noise: 0.1 },
    model: { kind: 'mlp', hidden: [8, 8], activation: 'tanh' },
    optimizer: { kind: 'sgd', momentum: 0 },
    backend: 'fused',
    replicas: 4,
    batchPerRank: 8,
    duration: { unit: 'steps', count: STEPS },
    evalEvery: 12,
    logEvery: 1,
    ...changes,
  });

export const stepsOf = (events: readonly LogEvent[]): StepEvent[] =>
  events.filter((event) => event.type === 'step');

export const losses = ({ events }: FinishedRun): number[] =>
  stepsOf(events).map(({ loss }) => loss);
