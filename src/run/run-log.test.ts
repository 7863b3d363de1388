import { expect, test } from 'vitest';
import { parseExperiment } from '#experiment/parse';
import type { RunEvent } from './log.ts';
import { createRunLog } from './run-log.ts';

const parsed = parseExperiment({});
if (!parsed.ok) throw new Error('the default experiment is refused');
const run: RunEvent = {
  type: 'run',
  experiment: parsed.experiment,
  backend: 'wasm',
  device: 'a device',
  transport: 'shared',
  parameters: 1,
  stepsPerEpoch: 1,
  totalSteps: 1,
  trainCount: 1,
  testCount: 1,
  bucketBytes: [4],
  initialHash: ['00'],
};

function hashOf(...events: Parameters<ReturnType<typeof createRunLog>['append']>[0][]): string {
  const log = createRunLog();
  for (const event of events) log.append(event);
  return log.hash();
}

test('LG-2 the hash depends on every event, and on their order', () => {
  const end = { type: 'end', step: 1, reason: 'finished' } as const;
  const fault = { type: 'nonFinite', step: 1, ranks: [0] } as const;
  const hashes = [[], [run], [run, end], [run, fault, end], [run, end, fault]].map((events) =>
    hashOf(...events),
  );
  expect(new Set(hashes).size).toBe(5);
});

test('LG-8 the hash is the same over either transport, and differs between backends', () => {
  expect(hashOf({ ...run, transport: 'ports' })).toBe(hashOf(run));
  expect(hashOf({ ...run, backend: 'cpu' })).not.toBe(hashOf(run));
});

test('LG-1 the log keeps the transport', () => {
  const log = createRunLog();
  log.append(run);
  expect(log.events).toEqual([run]);
});
