import { expect, test } from 'vitest';
import { clipGradientNorm } from './clip.ts';
import golden from './golden/optim.json' with { type: 'json' };

test('OP-7 clipping equals PyTorch: norm and gradient', () => {
  const { maxNorm, gradBefore, totalNorm, gradAfter } = golden.clipGradNorm;
  const gradient = Float32Array.from(gradBefore);
  expect(Math.fround(clipGradientNorm(gradient, maxNorm))).toBe(totalNorm);
  gradient.forEach((value, i) => {
    expect(Math.abs(value / gradAfter[i] - 1)).toBeLessThan(1.2e-7);
  });
});

test('OP-7 a norm within the limit changes nothing, a zero gradient stays zero', () => {
  const gradient = Float32Array.of(3, 4);
  expect(clipGradientNorm(gradient, 5.1)).toBe(5);
  expect([...gradient]).toEqual([3, 4]);
  const zero = new Float32Array(3);
  expect(clipGradientNorm(zero, 1)).toBe(0);
  expect([...zero]).toEqual([0, 0, 0]);
});

test('OP-7 NaN is not hidden by clipping', () => {
  const gradient = Float32Array.of(1, Number.NaN);
  expect(clipGradientNorm(gradient, 1)).toBeNaN();
  expect([...gradient]).toEqual([Number.NaN, Number.NaN]);
});

test('OP-8 clipping before unscaling clips almost everything', () => {
  const scale = 65536;
  const scaled = Float32Array.of(0.3 * scale, 0.4 * scale);
  clipGradientNorm(scaled, 1);
  const early = scaled.map((value) => value / scale);
  expect(Math.hypot(...early)).toBeCloseTo(1 / scale, 9);
  const right = Float32Array.of(0.3, 0.4);
  clipGradientNorm(right, 1);
  expect(Math.hypot(...right)).toBeCloseTo(0.5, 6);
});
