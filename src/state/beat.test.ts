import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createBeat } from './beat.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('all listeners hear the same beat, at most one an interval, and the last news too', () => {
  let news = (): void => {};
  const beat = createBeat((listener) => {
    news = listener;
  }, 100);
  const heard: string[] = [];
  beat.subscribe(() => heard.push('a'));
  const unsubscribe = beat.subscribe(() => heard.push('b'));
  news();
  expect(heard).toEqual(['a', 'b']);
  vi.advanceTimersByTime(60);
  news();
  news();
  expect(heard).toHaveLength(2);
  unsubscribe();
  vi.advanceTimersByTime(40);
  expect(heard).toEqual(['a', 'b', 'a']);
  vi.advanceTimersByTime(1000);
  expect(heard).toHaveLength(3);
});
