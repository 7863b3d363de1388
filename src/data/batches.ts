/**
 * @file Batches of one rank: torch's DistributedSampler (shuffled, drop_last off) and DataLoader
 * (drop_last off, so the last batch of an epoch may be smaller), equal or by the ranks' speeds, and
 * shares of an evaluation.
 */
import { type CourseSegment, segmentOfBatch } from '#core/course';
import type { Plan } from '#core/plan';
import { epochOrder, paddedOrder, rankIndices } from '#core/sampler';
import { type Augmenter, createAugmenter } from './augment.ts';
import type { GivenSplit, Split } from './dataset.ts';
import { type Batch, createReader, type Reader } from './reader.ts';
import { createShares } from './shares.ts';

export interface BatcherData {
  readonly train: Split | GivenSplit;
  readonly test: Split | GivenSplit;
}

export interface BatcherOptions {
  readonly data: BatcherData;
  readonly plan: Plan;
  readonly rank: number;
}

export interface Batcher {
  /** This rank's batch of a step. Its arrays are filled anew by the next call of any method. */
  batchAt(step: number): Batch;
  /** Hash of the augmentation of the batch read last; null where nothing is augmented. */
  augmentation(): string | null;
  /**
   * This rank's share of an evaluation: of all test samples, or of a subset of the training
   * samples spread evenly over them. All shares together hold each sample exactly once.
   */
  evaluationBatches(split: 'test' | 'train'): Generator<Batch, void>;
}

/** Samples of one evaluation batch; a text sample is a whole window, so fewer of them. */
const EVALUATION_BATCH = { text: 32, other: 256 } as const;

/** Training samples that are evaluated: enough to see a gap to the test set, few enough to be quick. */
const TRAINING_SUBSET = { text: 256, other: 2000 } as const;

/** The batches of `rank` under `plan`. `plan.trainCount` samples of the split are used. */
export function createBatcher({ data, plan, rank }: BatcherOptions): Batcher {
  const train = createReader(data.train, plan.model);
  const test = createReader(data.test, plan.model);
  const isGiven = data.train.kind === 'given';
  const augmenter = isGiven ? null : createAugmenter({ plan, rank });
  const plain = isGiven ? givenBatches(train, plan, rank) : sampled(train, plan, rank);
  return {
    batchAt: augmenter === null ? plain : augmented(plain, augmenter),
    augmentation: () => augmenter?.hash() ?? null,
    evaluationBatches: (split) => {
      const shape = plan.model.task.kind === 'text' ? 'text' : 'other';
      const subset = Math.min(plan.testCount, TRAINING_SUBSET[shape]);
      return split === 'test'
        ? evaluationBatches(test, plan.testCount, plan, rank)
        : evaluationBatches(train, subset, plan, rank);
    },
  };
}

function sampled(reader: Reader, plan: Plan, rank: number): Batcher['batchAt'] {
  const { seed, worldSize, batchPerRank, trainCount, mistakes } = plan;
  const shares = createShares(plan, rank);
  let segment: CourseSegment = { epoch: -1, firstStep: 0, position: 0 };
  let lastStep = -1;
  let perRank = 0;
  let indices: Uint32Array = new Uint32Array(0);
  const enter = (step: number): void => {
    segment = segmentOfBatch(plan, step);
    const told = mistakes.noSetEpoch ? 0 : segment.epoch;
    const order = epochOrder(trainCount, seed, told, true);
    const used = segment.position;
    indices =
      shares === null
        ? rankIndices(order, worldSize, rank, false, used)
        : paddedOrder(order, worldSize, used);
    perRank = Math.ceil((trainCount - used) / worldSize);
    lastStep = segment.firstStep + Math.ceil(perRank / batchPerRank) - 1;
  };
  return (step) => {
    if (step < segment.firstStep || step > lastStep) enter(step);
    const from = (step - segment.firstStep) * batchPerRank;
    const equal = Math.min(batchPerRank, perRank - from);
    if (shares === null) return reader.read(indices, from, equal);
    const { offset, size } = shares(equal);
    return reader.read(indices, worldSize * from + offset, size);
  };
}

function augmented(plain: Batcher['batchAt'], augmenter: Augmenter): Batcher['batchAt'] {
  return (step) => {
    const batch = plain(step);
    augmenter.apply(batch, step);
    return batch;
  };
}

/** Row [step][rank][i] of what was given; balanced batches take the rows of a step in their order. */
function givenBatches(reader: Reader, plan: Plan, rank: number): Batcher['batchAt'] {
  const { worldSize, batchPerRank } = plan;
  const { offset, size } = createShares(plan, rank)?.(batchPerRank) ?? {
    offset: rank * batchPerRank,
    size: batchPerRank,
  };
  const indices = new Uint32Array(size);
  return (step) => {
    const first = step * worldSize * batchPerRank + offset;
    if (first + size > reader.count) {
      throw new RangeError(
        `step ${step}, rank ${rank}: the given batches end after ${reader.count} samples`,
      );
    }
    for (let i = 0; i < size; i++) indices[i] = first + i;
    return reader.read(indices, 0, size);
  };
}

function* evaluationBatches(
  reader: Reader,
  wanted: number,
  plan: Plan,
  rank: number,
): Generator<Batch, void> {
  const total = Math.min(wanted, reader.count);
  const from = Math.floor((rank * total) / plan.worldSize);
  const share = Math.floor(((rank + 1) * total) / plan.worldSize) - from;
  // Evenly spread over the split; every sample in turn where all of them are evaluated.
  const indices = Uint32Array.from({ length: share }, (_, i) =>
    Math.floor(((from + i) * reader.count) / total),
  );
  const size = plan.model.task.kind === 'text' ? EVALUATION_BATCH.text : EVALUATION_BATCH.other;
  for (let at = 0; at < share; at += size) {
    yield reader.read(indices, at, Math.min(size, share - at));
  }
}
