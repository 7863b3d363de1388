/** @file For tests: small clusters with jitter, loaders and heat, and ranks that fall ill. */
import { PURPOSE, type RandomStream, randomStream } from '#core/random';
import { allReduceSchedule } from '#core/schedules';
import type { Slowdown, SlowdownCause } from '#sim/slowdown';
import { StepClock } from '#sim/step-clock';
import type { StepJob } from '#sim/step-job';
import type { ThermalConfig } from '#sim/thermal';
import { type Ns, ns } from '#sim/time';
import { flatTopology } from '#sim/topology';
import { evenChunkBytes } from '#sim/traffic';
import { createPortMeter, type PortMeter } from './port-meter.ts';
import { sampleOf } from './sample.ts';
import { RankSeries, type StepSample } from './series.ts';

const MS = 1e6;
/** About what a step of an undisturbed test cluster takes. */
export const STEP_NS = 12 * MS;
export const LIMIT_CELSIUS = 85;

export interface TestCluster {
  readonly worldSize: number;
  readonly clock: StepClock;
  readonly meter: PortMeter;
  readonly series: RankSeries;
  readonly random: RandomStream;
}

export interface ClusterWishes {
  /** Ambient above the others', of one rank. */
  readonly hot?: { readonly rank: number; readonly celsius: number };
  /** Of the loader's queue. */
  readonly depth?: number;
}

/** Jitter that all ranks have, as on clusters where nothing is wrong. */
const USUAL_JITTER: readonly (SlowdownCause | null)[] = [
  null,
  { kind: 'normal', deviation: 0.02 },
  { kind: 'lognormal', sigma: 0.04 },
  { kind: 'lognormal', sigma: 0.08 },
  { kind: 'exponential', mean: 0.05 },
];

/** A cluster of 4 to 12 ranks, its size, jitter, warmth and kind of barrier drawn from `seed`. */
export function testCluster(seed: number, wishes: ClusterWishes = {}): TestCluster {
  const random = randomStream(seed, PURPOSE.generation, 7);
  const worldSize = 4 + random.below(9);
  const topology = flatTopology(worldSize, { latencySeconds: 5e-6, bytesPerSecond: 10e9 });
  const meter = createPortMeter(topology);
  const clock = new StepClock({
    topology,
    job: testJob(worldSize),
    loader: { workers: 4, depth: wishes.depth ?? 8, batchNs: ns(24 * MS), sigma: 0.1 },
    lockstep: random.uniform() < 0.5,
    seed,
    observer: meter.observe,
  });
  const jitter = USUAL_JITTER[random.below(USUAL_JITTER.length)];
  if (jitter !== null) clock.slow(always('all', jitter));
  const ambient = 22 + 8 * random.uniform();
  for (let rank = 0; rank < worldSize; rank++) {
    const extra = wishes.hot?.rank === rank ? wishes.hot.celsius : 3 * random.uniform();
    clock.slow(always([rank], { kind: 'thermal', thermal: heatAt(ambient + extra) }));
  }
  return { worldSize, clock, meter, series: new RankSeries(worldSize), random };
}

export const always = (ranks: Slowdown['ranks'], cause: SlowdownCause, fromNs = 0): Slowdown => {
  return { ranks, cause, fromNs: ns(fromNs), untilNs: ns(Number.POSITIVE_INFINITY) };
};

/** Under full load 45 degrees above ambient. */
function heatAt(ambientCelsius: number): ThermalConfig {
  return {
    ambientCelsius,
    idleRiseCelsius: 8,
    loadRiseCelsius: 45,
    timeConstantNs: ns(60 * STEP_NS),
    limitCelsius: LIMIT_CELSIUS,
    hysteresisCelsius: 2,
    frequencyStep: 0.08,
    leastFrequency: 0.5,
    controlNs: ns(2 * STEP_NS),
  };
}

/** 10 ms of compute, and 2 x 4 MB to exchange. */
function testJob(worldSize: number): StepJob {
  const schedule = allReduceSchedule('ring', worldSize, { ranksPerNode: worldSize });
  const layer = { forwardNs: ns(1.5 * MS), backwardNs: ns(3 * MS) };
  const bucket = (readyLayer: number) => {
    const chunkBytes = evenChunkBytes(schedule.chunks, 1_000_000, 4);
    return { schedule, chunkBytes, encodeNs: ns(0), decodeNs: ns(0), readyLayer };
  };
  return {
    layers: [layer, layer],
    microBatches: 1,
    buckets: [bucket(1), bucket(0)],
    optimizerNs: ns(1 * MS),
  };
}

/** What a test adds to a step of the clock. */
export type Extra = (step: number) => Pick<StepSample, 'lossScale' | 'gradientNorm'>;

/** Runs `steps` steps and shows them to the series. */
export function runSteps(cluster: TestCluster, steps: number, extra: Extra = () => ({})): void {
  const { clock, meter, series } = cluster;
  for (let i = 0; i < steps; i++) {
    const step = clock.step();
    const beside = { queue: clock.queued(), portSlowness: meter.take(), ...extra(step.step) };
    series.observe(sampleOf(step, beside));
  }
}

/** Norms that fall together as training goes on, with noise of each rank's own batch. */
export function usualNorms(seed: number, worldSize: number, step: number): number[] {
  const noise = 0.05 + 0.15 * randomStream(seed, PURPOSE.generation, 8).uniform();
  const level = 1 + 4 * Math.exp(-step / 80);
  return Array.from({ length: worldSize }, (_, rank) => {
    const stream = randomStream(seed, PURPOSE.generation, 100 + rank, step);
    return level * Math.exp(noise * stream.normal());
  });
}

export const between = (random: RandomStream, least: number, most: number): number =>
  least + (most - least) * random.uniform();

export const inSteps = (steps: number): Ns => ns(steps * STEP_NS);
