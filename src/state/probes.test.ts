import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createFakeClient } from './fake-client.ts';
import { createLabStore } from './lab-store.ts';
import { pollProbes } from './probes.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const runEvent = {
  type: 'run',
  backend: 'fused',
  device: '',
  transport: 'shared',
  parameters: 10,
  stepsPerEpoch: 1,
  totalSteps: 1,
  trainCount: 1,
  testCount: 1,
  bucketBytes: [],
  initialHash: [],
} as const;

async function askedAfter(visible: boolean): Promise<number> {
  const client = createFakeClient();
  const store = createLabStore({ client, dataUrl: '', now: () => 0, initial: null });
  const stop = pollProbes(store, { visible: () => visible });
  store.actions.train();
  await vi.advanceTimersByTimeAsync(2000);
  expect(client.calls).not.toContain('probe');
  const { experiment } = store.getState();
  for (let completed = 1; completed <= 10; completed++) {
    client.send({ completed, events: completed === 1 ? [{ ...runEvent, experiment }] : [] });
    await vi.advanceTimersByTimeAsync(100);
  }
  stop();
  await vi.advanceTimersByTimeAsync(2000);
  return client.calls.filter((call) => call === 'probe').length;
}

test('UI-3 replicas are asked at most four times a second, once they run', async () => {
  const asked = await askedAfter(true);
  expect(asked).toBeGreaterThanOrEqual(2);
  expect(asked).toBeLessThanOrEqual(4);
});

test('UI-3 nobody is asked while nobody looks', async () => {
  expect(await askedAfter(false)).toBe(0);
});
