import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  learningRateOfStep,
  resumePlan,
  samplesBefore,
  segmentOfBatch,
  segmentOfStep,
} from './course.ts';
import type { Plan } from './plan.ts';
import { stepsPerEpoch } from './sampler.ts';

function planOf(trainCount: number, worldSize: number, batchPerRank: number, epochs = 2): Plan {
  const steps = stepsPerEpoch(trainCount, worldSize, batchPerRank);
  const learningRate = { base: 1, warmupSteps: 0, decay: 'cosine' } as const;
  const sizes = { trainCount, worldSize, batchPerRank, learningRate };
  return { ...sizes, stepsPerEpoch: steps, totalSteps: epochs * steps, resumed: null } as Plan;
}

test('FT-2 a run nobody left: epochs of equal length', () => {
  const plan = planOf(100, 4, 5);
  expect(plan.totalSteps).toBe(10);
  expect(segmentOfStep(plan, 7)).toEqual({ epoch: 1, firstStep: 5, position: 0 });
  expect(samplesBefore(plan, 7)).toBe(140);
});

test('FT-2 three of four ranks go on at the first sample that nobody used', () => {
  const plan = resumePlan(planOf(100, 4, 5), 3, 2);
  // 40 of 100 are used; 60 are 4 steps of 15; a whole epoch is 7 steps, the last of them of 10.
  expect(plan.resumed).toMatchObject({ step: 2, epoch: 0, position: 40, samples: 40 });
  expect(plan.stepsPerEpoch).toBe(7);
  expect(plan.totalSteps).toBe(2 + 4 + 7);
  expect(segmentOfStep(plan, 5)).toEqual({ epoch: 0, firstStep: 2, position: 40 });
  expect(segmentOfStep(plan, 6)).toEqual({ epoch: 1, firstStep: 6, position: 0 });
  expect(samplesBefore(plan, 6)).toBe(100);
});

test('FT-2 the rate follows the samples: two ranks walk the schedule half as fast as four', () => {
  const four = planOf(400, 4, 5);
  const two = resumePlan(four, 2, 10);
  expect(learningRateOfStep(two, 10)).toBe(learningRateOfStep(four, 10));
  expect(learningRateOfStep(two, 14)).toBe(learningRateOfStep(four, 12));
  const again = resumePlan(two, 4, 14);
  expect(learningRateOfStep(again, 15)).toBe(learningRateOfStep(four, 13));
});

test('FT-2 batches are counted by the ranks’ shards, whatever an epoch of steps is', () => {
  const plan = { ...planOf(100, 4, 5), stepsPerEpoch: 20 };
  expect(segmentOfBatch(plan, 7)).toEqual({ epoch: 1, firstStep: 5, position: 0 });
});

test('FT-2 at the end of an epoch the next one begins', () => {
  const plan = resumePlan(planOf(100, 4, 5), 2, 5);
  expect(plan.resumed).toMatchObject({ epoch: 1, position: 0, samples: 100 });
  expect(plan.totalSteps).toBe(15);
});

test('FT-2 after any losses the run ends with the same sample, and no step is empty', () => {
  const losses = fc.array(fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }) }), {
    maxLength: 6,
  });
  fc.assert(
    fc.property(
      fc.integer({ min: 8, max: 300 }),
      fc.integer({ min: 1, max: 9 }),
      losses,
      (n, b, all) => {
        let plan = planOf(n, 7, b);
        let step = 0;
        for (const [i, { at }] of all.entries()) {
          step += Math.floor(at * (plan.totalSteps - step));
          plan = resumePlan(plan, 6 - i, step);
        }
        expect(plan.totalSteps).toBeGreaterThanOrEqual(step);
        for (let s = step; s < plan.totalSteps; s++) {
          expect(samplesBefore(plan, s + 1)).toBeGreaterThan(samplesBefore(plan, s));
        }
        // Nothing of two epochs is left out; padding makes it a little more.
        const used = samplesBefore(plan, plan.totalSteps);
        expect(used).toBeGreaterThanOrEqual(2 * n);
      },
    ),
  );
});

test('FT-2 no ranks, or steps the run does not have, are refused', () => {
  expect(() => resumePlan(planOf(100, 4, 5), 0, 2)).toThrow('0 ranks');
  expect(() => resumePlan(planOf(100, 4, 5), 2, 11)).toThrow('0 ... 10');
});
