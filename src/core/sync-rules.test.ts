import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PURPOSE, randomStream } from './random.ts';
import {
  averagesAfterStep,
  balancedBatches,
  dilocoOuter,
  EMPTY_SERVER,
  firstArrivals,
  gradientsAStep,
  meanOf,
  postLocalAverages,
  serverPush,
  softsyncCount,
  speedsOf,
  sspAdmits,
  stalenessAwareRate,
  stalenessOf,
} from './sync-rules.ts';

const steps = (count: number): number[] => Array.from({ length: count }, (_, step) => step);

test('SY-1 local SGD averages after every H steps; H = 1 after each', () => {
  expect(steps(9).filter((step) => averagesAfterStep(step, 3))).toEqual([2, 5, 8]);
  expect(steps(3).filter((step) => averagesAfterStep(step, 1))).toEqual([0, 1, 2]);
  expect(() => averagesAfterStep(0, 0)).toThrow(/from 1 on/);
});

test('SY-2 T: the post-local averager fires at the warm-up, then every period', () => {
  expect(steps(12).filter((step) => postLocalAverages(step, 4, 3))).toEqual([4, 7, 10]);
  expect(steps(4).filter((step) => postLocalAverages(step, 0, 2))).toEqual([0, 2]);
});

test('SY-1 the mean of weights is summed in rank order and divided after', () => {
  const out = new Float32Array(2);
  meanOf([Float32Array.of(1, 2), Float32Array.of(3, 6), Float32Array.of(5, 1)], out);
  expect([...out]).toEqual([3, 3]);
});

test('SY-3 T: DiLoCo, outer gradient old - mean, Nesterov rate 0.7, momentum 0.9', () => {
  const outer = dilocoOuter({ outerRate: 0.7, outerMomentum: 0.9 });
  const state = outer.init(1);
  const global = Float32Array.of(1);
  // Gradient 0.5: velocity 0.5, step 0.7 * (0.5 + 0.9 * 0.5) = 0.665.
  outer.update(state, global, Float32Array.of(0.5));
  expect(global[0]).toBeCloseTo(0.335, 6);
  // Gradient 0.335 - 0.135 = 0.2: velocity 0.65, step 0.7 * (0.2 + 0.585) = 0.5495.
  outer.update(state, global, Float32Array.of(0.135));
  expect(global[0]).toBeCloseTo(-0.2145, 6);
});

test('SY-3 DiLoCo with rate 1 and no momentum is local SGD', () => {
  const outer = dilocoOuter({ outerRate: 1, outerMomentum: 0 });
  const global = Float32Array.of(4, -2);
  outer.update(outer.init(2), global, Float32Array.of(1, 0.5));
  expect([...global]).toEqual([1, 0.5]);
});

test('SY-4 T: staleness = server clock - gradient clock; the rate is divided by it, but not by 0', () => {
  expect(stalenessOf(7, 4)).toBe(3);
  expect([0, 1, 2, 4].map((staleness) => stalenessAwareRate(0.8, staleness))).toEqual([
    0.8, 0.8, 0.4, 0.2,
  ]);
  expect(() => stalenessOf(3, 4)).toThrow(/future/);
});

test('SY-4 T: n-softsync updates every floor(workers / n) gradients', () => {
  expect([1, 2, 3, 8].map((splits) => softsyncCount(8, splits))).toEqual([8, 4, 2, 1]);
  expect(() => softsyncCount(4, 5)).toThrow(/at most/);
});

test('SY-5 an asynchronous server: three workers in turn have staleness 0, 1, 2, then 2 for ever', () => {
  let state = EMPTY_SERVER;
  const pulled = [0, 0, 0];
  const seen = steps(9).map((event) => {
    const push = serverPush(state, pulled[event % 3], 1);
    state = push.state;
    pulled[event % 3] = state.clock;
    return push.staleness;
  });
  expect(seen).toEqual([0, 1, 2, 2, 2, 2, 2, 2, 2]);
  expect(state.clock).toBe(9);
});

test('SY-5 with a count of 2 every second gradient applies, and the clock goes up then', () => {
  const first = serverPush(EMPTY_SERVER, 0, 2);
  expect(first).toEqual({ state: { clock: 0, waiting: [0] }, staleness: 0, applies: false });
  const second = serverPush(first.state, 0, 2);
  expect(second).toEqual({ state: { clock: 1, waiting: [] }, staleness: 0, applies: true });
  expect(serverPush(second.state, 0, 2).staleness).toBe(1);
});

test('SY-6 SSP: who exceeds the slowest by more than the bound waits; bound 0 is BSP', () => {
  const admitted = (bound: number) => [0, 1, 2].map((rank) => sspAdmits([3, 5, 4], rank, bound));
  expect(admitted(0)).toEqual([true, false, false]);
  expect(admitted(1)).toEqual([true, false, true]);
  expect(admitted(2)).toEqual([true, true, true]);
  expect(() => sspAdmits([0], 0, -1)).toThrow(/SSP bound: -1/);
});

test('SY-6 under SSP clocks never differ by more than the bound + 1, and somebody may always go on', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 6 }),
      fc.nat(3),
      fc.array(fc.nat(5), { maxLength: 200 }),
      (workers, bound, order) => {
        const clocks = new Array<number>(workers).fill(0);
        for (const event of order) {
          const worker = event % workers;
          if (sspAdmits(clocks, worker, bound)) clocks[worker]++;
          expect(Math.max(...clocks) - Math.min(...clocks)).toBeLessThanOrEqual(bound + 1);
          expect(clocks.some((_, rank) => sspAdmits(clocks, rank, bound))).toBe(true);
        }
      },
    ),
  );
});

test('SY-7 backup workers: the first m of n count, ties go to the lower rank', () => {
  const times = [5, 2, 9, 2, 2];
  const arrivals = times.map((time, rank) => ({ rank, time }));
  expect(firstArrivals(arrivals, 2)).toEqual({ kept: [1, 3], dropped: [0, 2, 4], time: 2 });
  expect(firstArrivals(arrivals, 4)).toEqual({ kept: [0, 1, 3, 4], dropped: [2], time: 5 });
  expect(() => firstArrivals(arrivals, 6)).toThrow(/at most all/);
});

test('SY-7 T: exp(1), 4 of 5: the step takes H5 - H1 = 1.2833 on average', () => {
  const runs = 20_000;
  const stream = randomStream(8, PURPOSE.generation);
  let [sum, squares] = [0, 0];
  for (let run = 0; run < runs; run++) {
    const arrivals = steps(5).map((rank) => ({ rank, time: -Math.log(1 - stream.uniform()) }));
    const { time } = firstArrivals(arrivals, 4);
    sum += time;
    squares += time * time;
  }
  const mean = sum / runs;
  const error = Math.sqrt((squares / runs - mean * mean) / runs);
  expect(Math.abs(mean - 1.2833)).toBeLessThan(4 * error);
});

test('SY-8 T: LB-BSP, speeds 4, 2, 1, 1, B = 64 -> 32, 16, 8, 8; time 8 against 16', () => {
  const speeds = [4, 2, 1, 1];
  const time = (batches: readonly number[]) => Math.max(...batches.map((b, i) => b / speeds[i]));
  const balanced = balancedBatches(64, speeds);
  expect(balanced).toEqual([32, 16, 8, 8]);
  expect([time(balanced), time([16, 16, 16, 16])]).toEqual([8, 16]);
});

test('SY-8 a rank of twice the time has half the speed; without an entry it has the full one', () => {
  expect(speedsOf([1, 2, 4], 4)).toEqual([1, 0.5, 0.25, 1]);
});

test('SY-16 gradients of a step: all ranks, without the backups, or as n-softsync has it', () => {
  const speeds = { slowdowns: [], jitter: 0 };
  const server = { ...speeds, stalenessAware: false };
  expect(gradientsAStep({ kind: 'allReduce', balance: 'off', slowdowns: [] }, 8)).toBe(8);
  expect(gradientsAStep({ kind: 'backup', backups: 2, ...speeds }, 8)).toBe(6);
  expect(gradientsAStep({ kind: 'async', splits: 3, ...server }, 8)).toBe(2);
  expect(gradientsAStep({ kind: 'ssp', bound: 1, splits: 16, ...server }, 8)).toBe(1);
});

test('SY-8 shares add up whatever the speeds', () => {
  fc.assert(
    fc.property(
      fc.nat(1000),
      fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 16 }),
      (total, speeds) => {
        const shares = balancedBatches(total, speeds);
        expect(shares.reduce((sum, share) => sum + share, 0)).toBe(total);
        const speed = speeds.reduce((sum, value) => sum + value, 0);
        shares.forEach((share, i) => {
          expect(Math.abs(share - (total * speeds[i]) / speed)).toBeLessThan(1);
        });
      },
    ),
  );
});
