import { expect, test } from 'vitest';
import { createPacer } from './pacing.ts';

test('RU-1 before the rate is known, two steps are granted', () => {
  expect(createPacer().limit(10)).toBe(12);
});

test('RU-1 a fifth of a second of steps is granted, so Pause is quick at any speed', () => {
  const pacer = createPacer();
  pacer.observe(0, 0);
  pacer.observe(1000, 100);
  expect(pacer.rate()).toBe(10_000);
  expect(pacer.limit(1000)).toBe(3000);
});

test('RU-1 ranks that turn out much faster are believed at once, slower ones bit by bit', () => {
  const pacer = createPacer();
  pacer.observe(0, 0);
  pacer.observe(20, 20);
  pacer.observe(620, 80);
  expect(pacer.rate()).toBe(10_000);
  pacer.observe(1120, 180);
  expect(pacer.rate()).toBe(8_500);
});

test('RU-1 time spent paused does not count as slow steps', () => {
  const pacer = createPacer();
  pacer.observe(0, 0);
  pacer.observe(100, 100);
  pacer.rest();
  pacer.observe(100, 60_000);
  pacer.observe(200, 60_100);
  expect(pacer.rate()).toBe(1000);
});
