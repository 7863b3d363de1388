import { expect, test } from 'vitest';
import { detect, findDisagreeing, findHung } from './detector.ts';
import type { Cause, Finding } from './finding.ts';
import {
  always,
  between,
  type ClusterWishes,
  inSteps,
  LIMIT_CELSIUS,
  runSteps,
  STEP_NS,
  type TestCluster,
  testCluster,
  usualNorms,
} from './test-cluster.ts';
import { ns } from './../time.ts';

const SEEDS = 24;
const HEALTHY_SEEDS = 60;
const STEPS = 180;

/** A cluster in which one rank falls ill with what is asked for, if anything. */
function findings(seed: number, ill: Cause | null): { found: Finding[]; rank: number } {
  const rank = seed % 4;
  const wishes: ClusterWishes =
    ill === 'throttling' ? { hot: { rank, celsius: 30 + (seed % 10) } } : {};
  const cluster = testCluster(seed, wishes);
  const { random, worldSize, series } = cluster;
  afflict(cluster, rank, ill);
  const growth = 1 + between(random, 0.004, 0.015) * (random.uniform() < 0.5 ? 1 : -0.7);
  runSteps(cluster, STEPS, (step) => {
    const norms = usualNorms(seed, worldSize, step);
    if (ill === 'gradientDrift') norms[rank] *= growth ** Math.max(0, step - 60);
    if (ill === 'nanGradient' && step === STEPS - 1) norms[rank] = Number.NaN;
    return { gradientNorm: norms };
  });
  const found = detect(series, { limitCelsius: LIMIT_CELSIUS });
  const waits = ill === 'hung' ? between(random, 10, 100) : between(random, 0.1, 2);
  const arrived = Array.from({ length: worldSize }, (_, other) => other !== rank);
  found.push(...findHung(series, { arrived, waitedNs: inSteps(waits) }));
  const hashes = arrived.map((same) => (same || ill !== 'hashDisagrees' ? 'a' : 'b'));
  found.push(...findDisagreeing(hashes));
  return { found, rank };
}

function afflict({ clock, random }: TestCluster, rank: number, ill: Cause | null): void {
  const fromNs = random.uniform() < 0.5 ? 0 : 60 * STEP_NS;
  const range = (least: number, most: number) => between(random, least, most);
  switch (ill) {
    case 'slowCompute':
      clock.slow(always([rank], { kind: 'constant', factor: range(1.15, 2.5) }, fromNs));
      break;
    case 'jitter':
      clock.slow(
        random.uniform() < 0.5
          ? always([rank], { kind: 'lognormal', sigma: range(0.2, 0.6) }, fromNs)
          : always([rank], { kind: 'exponential', mean: range(0.3, 1) }, fromNs),
      );
      break;
    case 'hiccup': {
      const [periodNs, pauseNs] = [inSteps(range(6, 20)), inSteps(range(0.3, 2))];
      clock.slow(always([rank], { kind: 'hiccup', periodNs, pauseNs, offsetNs: inSteps(range(0, 5)) }));
      break;
    }
    case 'slowLink':
      clock.slowLink({
        ...always([rank], { kind: 'constant', factor: 1 }, fromNs),
        rank,
        factor: range(1.25, 5),
        extraLatencyNs: ns(0),
      });
      break;
    case 'slowLoader':
      clock.slowLoader([rank], { ...always([rank], { kind: 'constant', factor: 1 }, fromNs), factor: range(2.3, 5) });
      break;
  }
}

const CAUSES: readonly Cause[] = [
  'slowCompute',
  'hiccup',
  'jitter',
  'throttling',
  'slowLink',
  'slowLoader',
  'hung',
  'nanGradient',
  'gradientDrift',
  'hashDisagrees',
];

test('MO-4 the sick rank and its illness are named: precision and recall of 0.9 and more, each', () => {
  const hits = new Map<Cause, number>();
  const misses = new Map<Cause, string[]>();
  const alarms = new Map<Cause, string[]>();
  const note = (map: Map<Cause, string[]>, cause: Cause, text: string) =>
    map.set(cause, [...(map.get(cause) ?? []), text]);
  let healthyAlarms = 0;
  const cases: (Cause | null)[] = [
    ...CAUSES.flatMap((cause) => Array.from({ length: SEEDS }, () => cause)),
    ...Array.from({ length: HEALTHY_SEEDS }, () => null),
  ];
  cases.forEach((ill, seed) => {
    const { found, rank } = findings(seed + 1, ill);
    const isRight = (one: Finding) => one.rank === rank && one.cause === ill;
    if (ill !== null && found.some(isRight)) hits.set(ill, (hits.get(ill) ?? 0) + 1);
    else if (ill !== null) note(misses, ill, `${seed + 1}`);
    for (const wrong of found.filter((one) => !isRight(one))) {
      note(alarms, wrong.cause, `${seed + 1} (${ill})`);
      if (ill === null) healthyAlarms++;
    }
  });
  const rows = CAUSES.map((cause) => {
    const hit = hits.get(cause) ?? 0;
    const wrong = alarms.get(cause)?.length ?? 0;
    return { cause, recall: hit / SEEDS, precision: hit / (hit + wrong) };
  });
  const lines = rows.map(
    ({ cause, recall, precision }) =>
      `${cause.padEnd(14)} recall ${recall.toFixed(3)} precision ${precision.toFixed(3)}` +
      ` missed: ${misses.get(cause) ?? '-'} wrong: ${alarms.get(cause) ?? '-'}`,
  );
  console.info(
    `${lines.join('\n')}\nfalse alarms on ${HEALTHY_SEEDS} healthy clusters: ${healthyAlarms}`,
  );
  for (const { cause, recall, precision } of rows) {
    expect(recall, cause).toBeGreaterThanOrEqual(0.9);
    expect(precision, cause).toBeGreaterThanOrEqual(0.9);
  }
  expect(healthyAlarms).toBeLessThanOrEqual(1);
}, 300_000);
