import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ALWAYS, RankCompute, type SlowdownCause } from './slowdown.ts';
import { Thermal, type ThermalConfig } from './thermal.ts';
import { ns } from './time.ts';

function rank(...causes: SlowdownCause[]): RankCompute {
  const compute = new RankCompute(1, 0);
  for (const cause of causes) compute.add({ ranks: 'all', cause, ...ALWAYS });
  return compute;
}

const hiccup = (periodNs: number, pauseNs: number, offsetNs = 0): SlowdownCause => {
  return { kind: 'hiccup', periodNs: ns(periodNs), pauseNs: ns(pauseNs), offsetNs: ns(offsetNs) };
};

test('CK-7 without a cause work takes its time; constant factors multiply', () => {
  expect(rank().finishNs(7, 100)).toBe(107);
  const slow = rank({ kind: 'constant', factor: 2 }, { kind: 'constant', factor: 1.5 });
  expect(slow.finishNs(7, 100)).toBe(307);
});

test('CK-7 a cause holds for its time: half of the work before it begins', () => {
  const compute = new RankCompute(1, 0);
  const cause = { kind: 'constant', factor: 3 } as const;
  compute.add({ ranks: 'all', cause, fromNs: ns(50), untilNs: ns(80) });
  // 50 ns at full speed, 10 of work in the next 30, 40 more.
  expect(compute.finishNs(0, 100)).toBe(120);
});

test('CK-7 a hiccup stops work for its pause, in every period', () => {
  // Pauses [10, 15), [30, 35), ...; 10 + 15 + 15 of work lie before, between and behind.
  expect(rank(hiccup(20, 5, 10)).finishNs(0, 40)).toBe(50);
  expect(rank(hiccup(20, 5, 10)).finishNs(12, 1)).toBe(16);
});

/** Mean of the largest of `ranks` step factors over 10,000 steps. */
function meanMaximum(cause: SlowdownCause, ranks: number): number {
  const computes = Array.from({ length: ranks }, (_, r) => {
    const compute = new RankCompute(3, r);
    compute.add({ ranks: 'all', cause, ...ALWAYS });
    return compute;
  });
  let sum = 0;
  for (let step = 0; step < 10_000; step++) {
    let largest = 0;
    for (const compute of computes) {
      compute.beginStep(step, 0);
      largest = Math.max(largest, compute.finishNs(0, 1));
    }
    sum += largest;
  }
  return sum / 10_000;
}

test('CK-8 expected maxima of exponential delays: H_4 = 2.0833, H_8 = 2.7179, within 2 %', () => {
  for (const [ranks, expected] of [
    [4, 2.0833],
    [8, 2.7179],
  ]) {
    const excess = meanMaximum({ kind: 'exponential', mean: 1 }, ranks) - 1;
    expect(Math.abs(excess / expected - 1)).toBeLessThan(0.02);
  }
});

test('CK-8 expected maxima of normal factors: 0.564, 1.424, 2.344 deviations for 2, 8, 64, within 2 %', () => {
  for (const [ranks, expected] of [
    [2, 0.564],
    [8, 1.424],
    [64, 2.344],
  ]) {
    const excess = meanMaximum({ kind: 'normal', deviation: 0.1 }, ranks) - 1;
    expect(Math.abs(excess / (0.1 * expected) - 1)).toBeLessThan(0.02);
  }
});

test('CK-8 the lognormal factor has mean 1', () => {
  expect(Math.abs(meanMaximum({ kind: 'lognormal', sigma: 0.3 }, 1) - 1)).toBeLessThan(0.02);
});

test('CK-8 draws depend on seed, rank and step alone', () => {
  const drawn = (seed: number, r: number, step: number) => {
    const compute = new RankCompute(seed, r);
    compute.add({ ranks: 'all', cause: { kind: 'lognormal', sigma: 1 }, ...ALWAYS });
    compute.beginStep(step, 0);
    return compute.finishNs(0, 1000);
  };
  expect(drawn(1, 2, 3)).toBe(drawn(1, 2, 3));
  expect(new Set([drawn(1, 2, 3), drawn(2, 2, 3), drawn(1, 3, 3), drawn(1, 2, 4)]).size).toBe(4);
});

/** 25 degrees, 5 and 60 above; tau 10 s, limit 80, looks every 0.1 s. */
const device: ThermalConfig = {
  ambientCelsius: 25,
  idleRiseCelsius: 5,
  loadRiseCelsius: 60,
  timeConstantNs: ns(10e9),
  limitCelsius: 80,
  hysteresisCelsius: 5,
  frequencyStep: 0.05,
  leastFrequency: 0.5,
  controlNs: ns(0.1e9),
};

test('CK-10 heat goes to 85 degrees as e^(-t / 10 s) and cools to 30 the same way', () => {
  const thermal = new Thermal({ ...device, limitCelsius: 200 });
  expect(thermal.celsius).toBe(30);
  thermal.advance(10e9, true);
  expect(thermal.celsius).toBeCloseTo(85 - 55 / Math.E, 9);
  thermal.advance(1e12, true);
  expect(thermal.celsius).toBeCloseTo(85, 9);
  thermal.advance(1e12 + 10e9, false);
  expect(thermal.celsius).toBeCloseTo(30 + 55 / Math.E, 6);
});

test('CK-10 the first step down comes at the first look above the limit', () => {
  // 85 - 55 e^(-t/10) = 80 at t = 10 ln 11 = 23.98 s; the look is at 24.0 s.
  const thermal = new Thermal(device);
  thermal.advance(23.95e9, true);
  expect(thermal.frequency).toBe(1);
  thermal.advance(24.05e9, true);
  expect(thermal.frequency).toBeCloseTo(0.95, 12);
});

test('CK-10 under lasting load the temperature stays within a step of the limit, above its hysteresis', () => {
  const thermal = new Thermal(device);
  thermal.advance(200e9, true);
  for (let t = 200e9; t < 300e9; t += 0.37e9) {
    thermal.advance(t, true);
    expect(thermal.celsius).toBeLessThan(81);
    expect(thermal.celsius).toBeGreaterThan(74);
    expect(thermal.frequency).toBeLessThan(1);
  }
});

test('CK-10 idle time brings the frequency back, a cooler room keeps it', () => {
  const thermal = new Thermal(device);
  thermal.advance(60e9, true);
  expect(thermal.frequency).toBeLessThan(1);
  thermal.advance(120e9, false);
  expect(thermal.frequency).toBe(1);
  const cool = new Thermal({ ...device, ambientCelsius: 15 });
  cool.advance(1e13, true);
  expect(cool.frequency).toBe(1);
});

test('CK-10 a hot rank computes slower: work of 60 s takes what its frequencies make of it', () => {
  const compute = rank({ kind: 'thermal', thermal: device });
  const end = compute.finishNs(0, 60e9);
  expect(end).toBeGreaterThan(24e9 + 36e9 / 0.95 - 1e9);
  expect(end).toBeLessThan(60e9 / 0.85);
  expect(compute.celsius).toBeGreaterThan(74);
  const again = rank({ kind: 'thermal', thermal: device });
  // Cut into pieces it is the same work.
  let now = 0;
  for (let i = 0; i < 600; i++) now = again.finishNs(now, 0.1e9);
  expect(Math.abs(now - end)).toBeLessThan(1e-9 * end);
});

test('CK-7 any causes together end, and later work never ends earlier', () => {
  const cause = fc.oneof(
    fc.record({
      kind: fc.constant('constant' as const),
      factor: fc.double({ min: 0.1, max: 10, noNaN: true }),
    }),
    fc
      .tuple(
        fc.double({ min: 0.3, max: 9, noNaN: true }),
        fc.double({ min: 0, max: 0.9, noNaN: true }),
      )
      .map(([period, share]) => hiccup(period, period * share, 0.1)),
    fc.double({ min: 0.1, max: 1, noNaN: true }).map((controlNs): SlowdownCause => {
      const thermal = { ...device, timeConstantNs: ns(5), controlNs: ns(controlNs) };
      return { kind: 'thermal', thermal };
    }),
  );
  const causes = fc.uniqueArray(cause, { maxLength: 4, selector: ({ kind }) => kind });
  fc.assert(
    fc.property(causes, fc.array(fc.double({ min: 0, max: 20, noNaN: true })), (all, works) => {
      const compute = rank(...all);
      let now = 0;
      for (const work of works) {
        const end = compute.finishNs(now, work);
        expect(end).toBeGreaterThanOrEqual(now);
        now = end;
      }
    }),
    { numRuns: 200 },
  );
});

test('CK-7 causes that cannot be are refused', () => {
  expect(() => rank({ kind: 'constant', factor: 0 })).toThrow('factor 0');
  expect(() => rank({ kind: 'lognormal', sigma: -1 })).toThrow('sigma -1');
  expect(() => rank(hiccup(5, 5))).toThrow('shorter than the period');
  expect(() => rank({ kind: 'thermal', thermal: { ...device, leastFrequency: 0 } })).toThrow(
    'least frequency',
  );
  const thermal = { kind: 'thermal', thermal: device } as const;
  expect(() => rank(thermal, thermal)).toThrow('one heat model');
});
