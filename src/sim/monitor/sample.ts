/** @file From a step of the cluster clock to what the monitor sees of it. */
import { timeSplit } from '#sim/metrics';
import type { Span } from '#sim/spans';
import type { ClusterStep } from '#sim/step-clock';
import type { StepSample } from './series.ts';

/** [rank] of what the clock's step itself does not say. */
export type Beside = Pick<StepSample, 'queue' | 'portSlowness' | 'lossScale' | 'gradientNorm'>;

/** The sample of a step. Pauses of a rank count as its compute, as a profiler would see them. */
export function sampleOf(
  { step, startNs, endNs, spans, celsius }: ClusterStep,
  beside: Beside = {},
): StepSample {
  const own: Span[][] = startNs.map(() => []);
  for (const span of spans) own[span.rank].push(span);
  const splits = own.map((each, rank) => timeSplit(each, startNs[rank], endNs[rank]));
  return {
    ...beside,
    step,
    startNs,
    stepNs: endNs.map((end, rank) => end - startNs[rank]),
    computeNs: splits.map(({ computeNs }) => computeNs),
    waitNs: splits.map(({ idle }) => idle.peersNs),
    dataNs: splits.map(({ idle }) => idle.dataNs),
    celsius: celsius.map((degrees) => degrees ?? Number.NaN),
  };
}
