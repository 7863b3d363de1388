/** @file The cluster time of a run: advanced step by step beside the training that really happens. */
import type { Plan } from '#core/plan';
import { balancedBatches, speedsOf } from '#core/sync-rules';
import type { Experiment } from '#experiment/experiment';
import { parseStraggler, type Straggler } from '#experiment/straggler-lines';
import { nodeBytesPerSecond } from './cluster.ts';
import { COMPUTATION_NS } from './durations.ts';
import { timeSplit } from './metrics.ts';
import { orderedTimes } from './ordered-times.ts';
import { runJob, runLoader, runTopology, stateBytes } from './run-job.ts';
import { createRunMonitor, type News, type RunMonitor } from './run-monitor.ts';
import type { SlowdownCause } from './slowdown.ts';
import type { Span } from './spans.ts';
import { type ExchangeKind, StepClock } from './step-clock.ts';
import { passWork, type StepJob } from './step-job.ts';
import type { ThermalConfig } from './thermal.ts';
import { ns, secondsToNs } from './time.ts';

const NS_PER_MS = 1e6;

/** Cluster milliseconds of one step. */
export interface StepFigures {
  /** Since the run began, when the last rank is done. */
  readonly endMs: number;
  /** From the end of the step before. */
  readonly stepMs: number;
  /** [rank]: computing, whatever else went on. */
  readonly computeMs: readonly number[];
  /** [rank]: communication that no compute hides. */
  readonly exposedMs: readonly number[];
  /** [rank]: waiting for others. */
  readonly waitMs: readonly number[];
  /** [rank]: waiting for data. */
  readonly dataMs: readonly number[];
  /** [rank]: degrees Celsius; left out where no heat is modelled. */
  readonly celsius?: readonly (number | null)[];
}

export interface RunClock {
  /** The figures of `step`; the steps since the last call are run before it. */
  advance(step: number): StepFigures;
  /** What the ranks did in the last step, at most. For pictures. */
  spans(): readonly Span[];
  /** What the monitor found in the steps since the last call. */
  news(): readonly News[];
  /** Ranks are gathered anew before `step` of `plan`. Returns what it took, cluster ms. */
  regroup(plan: Plan, step: number, delays: RegroupDelays): number;
}

/** Cluster seconds. */
export interface RegroupDelays {
  /** Until the loss is noticed. */
  readonly detectSeconds: number;
  /** Until newcomers stand ready; 0 without any. */
  readonly joinSeconds: number;
}

/** A server-grade device; the ambient temperature is the straggler's. */
const HEAT: Omit<ThermalConfig, 'ambientCelsius'> = {
  idleRiseCelsius: 15,
  loadRiseCelsius: 50,
  timeConstantNs: secondsToNs(30),
  limitCelsius: 83,
  hysteresisCelsius: 3,
  frequencyStep: 0.1,
  leastFrequency: 0.4,
  controlNs: secondsToNs(1),
};

/** The clock of an experiment's run. Ranks that differ and stragglers are named by the experiment. */
export function createRunClock(experiment: Experiment, first: Plan): RunClock {
  const stragglers = experiment.stragglers.flatMap((line) => parseStraggler(line) ?? []);
  const isSteady = stragglers.length === 0 && runLoader(experiment) === null;
  let plan = first;
  let offsetNs = 0;
  let { clock, monitor } = clockOf(experiment, plan, stragglers, offsetNs);
  let nextStep = 0;
  let lastEndNs = 0;
  let figures: StepFigures | null = null;
  let spans: readonly Span[] = [];

  const gradientNs = gradientWorkNs(runJob(experiment, first));
  const nextOrdered = orderedTimes(first, gradientNs / COMPUTATION_NS);
  const work = balancedWork(first);

  /** A step in whose middle the other ranks are in steps of their own: only its end is known. */
  const runOrdered = (next: () => number): void => {
    const endMs = next() / NS_PER_MS;
    const stepMs = endMs - (figures?.endMs ?? 0);
    figures = { endMs, stepMs, computeMs: [], exposedMs: [], waitMs: [], dataMs: [] };
  };

  const run = (step: number): void => {
    if (nextOrdered !== null) {
      runOrdered(nextOrdered);
      return;
    }
    const done = clock.step({ exchange: exchangeAt(plan, step), ...(work !== null && { work }) });
    const startNs = ns(lastEndNs - offsetNs);
    const endNs = ns(Math.max(...done.endNs));
    const splits = done.endNs.map((_, rank) => {
      const own = done.spans.filter((span) => span.rank === rank);
      return timeSplit(own, startNs, endNs);
    });
    monitor.observe(step, done, clock.queued());
    spans = done.spans;
    lastEndNs = offsetNs + endNs;
    const ms = (time: number): number => time / NS_PER_MS;
    figures = {
      endMs: ms(lastEndNs),
      stepMs: ms(endNs - startNs),
      computeMs: splits.map(({ computeNs }) => ms(computeNs)),
      exposedMs: splits.map(({ exposedCommunicationNs }) => ms(exposedCommunicationNs)),
      waitMs: splits.map(({ idle }) => ms(idle.peersNs + idle.otherNs)),
      dataMs: splits.map(({ idle }) => ms(idle.dataNs)),
      ...(done.celsius.some((celsius) => celsius !== null) && { celsius: done.celsius }),
    };
  };

  /** Where nothing changes from step to step, one step tells them all. */
  const repeat = (steps: number): void => {
    if (figures === null) return;
    lastEndNs += steps * figures.stepMs * NS_PER_MS;
    figures = { ...figures, endMs: lastEndNs / NS_PER_MS };
  };

  return {
    advance(step) {
      const repeats = isSteady && figures !== null && plan.sync.kind === 'allReduce';
      if (repeats) {
        repeat(step + 1 - nextStep);
      } else {
        for (let next = nextStep; next <= step; next++) run(next);
      }
      nextStep = step + 1;
      if (figures === null) throw new RangeError(`step ${step} was timed before`);
      return figures;
    },
    spans: () => spans,
    news: () => monitor.take(),
    regroup(next, step, { detectSeconds, joinSeconds }) {
      const { cluster } = experiment;
      const handOver = stateBytes(experiment) / nodeBytesPerSecond(cluster, 1);
      const seconds = detectSeconds + joinSeconds + (next.worldSize > 1 ? handOver : 0);
      lastEndNs += seconds * 1e9;
      offsetNs = lastEndNs;
      plan = next;
      nextStep = step;
      figures = null;
      ({ clock, monitor } = clockOf(experiment, plan, stragglers, offsetNs));
      return seconds * 1000;
    },
  };
}

/** One gradient of a rank's whole batch, nanoseconds at full speed. */
function gradientWorkNs(job: StepJob): number {
  const { forwardNs, backwardNs } = passWork(job);
  return job.microBatches * (forwardNs + backwardNs);
}

/** Each rank's share of the batch over an equal one, where batches follow the ranks' speeds. */
function balancedWork({ sync, worldSize, batchPerRank }: Plan): readonly number[] | null {
  if (sync.kind !== 'allReduce' || sync.balance === 'off') return null;
  const speeds = speedsOf(sync.slowdowns, worldSize);
  return balancedBatches(batchPerRank * worldSize, speeds).map((size) => size / batchPerRank);
}

/** What the step's buckets carry, by the rule of synchronisation. */
function exchangeAt({ sync }: Plan, step: number): ExchangeKind {
  switch (sync.kind) {
    case 'localSgd':
    case 'diloco':
      return (step + 1) % sync.period === 0 ? 'weights' : 'none';
    case 'postLocalSgd':
      if (step < sync.warmupSteps) return 'gradients';
      return (step - sync.warmupSteps) % sync.period === 0 ? 'weights' : 'none';
    default:
      return 'gradients';
  }
}

function clockOf(
  experiment: Experiment,
  plan: Plan,
  stragglers: readonly Straggler[],
  offsetNs: number,
): { readonly clock: StepClock; readonly monitor: RunMonitor } {
  const topology = runTopology(experiment, plan.worldSize);
  const monitor = createRunMonitor(topology, HEAT.limitCelsius);
  const clock = new StepClock({
    topology,
    observer: monitor.observer,
    job: runJob(experiment, plan),
    loader: runLoader(experiment),
    lockstep: true,
    seed: plan.seed,
  });
  for (const straggler of stragglers) addStraggler(clock, straggler, plan.worldSize, offsetNs);
  const slowdowns = plan.sync.kind === 'allReduce' ? plan.sync.slowdowns : [];
  slowdowns.slice(0, plan.worldSize).forEach((factor, rank) => {
    const cause = { kind: 'constant', factor } as const;
    const untilNs = ns(Number.POSITIVE_INFINITY);
    if (factor !== 1) clock.slow({ ranks: [rank], cause, fromNs: ns(0), untilNs });
  });
  return { clock, monitor };
}

/** A rank that is gone is slow no more; times are those of the whole run. */
function addStraggler(
  clock: StepClock,
  straggler: Straggler,
  worldSize: number,
  offsetNs: number,
): void {
  const all = Array.from({ length: worldSize }, (_, rank) => rank);
  const ranks =
    straggler.ranks === 'all' ? all : straggler.ranks.filter((rank) => rank < worldSize);
  const fromNs = ns(Math.max(0, 1e9 * straggler.from - offsetNs));
  const untilNs = ns(1e9 * straggler.until - offsetNs);
  if (untilNs <= fromNs || ranks.length === 0) return;
  const { value: factor } = straggler;
  if (straggler.kind === 'link') {
    for (const rank of ranks) {
      clock.slowLink({ rank, factor, extraLatencyNs: ns(0), fromNs, untilNs });
    }
  } else if (straggler.kind === 'loader') {
    clock.slowLoader(ranks, { factor, fromNs, untilNs });
  } else clock.slow({ ranks, cause: causeOf(straggler, offsetNs), fromNs, untilNs });
}

function causeOf({ kind, value, every }: Straggler, offsetNs: number): SlowdownCause {
  switch (kind) {
    case 'jitter':
      return { kind: 'lognormal', sigma: value };
    case 'hiccup': {
      const periodNs = secondsToNs(every);
      const untilNext = every * 1e9 - (offsetNs % (every * 1e9));
      return { kind: 'hiccup', periodNs, pauseNs: secondsToNs(value), offsetNs: ns(untilNext) };
    }
    case 'heat':
      return { kind: 'thermal', thermal: { ...HEAT, ambientCelsius: value } };
    default:
      return { kind: 'constant', factor: value };
  }
}
