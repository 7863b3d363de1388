/** @file The order of events against hand-computed ones, and what must hold for any durations. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createDurations, type DurationNs } from './durations.ts';
import { backupSteps, type Push, type ServerRule, serverUpdates } from './order.ts';

const first = <T>(events: Generator<T, never>, count: number): T[] =>
  Array.from({ length: count }, () => events.next().value);

const updates = (rule: ServerRule, count: number): Push[][] =>
  first(serverUpdates(rule), count).map(({ pushes }) => [...pushes]);

const fixed =
  (...ns: readonly number[]): DurationNs =>
  (rank) =>
    ns[rank] ?? 1;

const brief = ({ timeNs, rank, version, staleness }: Push) => [timeNs, rank, version, staleness];

test('SY-12 a fast and a slow rank: the slow one finds the server two updates ahead', () => {
  // Rank 0 needs 2 and is done at 2, 4, 6, 8; rank 1 needs 5 and is done at 5, 10.
  const rule = { worldSize: 2, durationNs: fixed(2, 5), count: 1, bound: null };
  expect(updates(rule, 6).flat().map(brief)).toEqual([
    [2, 0, 0, 0],
    [4, 0, 1, 0],
    [5, 1, 0, 2],
    [6, 0, 2, 1],
    [8, 0, 4, 0],
    // Both are done at 10; the lower rank goes first.
    [10, 0, 5, 0],
  ]);
  expect(updates(rule, 7)[6]?.map(brief)).toEqual([[10, 1, 3, 3]]);
});

test('SY-12 N ranks of one speed: every gradient is N - 1 updates old', () => {
  const rule = { worldSize: 4, durationNs: fixed(1, 1, 1, 1), count: 1, bound: null };
  const staleness = updates(rule, 12).map(([push]) => push?.staleness);
  expect(staleness).toEqual([0, 1, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3]);
});

test('SY-12 n-softsync gathers floor(N / n) gradients for an update', () => {
  const rule = { worldSize: 4, durationNs: fixed(1, 1, 1, 1), count: 2, bound: null };
  const found = updates(rule, 4);
  expect(found.map((pushes) => pushes.map(({ rank }) => rank))).toEqual([
    [0, 1],
    [2, 3],
    [0, 1],
    [2, 3],
  ]);
  expect(found.map((pushes) => pushes.map(({ staleness }) => staleness))).toEqual([
    [0, 0],
    [1, 1],
    // Rank 0 took weights before rank 1's gradient made the update; rank 1 after it.
    [2, 1],
    [2, 1],
  ]);
});

test('SY-13 bound 0 is BSP: nobody begins a round before all have ended the last', () => {
  const rule = { worldSize: 3, durationNs: fixed(1, 2, 4), count: 3, bound: 0 };
  for (const [round, pushes] of updates(rule, 5).entries()) {
    expect(pushes.map(({ rank }) => rank)).toEqual([0, 1, 2]);
    expect(pushes.map(({ staleness }) => staleness)).toEqual([0, 0, 0]);
    expect(pushes.map(({ timeNs }) => timeNs - 4 * round)).toEqual([1, 2, 4]);
    expect(pushes.map(({ pulls }) => pulls)).toEqual([[], [], [0, 1, 2]]);
  }
});

test('SY-13 bound 1: the fast rank is held back once it is two steps ahead', () => {
  const rule = { worldSize: 2, durationNs: fixed(1, 10), count: 1, bound: 1 };
  const found = updates(rule, 4).flat();
  expect(found.map(({ timeNs, rank }) => [timeNs, rank])).toEqual([
    [1, 0],
    [2, 0],
    [10, 1],
    [11, 0],
  ]);
  expect(found[1]?.pulls).toEqual([]);
  // What it then computes from is what the slow rank has just made.
  expect(found[2]?.pulls).toEqual([0, 1]);
  expect(found[3]).toMatchObject({ version: 3, staleness: 0 });
});

const durations = fc.record({
  seed: fc.nat(1000),
  slowdowns: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 6 }),
  jitter: fc.constantFrom(0, 0.3, 1),
});

test('SY-12 SY-13 for any durations: clocks count, staleness fits, no rank runs too far ahead', () => {
  fc.assert(
    fc.property(durations, fc.nat(4), fc.nat(5), (speeds, bound, less) => {
      const worldSize = speeds.slowdowns.length;
      const count = Math.max(1, worldSize - less);
      const rule = { worldSize, durationNs: createDurations(speeds), count, bound };
      const made = speeds.slowdowns.map(() => 0);
      let lastNs = 0;
      for (const [clock, pushes] of updates(rule, 40).entries()) {
        expect(pushes).toHaveLength(count);
        expect(pushes.map(({ applies }) => applies).indexOf(true)).toBe(count - 1);
        for (const { rank, computation, version, staleness, timeNs } of pushes) {
          expect(computation).toBe(made[rank]);
          made[rank] = computation + 1;
          expect(version + staleness).toBe(clock);
          expect(timeNs).toBeGreaterThanOrEqual(lastNs);
          lastNs = timeNs;
          // It began within the bound, and ends at most one further.
          expect(computation - Math.min(...made)).toBeLessThanOrEqual(bound);
        }
      }
    }),
  );
});

test('SY-14 backup workers: the first N - b count, and the next step begins with the last of these', () => {
  const table = [
    [3, 1, 2],
    [1, 2, 9],
    [5, 5, 5],
  ];
  const steps = first(
    backupSteps(3, 1, (rank, step) => table[step]?.[rank] ?? 1),
    3,
  );
  expect(steps).toEqual([
    { timeNs: 2, kept: [1, 2], dropped: [0] },
    { timeNs: 4, kept: [0, 1], dropped: [2] },
    { timeNs: 9, kept: [0, 1], dropped: [2] },
  ]);
});

test('SY-15 durations: one rank slower, jitter of its own for every computation, the same again', () => {
  const still = createDurations({ seed: 1, slowdowns: [1, 3], jitter: 0 });
  expect(still(1, 7)).toBe(3 * still(0, 0));
  expect(still(2, 0)).toBe(still(0, 0));
  const jittery = createDurations({ seed: 1, slowdowns: [], jitter: 0.5 });
  const logs = Array.from({ length: 4000 }, (_, n) => Math.log(jittery(n % 4, n) / still(0, 0)));
  const mean = logs.reduce((a, b) => a + b) / logs.length;
  const deviation = Math.sqrt(logs.reduce((sum, log) => sum + (log - mean) ** 2, 0) / logs.length);
  expect(Math.abs(mean)).toBeLessThan(4 * (0.5 / Math.sqrt(logs.length)));
  expect(Math.abs(deviation - 0.5)).toBeLessThan(0.03);
  expect(createDurations({ seed: 1, slowdowns: [], jitter: 0.5 })(2, 9)).toBe(jittery(2, 9));
});

test('SY-12 a rank that takes no time is refused', () => {
  const rule = { worldSize: 2, durationNs: fixed(1, 0), count: 1, bound: null };
  expect(() => updates(rule, 1)).toThrow('rank 1, computation 0: 0 ns');
});
