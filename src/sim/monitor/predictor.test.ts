import { expect, test } from 'vitest';
import { median } from './robust.ts';
import { type Danger, predict, type Warning } from './predictor.ts';
import {
  always,
  between,
  inSteps,
  LIMIT_CELSIUS,
  runSteps,
  STEP_NS,
  type TestCluster,
  testCluster,
  usualNorms,
} from './test-cluster.ts';

const SEEDS = 24;
const HEALTHY_SEEDS = 60;
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
  const hot = { rank, celsius: danger === 'throttling' ? 19 + (seed % 8) : 11 };
  // Healthy clusters of uneven numbers have a warm rank that never gets there.
  const cluster = testCluster(seed, danger === 'throttling' || seed % 2 === 1 ? { hot } : {});
  const warnings = new Map<string, Course['warnings'][number]>();
  const rate = cluster.random.uniform();
  const extra = (step: number) => extras(seed, cluster, { rank, danger, rate }, step);
  for (let step = 0; step < LONGEST; step += LOOK_STEPS) {
    steer(cluster, { rank, danger, rate }, step);
    runSteps(cluster, LOOK_STEPS, extra);
    if (danger !== null && isThere(cluster, rank, danger)) {
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

function steer({ clock }: TestCluster, { rank, danger, rate }: Illness, step: number): void {
  if (danger === 'slowing' && step >= 20) {
    const factor = (1.001 + 0.003 * rate) ** LOOK_STEPS;
    clock.slow(always([rank], { kind: 'constant', factor }, step * STEP_NS));
  }
  if (danger === 'starving' && step === 40) {
    const nothing = always([rank], { kind: 'constant', factor: 1 }, clock.nowNs);
    clock.slowLoader([rank], { ...nothing, factor: 2.3 + 0.5 * rate });
  }
}

function extras(seed: number, { worldSize }: TestCluster, { rank, danger, rate }: Illness, step: number) {
  const gradientNorm = usualNorms(seed, worldSize, step);
  if (danger === 'gradientGrows') {
    gradientNorm[rank] *= (1.015 + 0.02 * rate) ** Math.max(0, step - 30);
  }
  // A dynamic scale goes up after quiet times and down at each overflow, around a level.
  const level = 2 ** (14 + (Math.floor(step / 20) % 2) - (step % 37 === 5 ? 1 : 0));
  const halvings = danger === 'lossScaleFalls' ? Math.floor(step / (5 + 8 * rate)) : 0;
  return { gradientNorm, lossScale: gradientNorm.map(() => level / 2 ** halvings) };
}

function isThere({ series }: TestCluster, rank: number, danger: Danger): boolean {
  const now = (quantity: Parameters<typeof series.last>[0]) => median(series.last(quantity, rank, 5));
  const normal = (quantity: Parameters<typeof series.last>[0]) => median(series.first(quantity, rank));
  switch (danger) {
    case 'throttling':
      return now('celsius') > LIMIT_CELSIUS;
    case 'slowing':
      return now('computeNs') > 1.2 * normal('computeNs');
    case 'starving':
      return series.length > 50 && now('queue') < 0.5;
    case 'lossScaleFalls':
      return now('lossScale') <= 1;
    case 'gradientGrows':
      return now('gradientNorm') > 10 * normal('gradientNorm');
  }
}

const DANGERS: readonly Danger[] = ['throttling', 'slowing', 'starving', 'lossScaleFalls', 'gradientGrows'];

test('MO-6 warnings come before the limit is crossed: precision and recall of 0.9 and more, each', () => {
  const lines: string[] = [];
  const score = new Map(DANGERS.map((danger) => [danger, { due: 0, hits: 0, wrong: [] as string[], missed: [] as number[], errors: [] as number[], lead: [] as number[] }]));
  const wrongOf = (danger: Danger, text: string) => score.get(danger)?.wrong.push(text);
  let seed = 0;
  for (const danger of DANGERS) {
    for (let i = 0; i < SEEDS; i++) {
      seed++;
      const { rank, crossed, warnings } = course(seed, danger);
      const own = score.get(danger);
      if (own === undefined) continue;
      const right = warnings.find(({ warning }) => warning.rank === rank && warning.danger === danger);
      // For falling scales all ranks have the same.
      for (const { warning } of warnings) {
        const shared = danger === 'lossScaleFalls' && warning.danger === danger;
        if (warning !== right?.warning && !shared) wrongOf(warning.danger, `${seed} (${danger})`);
      }
      if (crossed === null) {
        if (right !== undefined) wrongOf(danger, `${seed} never`);
        continue;
      }
      if (crossed <= FIRST_LOOK + 2 * LOOK_STEPS) continue;
      own.due++;
      if (right === undefined) own.missed.push(seed);
      else {
        own.hits++;
        own.lead.push(crossed - right.at);
        own.errors.push(Math.abs(right.warning.step - crossed) / (crossed - right.at));
      }
    }
  }
  let healthyAlarms = 0;
  for (let i = 0; i < HEALTHY_SEEDS; i++) {
    seed++;
    for (const { warning } of course(seed, null).warnings) {
      healthyAlarms++;
      wrongOf(warning.danger, `${seed} healthy`);
    }
  }
  for (const [danger, { due, hits, wrong, missed, errors, lead }] of score) {
    lines.push(
      `${danger.padEnd(15)} recall ${(hits / due).toFixed(3)} of ${due} precision ${(hits / (hits + wrong.length)).toFixed(3)}` +
        ` median lead ${median(lead)} steps, error ${(100 * median(errors)).toFixed(0)} % of it, missed: ${missed} wrong: ${wrong}`,
    );
  }
  console.info(`${lines.join('\n')}\nfalse alarms on ${HEALTHY_SEEDS} healthy clusters: ${healthyAlarms}`);
  for (const [danger, { due, hits, wrong }] of score) {
    expect(due, danger).toBeGreaterThanOrEqual(20);
    expect(hits / due, danger).toBeGreaterThanOrEqual(0.9);
    expect(hits / (hits + wrong.length), danger).toBeGreaterThanOrEqual(0.9);
  }
  expect(healthyAlarms).toBeLessThanOrEqual(2);
}, 600_000);
