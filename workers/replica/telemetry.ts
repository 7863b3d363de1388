/** @file One rank's news for the conductor, gathered so that messages stay few. */
import type { Activity, ReplicaReport, TelemetryBatch } from '#protocol/replica';

/** Wall ms between batches while reports come in, and between changes of activity. */
const BATCH_MS = 16;
const ACTIVITY_MS = 50;

export interface Telemetry {
  report(report: ReplicaReport): void;
  /**
   * What the rank does now; sent at once only if nothing was sent for a while. A batch that comes
   * between two changes names what took the most time since the last one: batches are made where a
   * step ends, and the rank would always seem to be doing what comes last in a step.
   */
  activity(activity: Activity): void;
  completed(steps: number): void;
  /** Sends what there is, and what the rank does now: it may go on doing that for long. */
  dwell(): void;
  /** Sends what there is if a batch's time has passed. */
  tick(nowMs: number): void;
  flush(): void;
}

export function createTelemetry(
  { rank, generation }: Pick<TelemetryBatch, 'rank' | 'generation'>,
  port: MessagePort,
  now: () => number,
): Telemetry {
  let reports: ReplicaReport[] = [];
  let activity: Activity = 'idle';
  let completed = 0;
  let sentMs = now();
  let sinceMs = sentMs;
  /** Wall ms since the last batch, by activity. */
  const spent = new Map<Activity, number>();

  const spend = (nowMs: number): void => {
    spent.set(activity, (spent.get(activity) ?? 0) + nowMs - sinceMs);
    sinceMs = nowMs;
  };
  const send = (shown: Activity): void => {
    const batch: TelemetryBatch = { rank, generation, activity: shown, completed, reports };
    port.postMessage(batch);
    reports = [];
    spent.clear();
    sentMs = now();
    sinceMs = sentMs;
  };
  const flush = (): void => {
    spend(now());
    let most = activity;
    for (const [kind, ms] of spent) if (ms > (spent.get(most) ?? 0)) most = kind;
    send(most);
  };
  return {
    report: (report) => void reports.push(report),
    activity(next) {
      if (next === activity) return;
      const nowMs = now();
      spend(nowMs);
      activity = next;
      if (nowMs - sentMs >= ACTIVITY_MS) send(next);
    },
    completed(steps) {
      completed = steps;
    },
    dwell() {
      spend(now());
      send(activity);
    },
    tick(nowMs) {
      if (nowMs - sentMs >= BATCH_MS) flush();
    },
    flush,
  };
}
