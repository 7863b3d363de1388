/** @file From the ranks' merged reports to log events and the wall-clock records beside them. */

import { learningRateOfStep, samplesBefore, segmentOfStep } from '#core/course';
import { addCensus } from '#core/float-formats';
import { noiseScale } from '#core/noise-scale';
import type { Plan } from '#core/plan';
import type { EvalReport, EvalShare, StepReport } from '#protocol/replica';
import type { RunClock } from '#sim/run-clock';
import type {
  DisagreementEvent,
  EvalEvent,
  PrecisionRecord,
  StepEvent,
  WallRecord,
} from './log.ts';
import { lossOf, type Parted, participationOf, partsOf } from './participation.ts';

/**
 * The step record of a run without faults: rank 0's order, losses weighted equally, or by their share
 * where the ranks do not take part alike.
 */
export function stepEvent(
  plan: Plan,
  perRank: readonly StepReport[],
  clock: Pick<RunClock, 'advance'>,
): StepEvent {
  const step = perRank[0]?.step ?? 0;
  const parts = partsOf(perRank);
  return {
    type: 'step',
    step,
    epoch: segmentOfStep(plan, step).epoch,
    samples: samplesSeen(plan, step, parts),
    loss: lossOf(perRank),
    lossPerRank: perRank.map((report) => report.loss),
    weightsHash: perRank.map((report) => report.weightsHash),
    bytesPerRank: perRank.map((report) => report.bytesSent),
    learningRate: rateOf(plan, step, parts),
    synchronised: perRank[0]?.synchronised ?? true,
    ...communicationOf(perRank),
    ...noiseOf(perRank),
    ...augmentationsOf(perRank),
    ...precisionOf(perRank),
    ...(parts !== null && participationOf(plan.sync, parts)),
    cluster: clock.advance(step),
  };
}

function samplesSeen(plan: Plan, step: number, parts: Parted): number {
  if (parts === null) return samplesBefore(plan, step + 1);
  return parts.reduce((sum, { samples }) => sum + samples, 0);
}

/** The schedule's rate, or the mean of those that an update's gradients were applied at. */
function rateOf(plan: Plan, step: number, parts: Parted): number {
  const pushes = parts?.[0]?.pushes ?? [];
  if (pushes.length === 0) return learningRateOfStep(plan, step);
  return pushes.reduce((sum, { learningRate }) => sum + learningRate, 0) / pushes.length;
}

/** What compression and clipping did, where they did anything. */
function communicationOf(
  perRank: readonly StepReport[],
): Pick<StepEvent, 'gatheredPerRank' | 'residualPerRank' | 'gradientNorm'> {
  const gathered = perRank.map((report) => report.gatheredBytes);
  const residuals = perRank.map((report) => report.residualNorm);
  const norm = perRank[0]?.gradientNorm ?? null;
  return {
    ...(gathered.some((bytes) => bytes > 0) && { gatheredPerRank: gathered }),
    ...(residuals.every((residual) => residual !== null) && { residualPerRank: residuals }),
    ...(norm !== null && { gradientNorm: norm }),
  };
}

function noiseOf(perRank: readonly StepReport[]): Pick<StepEvent, 'noiseScale'> {
  const noise = perRank[0]?.noise ?? null;
  if (noise === null) return {};
  return {
    noiseScale: { signal: noise.signal, noise: noise.noise, samples: noiseScale(noise) },
  };
}

/** As many as there are ranks where each draws its own, 1 where all draw the same. */
function augmentationsOf(perRank: readonly StepReport[]): Pick<StepEvent, 'augmentations'> {
  const drawn = perRank.flatMap(({ augmentation }) => augmentation ?? []);
  return drawn.length === 0 ? {} : { augmentations: new Set(drawn).size };
}

function precisionOf(perRank: readonly StepReport[]): { readonly precision?: PrecisionRecord } {
  const first = perRank[0]?.precision ?? null;
  if (first === null) return {};
  const gradients = perRank.map((report) => report.precision?.census ?? null).reduce(addCensus);
  return { precision: { lossScale: first.lossScale, skipped: first.skipped, gradients } };
}

/**
 * Set when the ranks' weights were not the same at a synchronisation point, now or since the last
 * record. Between two such points they may differ.
 */
export function disagreement(perRank: readonly StepReport[]): DisagreementEvent | null {
  const first = perRank[0];
  if (first === undefined) return null;
  const agree = perRank.every(
    (report) =>
      report.hashChain === first.hashChain &&
      (!report.synchronised || report.weightsHash === first.weightsHash),
  );
  if (agree) return null;
  const weightsHash = perRank.map((report) => report.weightsHash);
  return { type: 'disagreement', step: first.step, weightsHash };
}

export function wallRecord(perRank: readonly StepReport[], wallMs: number): WallRecord {
  return {
    step: perRank[0]?.step ?? 0,
    wallMs,
    computeMs: perRank.map((report) => report.computeMs),
    communicateMs: perRank.map((report) => report.communicateMs),
    updateMs: perRank.map((report) => report.updateMs),
    heldBytes: perRank.map((report) => report.heldBytes),
  };
}

/** Adds up the ranks' shares, in rank order; a split without samples gives NaN. */
export function evalEvent(perRank: readonly EvalReport[]): EvalEvent {
  const test = addShares(perRank.map((report) => report.test));
  const train = addShares(perRank.map((report) => report.train));
  return {
    type: 'eval',
    step: perRank[0]?.step ?? 0,
    loss: test.lossSum / test.count,
    accuracy: test.correct / test.count,
    trainLoss: train.lossSum / train.count,
    trainAccuracy: train.correct / train.count,
  };
}

function addShares(shares: readonly EvalShare[]): EvalShare {
  return shares.reduce((sum, share) => ({
    lossSum: sum.lossSum + share.lossSum,
    correct: sum.correct + share.correct,
    count: sum.count + share.count,
  }));
}
