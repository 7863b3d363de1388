import { expect, test } from 'vitest';
import { resumePlan } from '#core/course';
import { requireExperiment } from '#experiment/parse';
import { resolvePlan, taskShapeOf } from '#experiment/plan';
import { createRunClock, type StepFigures } from './run-clock.ts';

function runOf(changes: object) {
  const experiment = requireExperiment({ replicas: 8, ...changes });
  const task = taskShapeOf(experiment.data, 84);
  const plan = resolvePlan(experiment, { trainCount: 12_000, testCount: 2000, task });
  return { experiment, plan, clock: createRunClock(experiment, plan) };
}

const NO_DELAYS = { detectSeconds: 0, joinSeconds: 0 };
const parts = (figures: StepFigures, rank: number): number =>
  [figures.computeMs, figures.exposedMs, figures.waitMs, figures.dataMs]
    .map((each) => each[rank] ?? Number.NaN)
    .reduce((sum, ms) => sum + ms, 0);

test('CK-20 the parts of a step add up on every rank; the ends add up over steps', () => {
  const { clock } = runOf({ stragglers: ['slow 3 x2', 'jitter all 0.1'] });
  let endMs = 0;
  for (let step = 0; step < 20; step++) {
    const figures = clock.advance(step);
    endMs += figures.stepMs;
    expect(figures.endMs).toBeCloseTo(endMs, 6);
    for (let rank = 0; rank < 8; rank++)
      expect(parts(figures, rank)).toBeCloseTo(figures.stepMs, 6);
  }
});

test('CK-20 one rank of 8 at half speed: the others wait as long as it computes longer', () => {
  const even = runOf({}).clock.advance(0);
  const uneven = runOf({ stragglers: ['slow 3 x2'] }).clock.advance(0);
  const [own = 0, slow = 0] = [even.computeMs[3], uneven.computeMs[3]];
  expect(slow).toBeCloseTo(2 * own, 9);
  expect(uneven.stepMs - even.stepMs).toBeCloseTo(own, 9);
  // The optimizer comes after the exchange, so that part of the longer compute is not waited for.
  expect(uneven.waitMs[0]).toBeGreaterThan(0);
});

test('CK-21 a homogeneous run repeats its step; skipping records changes no time', () => {
  const each = runOf({}).clock;
  const last = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((step) => each.advance(step)).at(-1);
  expect(runOf({}).clock.advance(0).stepMs).toBeCloseTo(last?.stepMs ?? 0, 9);
  const tenth = runOf({}).clock;
  tenth.advance(0);
  expect(tenth.advance(9).endMs).toBeCloseTo(last?.endMs ?? 0, 9);
});

test('CK-22 priced as a larger model the steps take longer, and compression shortens them', () => {
  const itself = runOf({}).clock.advance(0).stepMs;
  const resnet = runOf({ cluster: { workload: 'resnet50' } }).clock.advance(0).stepMs;
  expect(resnet).toBeGreaterThan(10 * itself);
  const plain = runOf({ cluster: { preset: 'wifi-laptops' } }).clock.advance(0);
  const sparse = runOf({
    cluster: { preset: 'wifi-laptops' },
    compression: { kind: 'topK', ratio: 0.01 },
  }).clock.advance(0);
  expect(sparse.exposedMs[0]).toBeLessThan(0.3 * (plain.exposedMs[0] ?? 0));
});

test('CK-23 after a loss time goes on: noticing, joining, handing over, and steps done again', () => {
  const { clock, plan } = runOf({});
  const before = clock.advance(12);
  const next = resumePlan(plan, 7, 10);
  const tookMs = clock.regroup(next, 10, { detectSeconds: 10, joinSeconds: 30 });
  expect(tookMs).toBeGreaterThan(40_000);
  const after = clock.advance(10);
  expect(after.endMs).toBeCloseTo(before.endMs + tookMs + after.stepMs, 6);
  expect(after.computeMs).toHaveLength(7);
});

test('CK-24 heat: after a while the hot rank steps its frequency down and the others wait', () => {
  const cluster = { preset: 'dgx-a100', workload: 'resnet50' };
  const heavy = { cluster, stragglers: ['heat 2 45', 'heat 0+1 20'] };
  const { clock } = runOf(heavy);
  const cold = clock.advance(0);
  const hot = clock.advance(2000);
  expect(hot.celsius?.[2]).toBeGreaterThan(80);
  expect(hot.celsius?.[0]).toBeLessThan(80);
  expect(hot.stepMs).toBeGreaterThan(1.05 * cold.stepMs);
  expect(hot.waitMs[0]).toBeGreaterThan(0);
});

test('CK-25 the same run has the same times, to the bit', () => {
  const experiment = { stragglers: ['jitter all 0.3', 'hiccup 1 0.05/0.5'] };
  const [a, b] = [runOf(experiment).clock, runOf(experiment).clock];
  for (let step = 0; step < 50; step++) expect(a.advance(step)).toEqual(b.advance(step));
  a.regroup(runOf(experiment).plan, 3, NO_DELAYS);
  b.regroup(runOf(experiment).plan, 3, NO_DELAYS);
  expect(a.advance(3)).toEqual(b.advance(3));
});

test('CK-26 the monitor names a rank that the experiment makes slow, once, and no other', () => {
  const { clock } = runOf({ stragglers: ['slow 3 x1.5', 'jitter all 0.02'] });
  clock.advance(200);
  expect(clock.news()).toEqual([
    expect.objectContaining({ type: 'finding', rank: 3, cause: 'slowCompute' }),
  ]);
  clock.advance(400);
  expect(clock.news()).toEqual([]);
});

test('CK-26 a rank in a hot room is warned of before it slows down', () => {
  const cluster = { preset: 'dgx-a100', workload: 'resnet50' };
  const { clock } = runOf({ cluster, stragglers: ['heat 2 40'] });
  clock.advance(1500);
  expect(clock.news()[0]).toMatchObject({
    type: 'warning',
    rank: 2,
    danger: 'throttling',
    limit: 83,
  });
});

test('CK-27 an asynchronous run takes as long as its order of events says; so do backup workers', () => {
  const alone = runOf({ replicas: 1 }).clock.advance(0).computeMs[0] ?? 0;
  const sync = { kind: 'async', slowdowns: [1, 1, 1, 4], jitter: 0 };
  const { clock } = runOf({ replicas: 4, sync });
  // Three ranks push in each computation's time, the slow one in every fourth: 13 updates in four.
  const endMs = clock.advance(12).endMs;
  expect(endMs / 4).toBeLessThanOrEqual(alone);
  expect(endMs / 4).toBeGreaterThan(0.8 * alone);
  const late = { kind: 'backup', backups: 1, slowdowns: [1, 1, 1, 4], jitter: 0 };
  const all = runOf({ replicas: 4, sync: { ...late, backups: 1 } }).clock.advance(9);
  expect(all.stepMs).toBeCloseTo(endMs / 4, 9);
});

test('CK-27 T: LB-BSP over speeds 4, 2, 1, 1: half of the equal split’s compute', () => {
  const slowdowns = [1, 2, 4, 4];
  // A large model, so that the optimizer, which has no batch, hardly counts.
  const large = { replicas: 4, batchPerRank: 16, cluster: { workload: 'resnet50' } };
  const sync = { kind: 'allReduce', balance: 'speeds', slowdowns };
  const slowestOf = (changes: object): number =>
    Math.max(...runOf({ ...large, ...changes }).clock.advance(0).computeMs);
  const ratio = slowestOf({ sync }) / slowestOf({ stragglers: ['slow 1 x2', 'slow 2+3 x4'] });
  expect(ratio).toBeGreaterThan(0.49);
  expect(ratio).toBeLessThan(0.56);
});
