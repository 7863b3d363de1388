/**
 * @file The high-rate side of a run: series, wall records and what each rank does now. It lies
 * outside the store, so that a batch a frame does not render React; charts draw from it directly.
 */
import type { Activity } from '#protocol/replica';
import type { EvalEvent, LogEvent, StepEvent, WallRecord } from '#run/log';
import type { PageBatch } from '#run/service';
import { createSeries, type Series } from './series.ts';

/** Points a series keeps: more than a chart has pixels to show. */
const SERIES_CAPACITY = 512;
/** Wall records kept; the strip and the split look at the last few only. */
const WALL_CAPACITY = 64;
const NEWS_CAPACITY = 4;

/** The figures of this moment; replaced as a whole with every batch. */
export interface LiveFigures {
  readonly completed: number;
  readonly totalSteps: number;
  /** Wall time. */
  readonly samplesPerSecond: number;
  readonly activity: readonly Activity[];
  readonly lastStep: StepEvent | null;
  readonly lastEval: EvalEvent | null;
  /** Ranks that are left after losses; null where none were lost. */
  readonly worldSize: number | null;
  /** The latest losses, recoveries and words of the monitor, oldest first. */
  readonly news: readonly NewsEvent[];
}

export type NewsEvent = Extract<
  LogEvent,
  { type: 'fault' | 'recovery' | 'finding' | 'warning' | 'hang' }
>;

export interface RunSeries {
  readonly trainLoss: Series;
  readonly testLoss: Series;
  readonly trainAccuracy: Series;
  readonly testAccuracy: Series;
  /** The latest records, oldest first. */
  wall(): readonly WallRecord[];
  live(): LiveFigures;
  /** `now` when a rank was last known to communicate, in the unit of `now`; -Infinity if never. */
  communicatedAt(rank: number): number;
  take(batch: PageBatch, now: number): void;
  clear(): void;
  /** Called after every batch; returns the way to unsubscribe. */
  subscribe(listener: () => void): () => void;
}

const NOTHING: LiveFigures = {
  completed: 0,
  totalSteps: 0,
  samplesPerSecond: 0,
  activity: [],
  lastStep: null,
  lastEval: null,
  worldSize: null,
  news: [],
};

const NEWS: readonly LogEvent['type'][] = ['fault', 'recovery', 'finding', 'warning', 'hang'];

function isNews(event: LogEvent): event is NewsEvent {
  return NEWS.includes(event.type);
}

/** An empty recorder; `take` fills it from the conductor's batches. */
export function createRunSeries(): RunSeries {
  const trainLoss = createSeries(SERIES_CAPACITY);
  const testLoss = createSeries(SERIES_CAPACITY);
  const trainAccuracy = createSeries(SERIES_CAPACITY);
  const testAccuracy = createSeries(SERIES_CAPACITY);
  const all = [trainLoss, testLoss, trainAccuracy, testAccuracy];
  const listeners = new Set<() => void>();
  const communicated = new Map<number, number>();
  let records: WallRecord[] = [];
  let live = NOTHING;

  function takeEvent(event: LogEvent): void {
    if (event.type === 'step') {
      trainLoss.push(event.step + 1, event.samples, event.loss);
      live = { ...live, lastStep: event };
    } else if (event.type === 'eval') {
      const samples = live.lastStep?.samples ?? 0;
      testLoss.push(event.step, samples, event.loss);
      testAccuracy.push(event.step, samples, event.accuracy);
      trainAccuracy.push(event.step, samples, event.trainAccuracy);
      live = { ...live, lastEval: event };
    } else if (isNews(event)) {
      // Steps that are done again are drawn again.
      if (event.type === 'recovery') {
        for (const series of all) series.cutAfter(event.step);
        live = { ...live, worldSize: event.worldSize };
      }
      live = { ...live, news: [...live.news, event].slice(-NEWS_CAPACITY) };
    }
  }

  function noteCommunication(batch: PageBatch, now: number): void {
    for (const [rank, activity] of batch.activity.entries()) {
      if (activity === 'communicating') communicated.set(rank, now);
    }
    const last = batch.events.findLast((event) => event.type === 'step');
    for (const [rank, bytes] of (last?.bytesPerRank ?? []).entries()) {
      if (bytes > 0) communicated.set(rank, now);
    }
  }

  return {
    trainLoss,
    testLoss,
    trainAccuracy,
    testAccuracy,
    wall: () => records,
    live: () => live,
    communicatedAt: (rank) => communicated.get(rank) ?? Number.NEGATIVE_INFINITY,
    take(batch, now) {
      for (const event of batch.events) takeEvent(event);
      if (batch.wall.length > 0) records = [...records, ...batch.wall].slice(-WALL_CAPACITY);
      noteCommunication(batch, now);
      live = {
        ...live,
        completed: batch.completed,
        totalSteps: batch.totalSteps,
        samplesPerSecond: batch.samplesPerSecond,
        activity: batch.activity,
      };
      for (const listener of listeners) listener();
    },
    clear() {
      for (const series of all) series.clear();
      communicated.clear();
      records = [];
      live = NOTHING;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
