import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createWatchdog, hangOf } from './hang.ts';

const WAITING = ['communicating', 'communicating', 'idle'] as const;

test('RU-10 MI-6 a hang is a rank that left, and all others in the collective of that step', () => {
  const exhausted = { rank: 2, step: 6 };
  const hang = { type: 'hang', step: 6, rank: 2, waiting: [0, 1] };
  expect(hangOf({ exhausted, completed: [6, 6, 6] }, WAITING)).toEqual(hang);
  expect(hangOf({ exhausted: null, completed: [6, 6, 6] }, WAITING)).toBeNull();
  expect(hangOf({ exhausted, completed: [6, 5, 6] }, WAITING)).toBeNull();
  expect(hangOf({ exhausted, completed: [6, 6, 6] }, ['communicating', 'computing', 'idle'])).toBe(
    null,
  );
});

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('RU-10 only two seconds of wall time without news count, and then every two more', () => {
  const onSilence = vi.fn();
  const watchdog = createWatchdog(onSilence);
  vi.advanceTimersByTime(5000);
  watchdog.feed();
  vi.advanceTimersByTime(1900);
  watchdog.feed();
  vi.advanceTimersByTime(1900);
  expect(onSilence).not.toHaveBeenCalled();
  vi.advanceTimersByTime(2200);
  expect(onSilence).toHaveBeenCalledTimes(2);
  watchdog.stop();
  vi.advanceTimersByTime(5000);
  expect(onSilence).toHaveBeenCalledTimes(2);
});
