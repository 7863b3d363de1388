import { expect, test } from 'vitest';
import { StepClock } from '#sim/step-clock';
import { ns } from '#sim/time';
import { flatTopology } from '#sim/topology';
import { createPortMeter } from './port-meter.ts';
import { sampleOf } from './sample.ts';
import { RankSeries } from './series.ts';

const sample = (step: number) => ({
  step,
  startNs: [10 * step, 10 * step + 1],
  stepNs: [step, -step],
});

test('MO-2 the last steps are kept in order, and the first ones apart', () => {
  const series = new RankSeries(2, { window: 4, baselineSteps: 2 });
  for (let step = 0; step < 11; step++) series.observe(sample(step));
  expect(series.length).toBe(4);
  expect(series.steps()).toEqual([7, 8, 9, 10]);
  expect(series.last('stepNs', 1)).toEqual([-7, -8, -9, -10]);
  expect(series.last('stepNs', 0, 2)).toEqual([9, 10]);
  expect(series.starts(1, 2)).toEqual([91, 101]);
  expect(series.first('stepNs', 0)).toEqual([0, 1]);
});

test('MO-2 what is not known is NaN; another job starts anew', () => {
  const series = new RankSeries(2, { window: 4, baselineSteps: 2 });
  for (let step = 0; step < 5; step++) series.observe(sample(step));
  expect(series.last('celsius', 0)).toEqual([Number.NaN, Number.NaN, Number.NaN, Number.NaN]);
  series.restart();
  expect(series.length).toBe(0);
  series.observe(sample(9));
  expect(series.first('stepNs', 0)).toEqual([9]);
  expect(series.last('stepNs', 0)).toEqual([9]);
});

test('MO-2 a port whose messages take 3 times as long as its bandwidth says', () => {
  // 1e9 bytes/s are 1 ns a byte. Port 0 of rank 0 is busy for 300 ns with 100 bytes.
  const topology = flatTopology(2, { latencySeconds: 0, bytesPerSecond: 1e9 });
  const meter = createPortMeter(topology);
  const [mine] = topology.portsOf(0);
  const [theirs] = topology.portsOf(1);
  meter.observe({ link: mine, bytes: 100, headNs: 0, startNs: 50, freeNs: 350 });
  meter.observe({ link: theirs, bytes: 100, headNs: 0, startNs: 0, freeNs: 100 });
  expect(meter.take()).toEqual([3, 1]);
  expect(meter.take()).toEqual([Number.NaN, Number.NaN]);
});

test('MO-2 a step of the clock: 40 ns of compute, 30 of waiting for the rank that takes 70', () => {
  const topology = flatTopology(2, { latencySeconds: 0, bytesPerSecond: 1e9 });
  const schedule = {
    name: 'exchange',
    worldSize: 2,
    chunks: 1,
    steps: [[{ from: 0, to: 1, chunk: 0, op: 'copy' as const }]],
  };
  const bucket = { schedule, chunkBytes: [8], encodeNs: ns(0), decodeNs: ns(0), readyLayer: 0 };
  const clock = new StepClock({
    topology,
    job: {
      layers: [{ forwardNs: ns(10), backwardNs: ns(30) }],
      microBatches: 1,
      buckets: [bucket],
      optimizerNs: ns(0),
    },
    loader: null,
    lockstep: true,
    seed: 1,
  });
  const { waitNs, computeNs, stepNs, celsius, step } = sampleOf(clock.step({ work: [1, 1.75] }));
  expect({ step, waitNs, computeNs }).toEqual({ step: 0, waitNs: [30, 0], computeNs: [40, 70] });
  // The message left at 40 ns and has long come.
  expect(stepNs).toEqual([70, 70]);
  expect(celsius).toEqual([Number.NaN, Number.NaN]);
});
