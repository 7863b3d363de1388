/** @file A run as JSON lines: the log's events, each step with its wall time, and a summary. */
import type { BackendTiming } from '#protocol/replica';
import type { EndEvent, EvalEvent, LogEvent, RunEvent, StepEvent } from '#run/log';
import type { PageBatch } from '#run/service';

export interface Summary {
  readonly type: 'summary';
  readonly reason: EndEvent['reason'];
  /** Completed steps. */
  readonly steps: number;
  /** Mean training loss of the last recorded step, nats. */
  readonly loss: number | null;
  /** Of the last evaluation on the test set, nats. */
  readonly testLoss: number | null;
  readonly accuracy: number | null;
  readonly logHash: string | null;
  /** Wall time from step 0 to the end. */
  readonly wallSeconds: number;
  /** Over the whole run, all ranks together, wall time. */
  readonly samplesPerSecond: number;
  /** What the automatic choice measured; empty where the backend was named. */
  readonly backendTimings: readonly BackendTiming[];
  /** What went wrong, in plain words; empty where nothing did. */
  readonly message: string;
}

export interface LineWriter {
  /** The lines of a batch of news, as JSON texts; NaN becomes null. */
  lines(batch: PageBatch, nowMs: number): string[];
  /** Why the run ended, or null while it goes on. */
  end(): EndEvent['reason'] | null;
  summary(message: string): string;
}

/** Writes one run. `givenSamples` is the size of data given from outside, else null. */
export function createLineWriter(givenSamples: number | null): LineWriter {
  let beganMs = 0;
  let endedMs = 0;
  let last: StepEvent | null = null;
  let evaluation: EvalEvent | null = null;
  let end: EndEvent | null = null;
  let logHash: string | null = null;
  let timings: readonly BackendTiming[] = [];

  const note = (event: LogEvent, nowMs: number): void => {
    if (event.type === 'run') beganMs = nowMs;
    if (event.type === 'step') last = event;
    if (event.type === 'eval') evaluation = event;
    if (event.type === 'end') {
      end = event;
      endedMs = nowMs;
    }
  };

  return {
    lines(batch, nowMs) {
      timings = batch.timings.length > 0 ? batch.timings : timings;
      logHash = batch.logHash ?? logHash;
      for (const event of batch.events) note(event, nowMs);
      const wall = new Map(batch.wall.map((record) => [record.step, record]));
      return batch.events.flatMap((event) => {
        // The summary says it.
        if (event.type === 'end') return [];
        if (event.type === 'run') return [JSON.stringify(runLine(event, givenSamples))];
        const record = event.type === 'step' ? wall.get(event.step) : undefined;
        return [
          JSON.stringify(record === undefined ? event : { ...event, ...withoutStep(record) }),
        ];
      });
    },
    end: () => end?.reason ?? null,
    summary(message) {
      // Ended before step 0: no run event came.
      const wallSeconds = beganMs === 0 ? 0 : (endedMs - beganMs) / 1000;
      const summary: Summary = {
        type: 'summary',
        reason: end?.reason ?? 'failed',
        steps: end?.step ?? 0,
        loss: last?.loss ?? null,
        testLoss: evaluation?.loss ?? null,
        accuracy: evaluation?.accuracy ?? null,
        logHash,
        wallSeconds,
        samplesPerSecond: wallSeconds > 0 ? (last?.samples ?? 0) / wallSeconds : 0,
        backendTimings: timings,
        message,
      };
      return JSON.stringify(summary);
    },
  };
}

/** Given batches replaced the experiment's data; the line says so. */
function runLine(event: RunEvent, givenSamples: number | null): object {
  if (givenSamples === null) return event;
  const data = { name: 'given', samples: givenSamples };
  return { ...event, experiment: { ...event.experiment, data } };
}

function withoutStep(record: PageBatch['wall'][number]): object {
  const { step: _step, ...times } = record;
  return times;
}
