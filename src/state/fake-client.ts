/** @file A client for tests: records the calls, and sends the batches that a test makes. */
import type { PageBatch } from '#run/service';
import type { LabClient } from './client.ts';

export interface FakeClient extends LabClient {
  /** Names of the conductor's methods in the order in which they were called. */
  readonly calls: string[];
  send(batch: Partial<PageBatch>): void;
}

const EMPTY: PageBatch = {
  run: 1,
  status: 'running',
  preparation: null,
  failure: null,
  timings: [],
  completed: 0,
  totalSteps: 0,
  samplesPerSecond: 0,
  activity: [],
  events: [],
  wall: [],
  logHash: null,
};

/** Runs are numbered 1, 2, ... as the conductor numbers them; `refuse` makes every call fail. */
export function createFakeClient(refuse: Error | null = null): FakeClient {
  const calls: string[] = [];
  const listeners = new Set<(batch: PageBatch) => void>();
  let runs = 0;
  const answer = async <Value>(name: string, value: Value): Promise<Value> => {
    calls.push(name);
    if (refuse) throw refuse;
    return value;
  };
  return {
    calls,
    conductor: {
      start: (_, { paused }) => answer(paused ? 'start paused' : 'start', ++runs),
      pause: () => answer('pause', undefined),
      resume: () => answer('resume', undefined),
      step: () => answer('step', undefined),
      stop: () => answer('stop', undefined),
      kill: (rank) => answer(`kill ${rank}`, true),
      probe: () => answer('probe', null),
      sampleBatches: () => answer('sampleBatches', []),
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    send(batch) {
      for (const listener of listeners) listener({ ...EMPTY, ...batch });
    },
  };
}
