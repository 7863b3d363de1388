import { expect, test } from 'vitest';
import { FLOAT_FORMATS, roundFloat } from './float-formats.ts';
import {
  initialScaler,
  PYTORCH_SCALER,
  type ScalerConfig,
  unscale,
  updateScaler,
} from './grad-scaler.ts';

/** The scale after each step. */
function scales(config: ScalerConfig, finite: readonly boolean[]): number[] {
  let state = initialScaler(config);
  return finite.map((ok) => {
    state = updateScaler(config, state, ok);
    return state.scale;
  });
}

const [ok, inf] = [true, false];

test('PR-7 T: interval 3; ok, ok, inf, ok, ok, ok', () => {
  const config = { ...PYTORCH_SCALER, growthInterval: 3 };
  expect(scales(config, [ok, ok, inf, ok, ok, ok])).toEqual([
    65536, 65536, 32768, 32768, 32768, 65536,
  ]);
});

test('PR-7 the defaults are PyTorch: 65536, doubled after 2000 good steps, halved on overflow', () => {
  const after = scales(PYTORCH_SCALER, new Array<boolean>(4000).fill(ok));
  expect([after[0], after[1998], after[1999], after[3999]]).toEqual([65536, 65536, 131072, 262144]);
  expect(scales(PYTORCH_SCALER, [inf, inf])).toEqual([32768, 16384]);
});

test('PR-7 the scale may fall below 1, and never grows to infinity', () => {
  expect(scales({ ...PYTORCH_SCALER, initialScale: 1 }, [inf, inf])).toEqual([0.5, 0.25]);
  const huge = { ...PYTORCH_SCALER, initialScale: 2 ** 127, growthInterval: 1 };
  expect(scales(huge, [ok, ok])).toEqual([2 ** 127, 2 ** 127]);
});

test('PR-7 unscaling multiplies by the reciprocal and says whether all was finite', () => {
  const state = initialScaler(PYTORCH_SCALER);
  const gradient = Float32Array.of(65536, -1, 0);
  expect(unscale(gradient, state)).toBe(true);
  expect([...gradient]).toEqual([1, -(2 ** -16), 0]);
  for (const bad of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
    expect(unscale(Float32Array.of(1, bad), state)).toBe(false);
  }
  const third = Float32Array.of(1);
  unscale(third, initialScaler({ kind: 'fixed', scale: 3 }));
  expect(third[0]).toBe(Math.fround(1 / 3));
});

test('PR-7 none and fixed never change', () => {
  expect(scales({ kind: 'none' }, [ok, inf, ok])).toEqual([1, 1, 1]);
  expect(scales({ kind: 'fixed', scale: 128 }, [ok, inf, ok])).toEqual([128, 128, 128]);
});

test('PR-8 hysteresis 2 forgives one overflow until the scale has grown; a least scale holds', () => {
  const config = { ...PYTORCH_SCALER, initialScale: 4, growthInterval: 2, hysteresis: 2 };
  expect(scales(config, [inf, inf, inf, ok, ok, inf, inf])).toEqual([4, 2, 1, 1, 2, 2, 1]);
  expect(scales({ ...config, hysteresis: 1, minScale: 1 }, [inf, inf, inf])).toEqual([2, 1, 1]);
});

test('PR-9 scaling by 8 saves a gradient of 2^-27, which fp16 otherwise loses', () => {
  const { fp16 } = FLOAT_FORMATS;
  const tiny = 2 ** -27;
  expect(roundFloat(fp16, tiny)).toBe(0);
  const gradient = Float32Array.of(roundFloat(fp16, 8 * tiny));
  expect(unscale(gradient, initialScaler({ kind: 'fixed', scale: 8 }))).toBe(true);
  expect(gradient[0]).toBe(tiny);
});
