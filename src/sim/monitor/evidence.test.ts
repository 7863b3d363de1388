import { expect, test } from 'vitest';
import { detect, findDisagreeing, findHung } from './detector.ts';
import { predict } from './predictor.ts';
import { RankSeries } from './series.ts';
import { always, inSteps, LIMIT_CELSIUS, runSteps, STEP_NS, testCluster } from './test-cluster.ts';

test('MO-3 a rank at 1.5 times the time: that ratio is the evidence, for any jitter', () => {
  for (let seed = 1; seed <= 10; seed++) {
    const cluster = testCluster(seed);
    cluster.clock.slow(always([2], { kind: 'constant', factor: 1.5 }));
    runSteps(cluster, 64);
    const [found, ...more] = detect(cluster.series);
    expect(more).toEqual([]);
    expect(found).toMatchObject({ rank: 2, cause: 'slowCompute' });
    expect(Math.abs(found.evidence.ratio - 1.5)).toBeLessThan(0.08);
    expect(found.evidence.z).toBeGreaterThan(5);
  }
});

test('MO-3 pauses of 12 ms every 120 ms: both are told within 5 %', () => {
  const cluster = testCluster(5);
  const cause = {
    kind: 'hiccup',
    periodNs: inSteps(10),
    pauseNs: inSteps(1),
    offsetNs: inSteps(3),
  };
  cluster.clock.slow(always([1], cause as { kind: 'hiccup' } & typeof cause));
  runSteps(cluster, 128);
  const found = detect(cluster.series);
  expect(found).toMatchObject([{ rank: 1, cause: 'hiccup' }]);
  expect(Math.abs(found[0].evidence.periodNs / (10 * STEP_NS) - 1)).toBeLessThan(0.05);
  expect(Math.abs(found[0].evidence.pauseNs / STEP_NS - 1)).toBeLessThan(0.05);
});

test('MO-3 a link at a third of its bandwidth: its port takes three times as long', () => {
  const cluster = testCluster(6);
  const slowdown = always([3], { kind: 'constant', factor: 1 });
  cluster.clock.slowLink({ ...slowdown, rank: 3, factor: 3, extraLatencyNs: inSteps(0) });
  runSteps(cluster, 32);
  const found = detect(cluster.series);
  expect(found).toMatchObject([{ rank: 3, cause: 'slowLink' }]);
  expect(found[0].evidence.ratio).toBeCloseTo(3, 6);
});

test('MO-3 hung is who has not come while others wait for longer than five steps', () => {
  const series = new RankSeries(3);
  for (let step = 0; step < 20; step++) {
    series.observe({ step, startNs: [0, 0, 0], stepNs: [10, 10, 10] });
  }
  const arrived = [true, false, true];
  expect(findHung(series, { arrived, waitedNs: 50 })).toEqual([]);
  expect(findHung(series, { arrived, waitedNs: 51 })).toEqual([
    { rank: 1, cause: 'hung', evidence: { waitedNs: 51, usualNs: 10, limitNs: 50 } },
  ]);
  expect(findHung(series, { arrived: [false, false, false], waitedNs: 1000 })).toEqual([]);
});

test('MO-3 a hash against a majority; nobody without one', () => {
  expect(findDisagreeing(['a', 'b', 'a'])).toEqual([
    { rank: 1, cause: 'hashDisagrees', evidence: { agreeing: 2, of: 3 } },
  ]);
  expect(findDisagreeing(['a', 'b'])).toEqual([]);
  expect(findDisagreeing(['a', 'a'])).toEqual([]);
});

test('MO-3 of no steps, or of one, nothing is said', () => {
  const series = new RankSeries(2);
  expect(detect(series)).toEqual([]);
  expect(predict(series)).toEqual([]);
  series.observe({ step: 0, startNs: [0, 0], computeNs: [1, 9] });
  expect(detect(series, { limitCelsius: LIMIT_CELSIUS })).toEqual([]);
  expect(predict(series)).toEqual([]);
});
