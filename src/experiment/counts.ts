/** @file How many samples a choice of data has, and how many steps that makes. */
import type { ModelSpec } from '#core/model';
import { stepsPerEpoch } from '#core/sampler';
import { gradientsAStep, hasServer } from '#core/sync-rules';
import type { DataChoice, Experiment } from './experiment.ts';

export interface SampleCounts {
  readonly train: number;
  readonly test: number;
}

const MNIST: Readonly<Record<'small' | 'full', SampleCounts>> = {
  small: { train: 12_000, test: 2_000 },
  full: { train: 60_000, test: 10_000 },
};

/** Characters of the novel as packed; nine tenths of them train. */
const NOVEL_CHARACTERS = 1_190_317;
const NOVEL_TRAIN = Math.floor(NOVEL_CHARACTERS * 0.9);

/** Windows of `context` characters whose labels, one further on, are still inside the text. */
const windows = (characters: number, context: number): number =>
  Math.floor((characters - 1) / context);

/**
 * Training and test samples of a data set; a sample of text is one window of the model's context.
 * Points have as many test samples as training samples.
 */
export function sampleCounts(data: DataChoice, model: ModelSpec): SampleCounts {
  if (data.name === 'mnist') return MNIST[data.size];
  if (data.name !== 'moby-dick') return { train: data.samples, test: data.samples };
  const context = model.kind === 'transformer' ? model.context : 1;
  return {
    train: windows(NOVEL_TRAIN, context),
    test: windows(NOVEL_CHARACTERS - NOVEL_TRAIN, context),
  };
}

/**
 * Steps that all ranks together need to go through the training samples once. Where a step is made of
 * fewer gradients than there are ranks, an asynchronous update say, an epoch has more of them; with
 * backup workers what is dropped is gone, and an epoch stays what it was.
 */
export function stepsOfEpoch(
  { replicas, batchPerRank, sync }: Pick<Experiment, 'replicas' | 'batchPerRank' | 'sync'>,
  trainCount: number,
): number {
  const steps = stepsPerEpoch(trainCount, replicas, batchPerRank);
  if (!hasServer(sync)) return steps;
  return Math.ceil((steps * replicas) / gradientsAStep(sync, replicas));
}

/** Steps of the whole run over `trainCount` samples. */
export function totalSteps(
  experiment: Pick<Experiment, 'duration' | 'replicas' | 'batchPerRank' | 'sync'>,
  trainCount: number,
): number {
  const { duration } = experiment;
  if (duration.unit === 'steps') return duration.count;
  return duration.count * stepsOfEpoch(experiment, trainCount);
}
