import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { throttle } from './throttle.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('the first call runs at once, the rest of an interval becomes one call at its end', () => {
  const call = vi.fn();
  const throttled = throttle(call, 100);
  throttled();
  throttled();
  throttled();
  expect(call).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(100);
  expect(call).toHaveBeenCalledTimes(2);
  vi.advanceTimersByTime(300);
  expect(call).toHaveBeenCalledTimes(2);
  throttled();
  expect(call).toHaveBeenCalledTimes(3);
});
