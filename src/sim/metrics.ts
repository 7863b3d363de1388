/** @file Measures of a run with the field's definitions, from spans and plain numbers. */
import type { Span, SpanKind } from './spans.ts';
import { type Ns, ns } from './time.ts';

/** Parts of a rank's time; they add up to the window. */
export interface TimeSplit {
  readonly computeNs: Ns;
  /** Communication, compression included, while the rank computes nothing. */
  readonly exposedCommunicationNs: Ns;
  /** Idle, by reason: for ranks that have not come, for the data loader, after a fault, other. */
  readonly idle: {
    readonly peersNs: Ns;
    readonly dataNs: Ns;
    readonly faultNs: Ns;
    readonly otherNs: Ns;
  };
  /** All communication, hidden or not. */
  readonly communicationNs: Ns;
}

const COMPUTE: readonly SpanKind[] = ['forward', 'backward', 'optimizer'];
const COMMUNICATION: readonly SpanKind[] = ['communication', 'compression'];

/**
 * How one rank spent [startNs, endNs): what happens during compute counts as compute [HTA, temporal
 * breakdown], then communication, then waiting for peers, data, faults. `spans` are those of the
 * rank alone; what lies outside the window does not count.
 */
export function timeSplit(spans: readonly Span[], startNs: Ns, endNs: Ns): TimeSplit {
  const window = { startNs, endNs };
  const order = [COMPUTE, COMMUNICATION, ['wait'], ['data'], ['fault']] as const;
  const kinds: SpanKind[] = [];
  let before = 0;
  const [computeNs, exposedCommunicationNs, peersNs, dataNs, faultNs] = order.map((more) => {
    kinds.push(...more);
    const covered = coveredNs(ofKinds(spans, kinds), window);
    const part = ns(covered - before);
    before = covered;
    return part;
  });
  return {
    computeNs,
    exposedCommunicationNs,
    idle: { peersNs, dataNs, faultNs, otherNs: ns(endNs - startNs - before) },
    communicationNs: coveredNs(ofKinds(spans, COMMUNICATION), window),
  };
}

/** |communication and compute| / |communication| [HTA]; 1 where there is no communication. */
export function overlapShare({ communicationNs, exposedCommunicationNs }: TimeSplit): number {
  return communicationNs === 0 ? 1 : 1 - exposedCommunicationNs / communicationNs;
}

/** Model FLOPs a second over the peak of all devices; recomputation does not count [PaLM]. */
export function modelFlopsUtilisation(
  modelFlops: number,
  seconds: number,
  peakFlopsPerSecond: number,
): number {
  return modelFlops / seconds / peakFlopsPerSecond;
}

/** Share of the time in which work was done that was kept. */
export function goodputShare(usefulNs: Ns, totalNs: Ns): number {
  return usefulNs / totalNs;
}

/** Throughput of N ranks over N times that of one. */
export function scalingEfficiency(
  ranks: number,
  samplesPerSecond: number,
  samplesPerSecondOfOne: number,
): number {
  return samplesPerSecond / (ranks * samplesPerSecondOfOne);
}

export interface StalenessDistribution {
  /** [staleness]: gradients that were so many updates old when they were applied. */
  readonly counts: readonly number[];
  readonly mean: number;
  readonly most: number;
}

/**
 * How old gradients were: the server's updates between a gradient's weights and its use, one entry a
 * gradient [Zhang 2016]. Throws RangeError for what is no count; of no gradients the mean is 0.
 */
export function stalenessDistribution(staleness: readonly number[]): StalenessDistribution {
  const wrong = staleness.find((each) => !(Number.isInteger(each) && each >= 0));
  if (wrong !== undefined) throw new RangeError(`staleness ${wrong}; an integer from 0 is allowed`);
  const most = staleness.reduce((greatest, each) => Math.max(greatest, each), 0);
  const counts = new Array<number>(most + 1).fill(0);
  for (const each of staleness) counts[each]++;
  const sum = staleness.reduce((total, each) => total + each, 0);
  return { counts, mean: staleness.length === 0 ? 0 : sum / staleness.length, most };
}

interface Interval {
  readonly startNs: Ns;
  readonly endNs: Ns;
}

/** Time within `window` that at least one interval covers. */
function coveredNs(intervals: readonly Interval[], window: Interval): Ns {
  const sorted = intervals.toSorted((a, b) => a.startNs - b.startNs);
  let covered = 0;
  let reached: number = window.startNs;
  for (const { startNs, endNs } of sorted) {
    const from = Math.max(startNs, reached);
    const until = Math.min(endNs, window.endNs);
    if (until > from) {
      covered += until - from;
      reached = until;
    }
  }
  return ns(covered);
}

function ofKinds(spans: readonly Span[], kinds: readonly SpanKind[]): Span[] {
  return spans.filter(({ kind }) => kinds.includes(kind));
}
