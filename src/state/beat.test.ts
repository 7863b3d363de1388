import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createBeat } from './beat.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function createTestBeat(intervalMs: number) {
  let news = (): void => {};
  const beat = createBeat((listener) => {
    news = listener;
  }, intervalMs);
  return { beat, news: () => news() };
}

test('all listeners hear the same beats, until they unsubscribe', () => {
  const { beat, news } = createTestBeat(100);
  const heard: string[] = [];
  beat.subscribe(() => heard.push('a'));
  const unsubscribe = beat.subscribe(() => heard.push('b'));
  news();
  expect(heard).toEqual(['a', 'b']);
  unsubscribe();
  vi.advanceTimersByTime(100);
  expect(heard).toEqual(['a', 'b', 'a']);
});

test('news are heard at once after a silence, then once an interval, then a closing beat comes', () => {
  const { beat, news } = createTestBeat(100);
  const listener = vi.fn();
  beat.subscribe(listener);
  for (let ms = 0; ms < 250; ms += 10) {
    news();
    vi.advanceTimersByTime(10);
  }
  // At 0, 100 and 200 ms; the last news are of 240 ms.
  expect(listener).toHaveBeenCalledTimes(3);
  vi.advanceTimersByTime(1000);
  expect(listener).toHaveBeenCalledTimes(5);
  news();
  expect(listener).toHaveBeenCalledTimes(6);
});
