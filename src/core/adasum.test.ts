import { expect, test } from 'vitest';
import { adasum } from './adasum.ts';

const pair = (a: number[], b: number[]): number[] => [
  ...adasum([Float32Array.from(a), Float32Array.from(b)], [{ start: 0, end: a.length }]),
];

test('DP-21 (1,0), (0,1) -> (1,1); (2,0), (2,0) -> (2,0); (1,0), (1,1) -> (1.25, 0.75)', () => {
  expect(pair([1, 0], [0, 1])).toEqual([1, 1]);
  expect(pair([2, 0], [2, 0])).toEqual([2, 0]);
  expect(pair([1, 0], [1, 1])).toEqual([1.25, 0.75]);
});

test('DP-21 a vector with a squared norm below 1e-8 is added as it is', () => {
  expect(pair([0, 0], [3, 4])).toEqual([3, 4]);
  const tiny = 2 ** -14;
  expect(pair([tiny], [1])).toEqual([Math.fround(tiny + (1 - tiny / 2))]);
});

test('DP-21 tensors are combined each for itself', () => {
  const tensors = [
    { start: 0, end: 2 },
    { start: 2, end: 4 },
  ];
  const result = adasum([Float32Array.of(1, 0, 2, 0), Float32Array.of(0, 1, 2, 0)], tensors);
  expect([...result]).toEqual([1, 1, 2, 0]);
});

test('DP-21 of four ranks (0,1) and (2,3) are combined first, then their results', () => {
  const [a, b, c, d] = [
    [1, 0],
    [1, 1],
    [0, 2],
    [3, 1],
  ].map((v) => Float32Array.from(v));
  const whole = [{ start: 0, end: 2 }];
  const inner = [adasum([a, b], whole), adasum([c, d], whole)];
  expect(adasum([a, b, c, d], whole)).toEqual(adasum(inner, whole));
  expect([...a]).toEqual([1, 0]);
});

test('DP-21 one rank keeps its gradient', () => {
  expect([...adasum([Float32Array.of(1, 2)], [{ start: 0, end: 2 }])]).toEqual([1, 2]);
});

test('DP-21 a number of ranks that is no power of two is refused', () => {
  const vectors = [1, 2, 3].map((x) => Float32Array.of(x));
  expect(() => adasum(vectors, [])).toThrow('3 ranks; a power of two is allowed');
  expect(() => adasum([], [])).toThrow(RangeError);
});
