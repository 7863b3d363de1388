/** @file What the monitor has to say of a run's ranks: each finding and warning once. */

import { detect } from './monitor/detector.ts';
import type { Cause, Finding } from './monitor/finding.ts';
import { createPortMeter } from './monitor/port-meter.ts';
import { type Danger, predict } from './monitor/predictor.ts';
import { sampleOf } from './monitor/sample.ts';
import { RankSeries } from './monitor/series.ts';
import type { LinkObserver } from './network.ts';
import type { ClusterStep } from './step-clock.ts';
import type { Topology } from './topology.ts';

/** A rank holds the others up, and this shows it. */
export interface FindingNews {
  readonly type: 'finding';
  readonly step: number;
  readonly rank: number;
  readonly cause: Cause;
  readonly evidence: Finding['evidence'];
}

/** A rank is on its way across a limit. */
export interface WarningNews {
  readonly type: 'warning';
  readonly step: number;
  readonly rank: number;
  readonly danger: Danger;
  /** The step at which the limit is expected to be crossed. */
  readonly expectedStep: number;
  readonly limit: number;
  /** 0 ... 1 */
  readonly sureness: number;
}

export type News = FindingNews | WarningNews;

export interface RunMonitor {
  readonly observer: LinkObserver;
  observe(step: number, done: ClusterStep, queued: readonly number[]): void;
  /** What is new since the last call. */
  take(): readonly News[];
}

/** Steps between two looks: the statistics cost more than a step of the clock. */
const LOOK_EVERY = 8;

/** Watches ranks whose devices slow down at `limitCelsius`. */
export function createRunMonitor(topology: Topology, limitCelsius: number): RunMonitor {
  const series = new RankSeries(topology.worldSize);
  const meter = createPortMeter(topology);
  const known = new Set<string>();
  let news: News[] = [];

  const isNew = (key: string): boolean => {
    if (known.has(key)) return false;
    known.add(key);
    return true;
  };
  const look = (step: number): void => {
    for (const { rank, cause, evidence } of detect(series, { limitCelsius })) {
      if (isNew(`${rank} ${cause}`)) news.push({ type: 'finding', step, rank, cause, evidence });
    }
    for (const warning of predict(series, { limitCelsius })) {
      const { rank, danger, limit, sureness, step: expectedStep } = warning;
      if (!isNew(`${rank} ${danger}`)) continue;
      news.push({ type: 'warning', step, rank, danger, expectedStep, limit, sureness });
    }
  };

  return {
    observer: meter.observe,
    observe(step, done, queue) {
      series.observe({ ...sampleOf(done, { queue, portSlowness: meter.take() }), step });
      if ((step + 1) % LOOK_EVERY === 0) look(step);
    },
    take() {
      const taken = news;
      news = [];
      return taken;
    },
  };
}
