import { expect, test } from 'vitest';
import { type Danger, predict, type Warning } from './predictor.ts';
import { median } from './robust.ts';
import type { Quantity } from './series.ts';
import {
  always,
  LIMIT_CELSIUS,
  runSteps,
  STEP_NS,
  type TestCluster,
  testCluster,
  usualNorms,
} from './test-cluster.ts';

const FULL = process.env.RINGSIDE_FULL !== undefined;
const SEEDS = FULL ? 60 : 10;
const HEALTHY_SEEDS = FULL ? 200 : 20;
/** Settings were chosen on seeds below it. */
const FIRST_SEED = 5001;
const LONGEST = 260;
/** Between two looks at the series. */
const LOOK_STEPS = 4;
const FIRST_LOOK = 20;

interface Course {
  readonly rank: number;
  /** The step at which the limit was crossed; null where it was not. */
  readonly crossed: number | null;
  /** The first warning of each rank and danger, and the step at which it was given. */
  readonly warnings: readonly { readonly at: number; readonly warning: Warning }[];
}

/** A rank on its way into danger, watched until it gets there. */
function course(seed: number, danger: Danger | null): Course {
  const rank = seed % 4;
  const hot = { rank, celsius: danger === 'throttling' ? 24 + (seed % 8) : 8 };
  // Healthy clusters of uneven numbers have a warm rank that never gets there.
  const cluster = testCluster(seed, {
    depth: 24,
    ...((danger === 'throttling' || seed % 2 === 1) && { hot }),
  });
  const warnings = new Map<string, Course['warnings'][number]>();
  const rate = cluster.random.uniform();
  const extra = (step: number) => extras(seed, cluster, { rank, danger, rate }, step);
  for (let step = 0; step < LONGEST; step += LOOK_STEPS) {
    steer(cluster, { rank, danger, rate }, step);
    runSteps(cluster, LOOK_STEPS, extra);
    if (isThere(cluster, { rank, danger, rate }, step + LOOK_STEPS)) {
      return { rank, crossed: step + LOOK_STEPS, warnings: [...warnings.values()] };
    }
    if (step < FIRST_LOOK) continue;
    for (const warning of predict(cluster.series, { limitCelsius: LIMIT_CELSIUS })) {
      const name = `${warning.rank} ${warning.danger}`;
      if (!warnings.has(name)) warnings.set(name, { at: step + LOOK_STEPS, warning });
    }
  }
  return { rank, crossed: null, warnings: [...warnings.values()] };
}

interface Illness {
  readonly rank: number;
  readonly danger: Danger | null;
  /** Between 0 and 1. */
  readonly rate: number;
}

/** Of compute time, a step. */
const growth = (rate: number): number => 1.001 + 0.003 * rate;
const SLOWS_FROM = 20;

function steer({ clock }: TestCluster, { rank, danger, rate }: Illness, step: number): void {
  if (danger === 'slowing' && step >= SLOWS_FROM) {
    const factor = growth(rate) ** LOOK_STEPS;
    clock.slow(always([rank], { kind: 'constant', factor }, clock.nowNs));
  }
  if (danger === 'starving' && step === 40) {
    const nothing = always([rank], { kind: 'constant', factor: 1 }, clock.nowNs);
    clock.slowLoader([rank], { ...nothing, factor: 2.4 + 0.4 * rate });
  }
}

function extras(
  seed: number,
  { worldSize }: TestCluster,
  { rank, danger, rate }: Illness,
  step: number,
) {
  const gradientNorm = usualNorms(seed, worldSize, step);
  if (danger === 'gradientGrows') {
    gradientNorm[rank] *= (1.015 + 0.02 * rate) ** Math.max(0, step - 30);
  }
  // A dynamic scale goes up after quiet times and down at each overflow, around a level.
  const level = 2 ** (14 + (Math.floor(step / 20) % 2) - (step % 37 === 5 ? 1 : 0));
  const halvings = danger === 'lossScaleFalls' ? Math.floor(step / (5 + 8 * rate)) : 0;
  return { gradientNorm, lossScale: gradientNorm.map(() => level / 2 ** halvings) };
}

function isThere({ series }: TestCluster, { rank, danger, rate }: Illness, step: number): boolean {
  const now = (quantity: Quantity) => median(series.last(quantity, rank, 5));
  const normal = (quantity: Quantity) => median(series.first(quantity, rank));
  switch (danger) {
    case 'throttling':
      // The device cools itself at once, so a median would never get there.
      return Math.max(...series.last('celsius', rank, LOOK_STEPS)) > LIMIT_CELSIUS;
    case 'slowing':
      // Of the cause itself: measured times have crossed for a moment long before.
      return growth(rate) ** Math.max(0, step - SLOWS_FROM) > 1.2;
    case 'starving':
      return series.steps(1)[0] > 50 && waited(series.last('dataNs', rank, 8)) > 0.03 * STEP_NS;
    case 'lossScaleFalls':
      return now('lossScale') <= 1;
    case 'gradientGrows':
      return now('gradientNorm') > 10 * normal('gradientNorm');
    case null:
      return false;
  }
}

const DANGERS: readonly Danger[] = [
  'throttling',
  'slowing',
  'starving',
  'lossScaleFalls',
  'gradientGrows',
];

class Score {
  readonly missed: number[] = [];
  readonly wrong: string[] = [];
  /** Steps between warning and crossing, and by which share of them the prediction was off. */
  readonly leads: number[] = [];
  readonly errors: number[] = [];

  get recall(): number {
    return this.leads.length / (this.leads.length + this.missed.length);
  }

  get precision(): number {
    return this.leads.length / (this.leads.length + this.wrong.length);
  }

  /** Runs that got into danger too soon to be warned of are left out. */
  judge(
    seed: number,
    { at, warning }: Partial<Course['warnings'][number]>,
    crossed: number | null,
  ) {
    if (at === undefined || warning === undefined) {
      if (crossed !== null && crossed > FIRST_LOOK + 2 * LOOK_STEPS) this.missed.push(seed);
    } else if (crossed === null) this.wrong.push(`${seed} (never)`);
    else {
      this.leads.push(crossed - at);
      this.errors.push(Math.abs(warning.step - crossed) / (crossed - at));
    }
  }
}

test('MO-6 warnings come before the limit is crossed: precision and recall of 0.9 and more, each', () => {
  const scores = new Map(DANGERS.map((danger) => [danger, new Score()]));
  let healthyAlarms = 0;
  const cases: (Danger | null)[] = [
    ...DANGERS.flatMap((danger) => Array.from({ length: SEEDS }, () => danger)),
    ...Array.from({ length: HEALTHY_SEEDS }, () => null),
  ];
  for (const [i, danger] of cases.entries()) {
    const seed = FIRST_SEED + i;
    const { rank, crossed, warnings } = course(seed, danger);
    const right = warnings.find(
      ({ warning }) => warning.rank === rank && warning.danger === danger,
    );
    if (danger !== null) scores.get(danger)?.judge(seed, right ?? {}, crossed);
    for (const { warning } of warnings) {
      // All ranks have one loss scale.
      const isShared = danger === 'lossScaleFalls' && warning.danger === danger;
      if (warning === right?.warning || isShared) continue;
      scores.get(warning.danger)?.wrong.push(`${seed} (${danger})`);
      if (danger === null) healthyAlarms++;
    }
  }
  for (const [danger, { recall, precision, missed, wrong, leads, errors }] of scores) {
    console.info(
      `${danger.padEnd(14)} recall ${recall.toFixed(3)}, precision ${precision.toFixed(3)}, ` +
        `${median(leads)} steps before, off by ${(100 * median(errors)).toFixed(0)} % of them; ` +
        `missed: ${missed.join(' ') || '-'}; wrong: ${wrong.join(' ') || '-'}`,
    );
    expect(leads.length, danger).toBeGreaterThanOrEqual(0.8 * SEEDS);
    expect(recall, danger).toBeGreaterThanOrEqual(0.9);
    expect(precision, danger).toBeGreaterThanOrEqual(0.9);
  }
  console.info(`false alarms on ${HEALTHY_SEEDS} healthy clusters: ${healthyAlarms}`);
  expect(healthyAlarms).toBeLessThanOrEqual(HEALTHY_SEEDS / 20);
}, 600_000);

const waited = (waits: readonly number[]): number =>
  waits.reduce((sum, wait) => sum + wait, 0) / waits.length;
