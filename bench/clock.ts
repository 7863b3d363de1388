/** @file The cluster clock: steps simulated message by message, and their closed forms. */
import { ALL_REDUCE_NAMES, allReduceSchedule } from '#core/schedules';
import { allReduceNs, steadyStep } from '#sim/closed-forms';
import { EventQueue } from '#sim/event-queue';
import { ALWAYS } from '#sim/slowdown';
import { StepClock } from '#sim/step-clock';
import type { StepJob } from '#sim/step-job';
import { ns } from '#sim/time';
import { flatTopology } from '#sim/topology';
import { evenChunkBytes } from '#sim/traffic';
import type { Measurement } from './measurement.ts';
import { bestOf } from './statistics.ts';

const LINK = { latencySeconds: 5e-6, bytesPerSecond: 50e9 };
/** A gradient of 100 MB. */
const ELEMENTS = 25e6;
const LAYERS = Array.from({ length: 50 }, () => ({ forwardNs: ns(1e6), backwardNs: ns(2e6) }));
const PASSES = 5;
const MILLION = 1e6;

function job(ranks: number, bucketCount: number): StepJob {
  const schedule = allReduceSchedule('ring', ranks);
  const chunkBytes = evenChunkBytes(schedule.chunks, ELEMENTS / bucketCount, 4);
  const buckets = Array.from({ length: bucketCount }, (_, bucket) => {
    const readyLayer = Math.floor((LAYERS.length * (bucketCount - 1 - bucket)) / bucketCount);
    return { schedule, chunkBytes, encodeNs: ns(0), decodeNs: ns(0), readyLayer };
  });
  return { layers: LAYERS, microBatches: 1, buckets, optimizerNs: ns(1e6) };
}

function clockOf(ranks: number, bucketCount: number): StepClock {
  const topology = flatTopology(ranks, LINK);
  const clock = new StepClock({
    topology,
    job: job(ranks, bucketCount),
    loader: null,
    lockstep: false,
    seed: 1,
  });
  clock.slow({ ranks: 'all', cause: { kind: 'lognormal', sigma: 0.05 }, ...ALWAYS });
  return clock;
}

function timed(work: () => void): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

/** Milliseconds of each of some calls. */
function repeated(work: () => void, passes = PASSES): number[] {
  return Array.from({ length: passes }, () => timed(work));
}

/** A step of one bucket, which is 2 (N - 1) N messages. */
interface RingStep {
  readonly ranks: number;
  readonly preparedMs: number;
  readonly stepMs: number;
  readonly messages: number;
  readonly events: number;
}

function measureRing(ranks: number): RingStep {
  let clock: StepClock | undefined;
  const preparedMs = timed(() => {
    clock = clockOf(ranks, 1);
  });
  if (clock === undefined) throw new Error('no clock');
  const measured = clock;
  const stepMs = bestOf(repeated(() => measured.step()));
  const events = measured.events / PASSES;
  return { ranks, preparedMs, stepMs, messages: 2 * (ranks - 1) * ranks, events };
}

function ringLines(): Measurement[] {
  const small = measureRing(256);
  const large = measureRing(1024);
  const perMessage = ({ stepMs, messages }: RingStep) => (MILLION * stepMs) / messages;
  return [
    {
      name: 'cluster clock: a step of 1,024 ranks, ring, message by message',
      unit: 's',
      value: large.stepMs / 1000,
      goal: { atMost: 1.5 },
      detail:
        `${large.messages.toLocaleString('en-GB')} messages, every rank at a pace of its own; ` +
        `made ready once in ${(large.preparedMs / 1000).toFixed(2)} s`,
    },
    {
      name: 'cluster clock: events of that step a second',
      unit: 'million/s',
      value: large.events / large.stepMs / 1000,
      goal: null,
      detail: `${large.events.toLocaleString('en-GB')} events`,
    },
    {
      name: 'cluster clock: time of a message, 1,024 ranks against 256 (16 times the messages)',
      unit: 'times',
      value: perMessage(large) / perMessage(small),
      goal: { atMost: 2 },
      detail: `${perMessage(small).toFixed(0)} ns and ${perMessage(large).toFixed(0)} ns a message`,
    },
  ];
}

function queueLine(): Measurement {
  const queue = new EventQueue();
  const pushAll = () => {
    queue.clear();
    // A full-period congruence: times in no order, the same in every run.
    for (let i = 0, time = 1; i < MILLION; i++) {
      time = (time * 48_271) % 0x7fffffff;
      queue.push(time, i);
    }
    while (queue.size > 0) queue.pop();
  };
  const milliseconds = bestOf(repeated(pushAll));
  return {
    name: 'cluster clock: memory of a million events that wait at once',
    unit: 'MB',
    value: queue.bytes / MILLION,
    goal: null,
    detail: `pushed in any order and taken out in ${milliseconds.toFixed(0)} ms`,
  };
}

function liveLine(): Measurement {
  const clock = clockOf(16, 5);
  const milliseconds = bestOf(
    repeated(() => {
      for (let step = 0; step < 1000; step++) clock.step();
    }),
  );
  return {
    name: 'cluster clock: 1,000 steps of 16 ranks, 5 buckets, with spans',
    unit: 's',
    value: milliseconds / 1000,
    goal: null,
    detail: `${(milliseconds / 1000).toFixed(2)} ms a step`,
  };
}

function closedLine(): Measurement {
  const cluster = { worldSize: 16_384, ranksPerNode: 16_384, inner: LINK, outer: LINK };
  const layout = { ...cluster, ranksPerNode: 8 };
  const priced = job(1, 5);
  const price = () => {
    for (const name of ALL_REDUCE_NAMES) {
      const bytes = (4 * ELEMENTS) / priced.buckets.length;
      const collective = allReduceNs(name, name === 'hierarchical' ? layout : cluster, bytes);
      if (collective !== null)
        steadyStep(
          priced,
          priced.buckets.map(() => collective),
          null,
        );
    }
  };
  return {
    name: 'cluster clock: closed forms of a step of 16,384 ranks, every collective',
    unit: 'ms',
    value: bestOf(repeated(price, 100)),
    goal: { atMost: 16 },
    detail: `of ${ALL_REDUCE_NAMES.length - 1} collectives; the double tree has none`,
  };
}

async function measure(): Promise<Measurement[]> {
  return [...ringLines(), queueLine(), liveLine(), closedLine()];
}

window.measure = measure;
