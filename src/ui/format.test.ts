import { expect, test } from 'vitest';
import { loadLocale } from '#i18n/translate';
import {
  bytes,
  duration,
  figure,
  loss,
  percent,
  rate,
  shortHash,
  tick,
  wholePercents,
} from './format.ts';

await loadLocale('ru');

test('bytes are decimal, with three significant digits', () => {
  expect(figure(bytes('en', 0))).toBe('0\u00a0B');
  expect(figure(bytes('en', 999))).toBe('999\u00a0B');
  expect(figure(bytes('en', 24_412))).toBe('24.4\u00a0kB');
  expect(figure(bytes('en', 999_600))).toBe('1\u00a0MB');
  expect(figure(bytes('ru', 610_560))).toBe('611\u00a0кБ');
});

test('durations choose their unit', () => {
  expect(figure(duration('en', 0.012))).toBe('12\u00a0µs');
  expect(figure(duration('en', 9.996))).toBe('10.00\u00a0ms');
  expect(figure(duration('en', 21.34))).toBe('21.3\u00a0ms');
  expect(figure(duration('ru', 1840))).toBe('1,84\u00a0с');
});

test('losses, shares, rates and hashes', () => {
  expect(loss('en', 1.98754)).toBe('1.988');
  expect(loss('en', 0.00123)).toBe('0.0012');
  expect(loss('en', Number.NaN)).toBe('NaN');
  expect(loss('en', 99_999.4)).toBe('99,999.4');
  expect(loss('en', 100_000)).toBe('1e5');
  expect(loss('ru', 1.2345e21)).toBe('1,23e21');
  expect(tick('en', 250_000)).toBe('2.5e5');
  expect(tick('en', 0.5)).toBe('0.5');
  expect(percent('en', 0.9462)).toBe('94.6');
  expect(rate('en', 812_345)).toBe('812,000');
  expect(rate('en', 45.23)).toBe('45.2');
  expect(shortHash('9f3ac1d200000000')).toBe('9f3a\u00b7c1d2');
});

test('whole percents of a whole add up to 100', () => {
  expect(wholePercents([0.336, 0.336, 0.328, 0])).toEqual([34, 33, 33, 0]);
  expect(wholePercents([0.255, 0.255, 0.245, 0.245])).toEqual([26, 26, 24, 24]);
  expect(wholePercents([1, 0, 0, 0])).toEqual([100, 0, 0, 0]);
});
