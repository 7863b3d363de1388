/** @file One rank's news for the conductor, gathered so that messages stay few. */
import type { Activity, ReplicaReport, TelemetryBatch } from '#protocol/replica';

/** Wall ms between batches while reports come in, and between changes of activity. */
const BATCH_MS = 16;
const ACTIVITY_MS = 50;

export interface Telemetry {
  report(report: ReplicaReport): void;
  /** What the rank does now; sent at once only if nothing was sent for a while. */
  activity(activity: Activity): void;
  completed(steps: number): void;
  /** Sends what there is if a batch's time has passed. */
  tick(nowMs: number): void;
  flush(): void;
}

export function createTelemetry(rank: number, port: MessagePort, now: () => number): Telemetry {
  let reports: ReplicaReport[] = [];
  let activity: Activity = 'idle';
  let completed = 0;
  let sentMs = now();

  const flush = (): void => {
    const batch: TelemetryBatch = { rank, activity, completed, reports };
    port.postMessage(batch);
    reports = [];
    sentMs = now();
  };
  return {
    report: (report) => void reports.push(report),
    activity(next) {
      if (next === activity) return;
      activity = next;
      if (now() - sentMs >= ACTIVITY_MS) flush();
    },
    completed(steps) {
      completed = steps;
    },
    tick(nowMs) {
      if (nowMs - sentMs >= BATCH_MS) flush();
    },
    flush,
  };
}
