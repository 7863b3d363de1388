import { expect, test } from 'vitest';
import { type AllReduceName, allReduceSchedule } from '#core/schedules';
import { allReduceNs, steadyStep, streamEndNs } from './closed-forms.ts';
import type { LoaderConfig } from './loader.ts';
import { overlapShare, timeSplit } from './metrics.ts';
import { ALWAYS } from './slowdown.ts';
import { type ClockConfig, type ClusterStep, StepClock } from './step-clock.ts';
import type { BucketJob, StepJob } from './step-job.ts';
import { ns } from './time.ts';
import { makeTopology } from './topology.ts';
import { evenChunkBytes } from './traffic.ts';

const inner = { latencySeconds: 2e-6, bytesPerSecond: 300e9 };
const outer = { latencySeconds: 5e-6, bytesPerSecond: 50e9 };

/** Three layers and two buckets: the last two layers, then the first. Work in microseconds. */
function job(buckets: readonly BucketJob[], microBatches = 1): StepJob {
  const layer = (forward: number, backward: number) => {
    return { forwardNs: ns(1000 * forward), backwardNs: ns(1000 * backward) };
  };
  return {
    layers: [layer(100, 150), layer(200, 420), layer(50, 110)],
    microBatches,
    buckets,
    optimizerNs: ns(30_000),
  };
}

interface World {
  readonly name?: AllReduceName;
  readonly worldSize?: number;
  readonly ranksPerNode?: number;
  readonly elements?: readonly [number, number];
}

function cluster(world: World) {
  const { name = 'ring', worldSize = 8, elements = [840_000, 1_680_000] } = world;
  const ranksPerNode = world.ranksPerNode ?? worldSize;
  const schedule = allReduceSchedule(name, worldSize, { ranksPerNode });
  const buckets = elements.map((count, i): BucketJob => {
    return {
      schedule,
      chunkBytes: evenChunkBytes(schedule.chunks, count, 4),
      encodeNs: ns(0),
      decodeNs: ns(0),
      readyLayer: 1 - i,
    };
  });
  const layout = { worldSize, ranksPerNode, inner, outer };
  const costs = elements.map((count) => allReduceNs(name, layout, 4 * count) ?? ns(Number.NaN));
  return { topology: makeTopology({ ...layout, nicsPerNode: ranksPerNode }), buckets, costs };
}

function clock(config: Pick<ClockConfig, 'topology' | 'job'> & Partial<ClockConfig>): StepClock {
  return new StepClock({ loader: null, lockstep: true, seed: 5, ...config });
}

const end = ({ endNs }: ClusterStep) => Math.max(...endNs);

function expectEqual(actual: number, expected: number, label = ''): void {
  expect(Math.abs(actual - expected), `${label} ${actual} ${expected}`).toBeLessThanOrEqual(
    1e-9 * expected,
  );
}

test('CK-6 homogeneous steps equal the closed form to 1e-9 for every collective that has one', () => {
  const worlds: World[] = [1, 2, 7, 8, 16].flatMap((worldSize) => [
    { name: 'ring', worldSize },
    { name: 'star', worldSize },
  ]);
  for (const worldSize of [2, 8, 16]) {
    worlds.push({ name: 'binary-tree', worldSize }, { name: 'halving-doubling', worldSize });
  }
  worlds.push({ name: 'hierarchical', worldSize: 16, ranksPerNode: 4 });
  worlds.push({ name: 'ring', worldSize: 6, ranksPerNode: 1 });
  for (const world of worlds) {
    const { topology, buckets, costs } = cluster(world);
    for (const microBatches of [1, 3]) {
      for (const lockstep of [true, false]) {
        const work = job(buckets, microBatches);
        const each = steadyStep(work, costs, null).totalNs;
        const clocked = clock({ topology, job: work, lockstep });
        for (let step = 1; step <= 4; step++) {
          const label = `${world.name} of ${world.worldSize}, step ${step}`;
          // Where ranks are done at different times, collectives overlap without lockstep.
          if (!lockstep && (world.name === 'star' || world.name === 'binary-tree')) continue;
          expectEqual(end(clocked.step()), step * each, label);
        }
      }
    }
  }
});

test('CK-5 ready 10, 20, 30: collectives of 8 end at 38, of 15 at 55', () => {
  const ready = [ns(10), ns(20), ns(30)];
  expect(streamEndNs(ready, [ns(8), ns(8), ns(8)])).toBe(38);
  expect(streamEndNs(ready, [ns(15), ns(15), ns(15)])).toBe(55);
});

test('CK-6 spans tell the same: exposed communication of the closed form, nothing idle', () => {
  const { topology, buckets, costs } = cluster({});
  const work = job(buckets);
  const { spans, startNs, endNs } = clock({ topology, job: work }).step();
  const times = steadyStep(work, costs, null);
  for (let rank = 0; rank < 8; rank++) {
    const own = spans.filter((span) => span.rank === rank);
    const split = timeSplit(own, startNs[rank], endNs[rank]);
    expectEqual(split.computeNs, times.forwardNs + times.backwardNs + times.optimizerNs);
    expectEqual(split.exposedCommunicationNs, times.exposedNs);
    expectEqual(split.communicationNs, costs[0] + costs[1]);
    expectEqual(overlapShare(split), 1 - times.exposedNs / (costs[0] + costs[1]));
    expect(split.idle.peersNs + split.idle.dataNs).toBe(0);
    expect(Math.abs(split.idle.otherNs)).toBeLessThan(1e-3);
  }
});

test('CK-6 the first bucket is hidden behind the backward of the layer before it', () => {
  const { topology, buckets, costs } = cluster({ elements: [84_000, 168_000] });
  const { spans } = clock({ topology, job: job(buckets) }).step();
  const [first, second] = spans.filter((s) => s.rank === 3 && s.kind === 'communication');
  // Forward 350 us, backward of the layers 2 and 1 530, of layer 0 150.
  expectEqual(first.startNs, 880_000);
  expectEqual(first.endNs, 880_000 + costs[0]);
  expectEqual(second.startNs, 1_030_000);
});

test('CK-7 one rank of 8 at half speed: each step exactly as slow as theory, the others wait', () => {
  const { topology, buckets, costs } = cluster({});
  const work = job(buckets);
  const halved = {
    ...work,
    layers: work.layers.map(({ forwardNs, backwardNs }) => ({
      forwardNs: ns(2 * forwardNs),
      backwardNs: ns(2 * backwardNs),
    })),
    optimizerNs: ns(2 * work.optimizerNs),
  };
  const each = steadyStep(halved, costs, null).totalNs;
  const clocked = clock({ topology, job: work });
  clocked.slow({ ranks: [3], cause: { kind: 'constant', factor: 2 }, ...ALWAYS });
  for (let step = 1; step <= 20; step++) {
    const result = clocked.step();
    expectEqual(end(result), step * each, `step ${step}`);
    const waited = result.spans.filter(({ kind }) => kind === 'wait').map(({ rank }) => rank);
    expect([...new Set(waited)]).toEqual([0, 1, 2, 4, 5, 6, 7]);
  }
  // Without lockstep the straggler is done (N-2) latencies before its neighbours, and goes on.
  const free = clock({ topology, job: work, lockstep: false });
  free.slow({ ranks: [3], cause: { kind: 'constant', factor: 2 }, ...ALWAYS });
  let last = 0;
  for (let step = 0; step < 20; step++) last = end(free.step());
  expect(last).toBeLessThanOrEqual(20 * each);
  expect(last).toBeGreaterThan(20 * (each - 3 * 6 * 2000));
});

test('CK-7 by hand: a rank, its link and its loader become slow, and are well again', () => {
  const { topology, buckets } = cluster({});
  const fast = { ...loader, batchNs: ns(1000) };
  const clocked = clock({ topology, job: job(buckets), loader: fast });
  const untouched = clock({ topology, job: job(buckets), loader: fast });
  const duration = (each: StepClock) => -each.nowNs + end(each.step());
  const forever = { fromNs: ns(0), untilNs: ns(Number.POSITIVE_INFINITY) };
  duration(clocked);
  untouched.step();
  const usual = duration(untouched);
  expectEqual(duration(clocked), usual);
  clocked.slow({ ranks: [4], cause: { kind: 'constant', factor: 3 }, ...forever });
  clocked.slowLink({ rank: 4, factor: 3, extraLatencyNs: ns(1000), ...forever });
  clocked.slowLoader([4], { factor: 3000, ...forever });
  expect(duration(clocked)).toBeGreaterThan(2.5 * usual);
  clocked.relieve([4], clocked.nowNs);
  // Batches that were begun before still come late.
  for (let step = 0; step < 4; step++) clocked.step();
  expectEqual(duration(clocked), usual);
});

test('CK-8 with exponential delays a step of 4 lasts 1 + H_4 times its work, within 2 %', () => {
  const instant = { latencySeconds: 0, bytesPerSecond: Number.POSITIVE_INFINITY };
  const schedule = allReduceSchedule('star', 4);
  const work: StepJob = {
    layers: [{ forwardNs: ns(400), backwardNs: ns(600) }],
    microBatches: 1,
    buckets: [{ schedule, chunkBytes: [4], encodeNs: ns(0), decodeNs: ns(0), readyLayer: 0 }],
    optimizerNs: ns(0),
  };
  const layout = { worldSize: 4, ranksPerNode: 4, nicsPerNode: 4, inner: instant, outer: instant };
  const clocked = clock({ topology: makeTopology(layout), job: work });
  clocked.slow({ ranks: 'all', cause: { kind: 'exponential', mean: 1 }, ...ALWAYS });
  let last = 0;
  for (let step = 0; step < 10_000; step++) last = end(clocked.step());
  expect(Math.abs(last / 1e7 / (1 + 25 / 12) - 1)).toBeLessThan(0.02);
});

test('CK-11 LB-BSP: speeds 4, 2, 1, 1 and 64 samples: 8 instead of 16', () => {
  const { topology, buckets } = cluster({ worldSize: 4, elements: [0, 0] });
  const work = { ...job(buckets), optimizerNs: ns(0) };
  // The job is one sample at speed 1, 1.03 ms.
  const run = (samples: readonly number[]) => {
    const clocked = clock({ topology, job: work });
    [4, 2, 1, 1].forEach((speed, rank) => {
      clocked.slow({ ranks: [rank], cause: { kind: 'constant', factor: 1 / speed }, ...ALWAYS });
    });
    return end(clocked.step({ work: samples })) / 1.03e6;
  };
  expectEqual(run([16, 16, 16, 16]), 16);
  expectEqual(run([32, 16, 8, 8]), 8);
});

const loader: LoaderConfig = { workers: 2, depth: 4, batchNs: ns(4e6), sigma: 0 };

test('CK-9 a loader that is too slow sets the pace, and the wait is data', () => {
  const { topology, buckets, costs } = cluster({});
  const work = job(buckets);
  const clocked = clock({ topology, job: work, loader });
  let before = 0;
  let last = 0;
  for (let step = 0; step < 41; step++) {
    if (step === 21) before = last;
    last = end(clocked.step());
  }
  const expected = steadyStep(work, costs, loader).totalNs;
  expect(expected).toBe(2e6);
  expectEqual((last - before) / 20, expected);
  const spans = [...clocked.step().spans, ...clocked.step().spans];
  const waited = spans.filter(({ kind, rank }) => kind === 'data' && rank === 0);
  // Two workers hand out two batches in every 4 ms.
  const step = steadyStep(work, costs, null).totalNs;
  expectEqual(
    waited.reduce((sum, { startNs, endNs }) => sum + endNs - startNs, 0),
    4e6 - 2 * step,
  );
});

test('CK-9 one slow loader holds all ranks up', () => {
  const { topology, buckets } = cluster({});
  const clocked = clock({ topology, job: job(buckets), loader: { ...loader, batchNs: ns(1e6) } });
  for (let step = 0; step < 10; step++) clocked.step();
  const healthy = end(clocked.step());
  clocked.slowLoader([2], {
    factor: 10,
    fromNs: ns(healthy),
    untilNs: ns(Number.POSITIVE_INFINITY),
  });
  for (let step = 0; step < 10; step++) clocked.step();
  const result = clocked.step();
  const waits = result.spans.filter(({ kind }) => kind === 'data').map(({ rank }) => rank);
  expect(waits).toEqual([2]);
  // Its two workers hand out in pairs.
  expect(clocked.queued()).toEqual([4, 4, 1, 4, 4, 4, 4, 4]);
  expect(result.endNs[0] - result.startNs[0]).toBeGreaterThan(4e6);
});

test('CK-12 compression: codecs lie on the stream, fewer bytes take less time', () => {
  const { topology, buckets, costs } = cluster({});
  const coded = buckets.map((bucket) => ({
    ...bucket,
    chunkBytes: Float64Array.from(bucket.chunkBytes, (bytes) => bytes / 2),
    encodeNs: ns(9000),
    decodeNs: ns(4000),
  }));
  const latencies = 14 * 2000;
  const codedCosts = costs.map((cost) => ns(latencies + (cost - latencies) / 2 + 13_000));
  const clocked = clock({ topology, job: job(coded) });
  expectEqual(end(clocked.step()), steadyStep(job(coded), codedCosts, null).totalNs);
  expectEqual(clocked.counters.sentBytes[0], (14 / 8) * 2 * 2_520_000);
  // Back to full precision, in the middle of a run.
  const before = end(clocked.step());
  clocked.change(job(buckets));
  expectEqual(end(clocked.step()) - before, steadyStep(job(buckets), costs, null).totalNs);
});

test('CK-11 local SGD: ranks go on alone and meet when they exchange weights', () => {
  const { topology, buckets, costs } = cluster({});
  const work = job(buckets);
  const alone = 350_000 + 680_000 + 30_000;
  const clocked = clock({ topology, job: work });
  clocked.slow({ ranks: [1], cause: { kind: 'constant', factor: 1.5 }, ...ALWAYS });
  for (let step = 1; step <= 3; step++) {
    const { endNs, spans } = clocked.step({ exchange: 'none' });
    expect(endNs.map(Math.round)).toEqual(
      endNs.map((_, rank) => step * alone * (rank === 1 ? 1.5 : 1)),
    );
    expect(spans.every(({ bucket }) => bucket === null)).toBe(true);
  }
  const { endNs } = clocked.step({ exchange: 'weights' });
  for (const time of endNs) expectEqual(time, 4 * 1.5 * alone + costs[0] + costs[1]);
  const next = clocked.step({ exchange: 'none' });
  expect(new Set(next.startNs).size).toBe(1);
});

/** Everything at once. */
function rough(): StepClock {
  const { topology, buckets } = cluster({ name: 'hierarchical', worldSize: 8, ranksPerNode: 4 });
  const clocked = clock({
    topology,
    job: job(buckets),
    loader: { ...loader, batchNs: ns(1.5e6), sigma: 0.4 },
    lockstep: false,
  });
  clocked.slow({ ranks: 'all', cause: { kind: 'lognormal', sigma: 0.2 }, ...ALWAYS });
  clocked.slow({
    ranks: [1, 5],
    cause: { kind: 'hiccup', periodNs: ns(3e6), pauseNs: ns(4e5), offsetNs: ns(1e5) },
    ...ALWAYS,
  });
  const thermal = {
    ambientCelsius: 30,
    idleRiseCelsius: 5,
    loadRiseCelsius: 70,
    timeConstantNs: ns(20e6),
    limitCelsius: 75,
    hysteresisCelsius: 3,
    frequencyStep: 0.1,
    leastFrequency: 0.3,
    controlNs: ns(1e6),
  };
  clocked.slow({ ranks: [6], cause: { kind: 'thermal', thermal }, ...ALWAYS });
  clocked.slowLink({
    rank: 2,
    factor: 4,
    extraLatencyNs: ns(1000),
    fromNs: ns(5e6),
    untilNs: ns(20e6),
  });
  return clocked;
}

test('CK-11 the same clock gives the same steps to the bit, also from a snapshot', () => {
  const first = rough();
  const second = rough();
  for (let step = 0; step < 30; step++) expect(second.step()).toEqual(first.step());
  const resumed = rough();
  resumed.restore(JSON.parse(JSON.stringify(first.snapshot())));
  for (let step = 0; step < 30; step++) expect(resumed.step()).toEqual(first.step());
});

test('CK-13 spans of a rank lie in its step, compute and stream each without overlap', () => {
  const clocked = rough();
  for (let step = 0; step < 30; step++) {
    const { spans, startNs, endNs, celsius } = clocked.step();
    expect(celsius[0]).toBeNull();
    expect(celsius[6]).toBeGreaterThan(34);
    for (let rank = 0; rank < 8; rank++) {
      const own = spans.filter((span) => span.rank === rank);
      for (const onStream of [true, false]) {
        let now: number = startNs[rank];
        for (const span of own.filter(({ bucket }) => (bucket !== null) === onStream)) {
          expect(span.startNs).toBeGreaterThanOrEqual(now);
          now = span.endNs;
        }
        expect(now).toBeLessThanOrEqual(endNs[rank]);
      }
    }
  }
});

test('CK-7 a slow link lengthens the steps in its time, and no others', () => {
  const { topology, buckets, costs } = cluster({});
  const work = job(buckets);
  const each = steadyStep(work, costs, null).totalNs;
  const slow = clock({ topology, job: work });
  slow.slowLink({
    rank: 4,
    factor: 5,
    extraLatencyNs: ns(0),
    fromNs: ns(each),
    untilNs: ns(3 * each),
  });
  expectEqual(end(slow.step()), each);
  const second = end(slow.step());
  // The last bucket is exposed, and its 14 chunks of 840 kB pass at 60 GB/s.
  const passage = (14 * 840e3) / 60;
  expect(second - 2 * each).toBeGreaterThanOrEqual(passage - costs[1]);
  expect(second - 2 * each).toBeLessThan(2 * passage);
  slow.step();
  const third = end(slow.step());
  expectEqual(end(slow.step()) - third, each);
});

test('CK-7 what is not there cannot be slowed', () => {
  const { topology, buckets } = cluster({});
  const clocked = clock({ topology, job: job(buckets) });
  const cause = { kind: 'constant', factor: 2 } as const;
  expect(() => clocked.slow({ ranks: [8], cause, ...ALWAYS })).toThrow('rank 8; 0 ... 7');
  expect(() => clocked.slowLoader('all', { factor: 2, ...ALWAYS })).toThrow('has no loader');
  expect(() => clocked.step({ work: [1] })).toThrow('work of 1 ranks; there are 8');
  expect(() => clock({ topology, job: { ...job(buckets), layers: [] } })).toThrow('there are 0');
});
