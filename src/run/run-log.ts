/** @file The append-only log of one run, with a hash that rolls over every event. */
import { RollingHash } from '#core/hash';
import type { LogEvent, RunEvent } from './log.ts';

export interface RunLog {
  readonly events: readonly LogEvent[];
  append(event: LogEvent): void;
  /** Hash over all events so far; equal for two runs with the same log, whatever carried it. */
  hash(): string;
}

export function createRunLog(): RunLog {
  const events: LogEvent[] = [];
  const rolling = new RollingHash();
  return {
    events,
    append(event) {
      events.push(event);
      rolling.update(JSON.stringify(event.type === 'run' ? withoutCarrier(event) : event));
    },
    hash: () => rolling.toHex(),
  };
}

/** Shared memory or ports: it depends on how the page was embedded, and changes no number. */
function withoutCarrier({ transport: _transport, ...event }: RunEvent): object {
  return event;
}
