/** @file News for the page: gathered, few batches a second, one unanswered at a time. */
import type { Activity, BackendTiming } from '#protocol/replica';
import type { LogEvent, WallRecord } from './log.ts';
import type { Failure, PageBatch, PageHost, Preparation, RunStatus } from './service.ts';

/** Wall ms between batches: each costs the page's main thread, which shows figures less often still. */
const INTERVAL_MS = 50;

/** The present state of the run; events and wall records are queued apart. */
export interface RunState {
  run: number;
  status: RunStatus;
  preparation: Preparation | null;
  failure: Failure | null;
  timings: readonly BackendTiming[];
  completed: number;
  totalSteps: number;
  samplesPerSecond: number;
  activity: Activity[];
  logHash: string | null;
}

export interface PageFeed {
  /** The state changed, and perhaps there are events: send them when the page can take them. */
  push(events?: readonly LogEvent[], wall?: readonly WallRecord[]): void;
  /** Drops what has not been sent; a new run begins. */
  clear(): void;
}

export function createPageFeed(state: RunState, host: () => PageHost | null): PageFeed {
  let events: LogEvent[] = [];
  let wall: WallRecord[] = [];
  let dirty = false;
  let sending = false;

  const send = async (): Promise<void> => {
    sending = true;
    while (dirty) {
      dirty = false;
      const batch: PageBatch = { ...state, activity: [...state.activity], events, wall };
      events = [];
      wall = [];
      await host()?.receive(batch);
      await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
    }
    sending = false;
  };

  return {
    push(newEvents = [], newWall = []) {
      events.push(...newEvents);
      wall.push(...newWall);
      dirty = true;
      if (!sending) void send();
    },
    clear() {
      events = [];
      wall = [];
    },
  };
}
