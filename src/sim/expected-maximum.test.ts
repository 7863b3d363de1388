import { expect, test } from 'vitest';
import { ALWAYS, RankCompute } from './slowdown.ts';

test('CK-8 T (0.9): the slowest of 8 normal ranks is 1.42 deviations late, not sqrt(2 ln 8) = 2.04', () => {
  const ranks = Array.from({ length: 8 }, (_, r) => {
    const compute = new RankCompute(11, r);
    compute.add({ ranks: 'all', cause: { kind: 'normal', deviation: 0.1 }, ...ALWAYS });
    return compute;
  });
  const steps = 5000;
  let sum = 0;
  for (let step = 0; step < steps; step++) {
    sum += Math.max(
      ...ranks.map((rank) => {
        rank.beginStep(step, 0);
        return rank.finishNs(0, 1);
      }),
    );
  }
  const deviations = (sum / steps - 1) / 0.1;
  expect(Math.abs(deviations - 1.424)).toBeLessThan(0.03);
  const common = Math.sqrt(2 * Math.log(8));
  expect(common).toBeCloseTo(2.04, 2);
  expect(common / deviations).toBeGreaterThan(1.4);
});
