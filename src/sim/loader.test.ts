import { expect, test } from 'vitest';
import { Loader, type LoaderConfig, loaderPeriodNs } from './loader.ts';
import { ns } from './time.ts';

/** When each of `steps` steps ends that take a batch and compute for `computeNs`. */
function ends(loader: Loader, computeNs: number, steps: number): number[] {
  const times: number[] = [];
  let now = 0;
  for (let step = 0; step < steps; step++) {
    now = loader.take(now) + computeNs;
    times.push(now);
  }
  return times;
}

const config = (workers: number, depth: number, batchNs = 100): LoaderConfig => {
  return { workers, depth, batchNs: ns(batchNs), sigma: 0 };
};

test('CK-9 the pipeline has the period max(compute, load / min(workers, depth)), without workers the sum', () => {
  for (const workers of [0, 1, 2, 3, 8]) {
    for (const depth of [1, 2, 3, 8, 16]) {
      for (const computeNs of [10, 40, 100, 250]) {
        const times = ends(new Loader(config(workers, depth), 0, 0), computeNs, 960);
        // Workers hand out in bursts, so whole rounds of them are compared.
        const period = (times[959] - times[479]) / 480;
        const expected = loaderPeriodNs(config(workers, depth), ns(computeNs));
        expect(Math.abs(period - expected), `${workers} ${depth} ${computeNs}`).toBeLessThan(
          1e-9 * expected,
        );
      }
    }
  }
});

test('CK-9 by hand: 2 workers, depth 2, 100 ns a batch, 30 ns of compute', () => {
  // Batches 0 and 1 are there at 100; 2 is asked for at 100, 3 at 130, 4 at 200.
  const times = ends(new Loader(config(2, 2), 0, 0), 30, 5);
  expect(times).toEqual([130, 160, 230, 260, 330]);
});

test('CK-9 a queue that is too short shows: slow batches of a short while are hidden by depth alone', () => {
  const lost = (depth: number) => {
    const loader = new Loader(config(1, depth, 50), 0, 0);
    loader.slow({ factor: 8, fromNs: ns(10_000), untilNs: ns(10_100) });
    const times = ends(loader, 100, 400);
    return times[399] - (50 + 400 * 100);
  };
  // One batch takes 400 instead of 50 ns.
  expect(lost(1)).toBe(300);
  expect(lost(8)).toBe(0);
});

test('CK-9 waiting batches fill the queue up to its depth', () => {
  const loader = new Loader(config(2, 4), 0, 0);
  expect(loader.waiting(99)).toBe(0);
  expect(loader.waiting(100)).toBe(2);
  expect(loader.waiting(1e6)).toBe(4);
  loader.take(1e6);
  expect(loader.waiting(1e6)).toBe(3);
});

test('CK-9 a state goes on as its original, and jitter repeats with the seed', () => {
  const jittery = { ...config(3, 5), sigma: 0.5 };
  const first = new Loader(jittery, 7, 2);
  ends(first, 20, 50);
  const second = new Loader(jittery, 7, 2);
  second.restore(first.snapshot());
  expect(ends(second, 20, 50)).toEqual(ends(first, 20, 50));
  expect(ends(new Loader(jittery, 7, 2), 20, 9)).not.toEqual(
    ends(new Loader(jittery, 7, 3), 20, 9),
  );
});

test('CK-9 impossible loaders are refused', () => {
  expect(() => new Loader(config(1, 0), 0, 0)).toThrow('depth 0');
  expect(() => new Loader(config(-1, 1), 0, 0)).toThrow('-1 workers');
  expect(() =>
    new Loader(config(1, 1), 0, 0).slow({ factor: 0, fromNs: ns(0), untilNs: ns(1) }),
  ).toThrow('factor 0');
});
