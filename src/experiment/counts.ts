/** @file How many samples a choice of data has, and how many steps that makes. */
import type { ModelSpec } from '#core/model';
import { stepsPerEpoch } from '#core/sampler';
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

/** Steps of the whole run over `trainCount` samples. */
export function totalSteps(
  experiment: Pick<Experiment, 'duration' | 'replicas' | 'batchPerRank'>,
  trainCount: number,
): number {
  const { duration, replicas, batchPerRank } = experiment;
  if (duration.unit === 'steps') return duration.count;
  return duration.count * stepsPerEpoch(trainCount, replicas, batchPerRank);
}
