/** @file Random scripts of faults over real training: whatever happens, runs end, and as they should. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Fault, isSilent, parseFaults } from '#core/faults';
import type { Experiment } from '#experiment/experiment';
import { requireExperiment } from '#experiment/parse';
import type { FaultEvent, LogEvent, StepEvent } from '#run/log';
import { type FinishedRun, type RunOptions, runInProcess } from './run-in-process.ts';

const FULL = process.env.RINGSIDE_FULL !== undefined;
const SCRIPTS = FULL ? 200 : 12;
const STEPS = 24;
/** Wall ms after which a run that has not ended is stuck. */
const STUCK_MS = 50_000;

type Policy = 'shrink' | 'replace';

interface Setting {
  readonly replicas: number;
  readonly policy: Policy;
  readonly backend: 'fused' | 'cpu';
  readonly commitEvery: number;
  readonly logEvery: number;
  readonly optimizer: 'sgd' | 'adam';
  readonly format: 'fp32' | 'fp16';
  readonly steps?: number;
}

/** Of several at one step, those from outside come first, then gradients, then weights. */
const inOrder = (all: readonly Draft[]): Draft[] => {
  const place = ({ kind }: Draft): number => ['nan', 'flip'].indexOf(kind);
  return all.toSorted((a, b) => a.step - b.step || place(a) - place(b));
};

interface Draft {
  readonly kind: Fault['kind'];
  readonly step: number;
  /** One a rank that the run begins with; the highest are hit. */
  readonly aim: readonly number[];
  readonly hits: number;
}

/**
 * Lines that name ranks which are there when it happens. Flips hit fewer than half of the ranks, and
 * one fault of each silent kind hits a step: what more ranks say counts as right.
 */
function linesOf(drafts: readonly Draft[], { replicas, policy }: Setting): string[] {
  let present = replicas;
  const sorted = inOrder(drafts);
  const lines: string[] = [];
  const taken = new Set<string>();
  for (const { kind, step, aim, hits } of sorted) {
    const most = kind === 'flip' ? Math.ceil(present / 2) - 1 : present - 1;
    const count = Math.min(hits, most);
    if (count < 1 || (isSilent(kind) && taken.has(`${kind} ${step}`))) continue;
    taken.add(`${kind} ${step}`);
    const ranks = Array.from({ length: present }, (_, rank) => rank)
      .sort((a, b) => aim[b] - aim[a] || a - b)
      .slice(0, count);
    lines.push(`${kind} ${ranks.join('+')} @ ${step}`);
    const apart = kind === 'split' ? Math.min(count, present - count) : count;
    if (policy === 'shrink') present -= apart;
  }
  return lines;
}

const drafts = fc.array(
  fc.record({
    kind: fc.constantFrom<Fault['kind']>('kill', 'hang', 'link', 'split', 'nan', 'flip'),
    // Few steps, so that several faults meet at one; the first, the last and those of commits too.
    step: fc.oneof(fc.nat(STEPS - 1), fc.constantFrom(0, 1, 10, 11, STEPS - 1)),
    aim: fc.array(fc.nat(99), { minLength: 6, maxLength: 6 }),
    hits: fc.integer({ min: 1, max: 3 }),
  }),
  { minLength: 1, maxLength: 5 },
);

const setting: fc.Arbitrary<Setting> = fc
  .record({
    replicas: fc.integer({ min: 2, max: 6 }),
    policy: fc.constantFrom<Policy>('shrink', 'replace'),
    backend: fc.constantFrom<Setting['backend']>('fused', 'fused', 'fused', 'cpu'),
    commitEvery: fc.constantFrom(1, 2, 5, 10),
    logEvery: fc.constantFrom(1, 1, 2, 5),
    optimizer: fc.constantFrom<Setting['optimizer']>('sgd', 'adam'),
    format: fc.constantFrom<Setting['format']>('fp32', 'fp32', 'fp16'),
  })
  // A commit is as good as the record before it that showed equal hashes.
  .map((one) => ({ ...one, logEvery: Math.min(one.logEvery, one.commitEvery) }));

/** A flipped bit spreads in the next step's average; it is found in time where each step is recorded. */
const scenario = fc.tuple(setting, drafts).map(([one, some]) => {
  const lines = linesOf(some, one);
  const flips = parseFaults(lines).some(({ kind }) => kind === 'flip');
  return { setting: flips ? { ...one, logEvery: 1 } : one, lines };
});

function experimentOf(one: Setting, faults: readonly string[]): Experiment {
  return requireExperiment({
    // 80 samples to train on: epochs end within the run.
    data: { name: 'moons', samples: 100 },
    replicas: one.replicas,
    batchPerRank: 4,
    backend: one.backend,
    duration: { unit: 'steps', count: one.steps ?? STEPS },
    optimizer: { kind: one.optimizer },
    precision: { format: one.format },
    logEvery: one.logEvery,
    evalEvery: 10,
    recovery: { policy: one.policy, commitEvery: one.commitEvery, faults },
  });
}

async function runToItsEnd(experiment: Experiment, options: RunOptions = {}): Promise<FinishedRun> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stuck = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the run is stuck')), STUCK_MS);
  });
  try {
    return await Promise.race([runInProcess(experiment, options), stuck]);
  } finally {
    clearTimeout(timer);
  }
}

const undisturbed = new Map<string, Promise<FinishedRun>>();

function undisturbedRun(one: Setting): Promise<FinishedRun> {
  const experiment = experimentOf(one, []);
  const key = JSON.stringify(experiment);
  const known = undisturbed.get(key) ?? runToItsEnd(experiment);
  undisturbed.set(key, known);
  return known;
}

const ofType = <T extends LogEvent['type']>(events: readonly LogEvent[], type: T) =>
  events.filter((event): event is Extract<LogEvent, { type: T }> => event.type === type);

/** The records that count: a recovery takes back those from its step on. */
function finalSteps(events: readonly LogEvent[]): StepEvent[] {
  let kept: StepEvent[] = [];
  for (const event of events) {
    if (event.type === 'step') kept.push(event);
    if (event.type === 'recovery') kept = kept.filter(({ step }) => step < event.step);
  }
  return kept;
}

/** What was learnt, whatever it took in cluster time. */
const trained = (events: readonly LogEvent[]): Omit<StepEvent, 'cluster'>[] =>
  finalSteps(events).map(({ cluster: _, ...learnt }) => learnt);

/** The steps of which there must be a record. */
function recordedSteps(total: number, logEvery: number): number[] {
  const all = Array.from({ length: total }, (_, step) => step);
  return all.filter((step) => (step + 1) % logEvery === 0 || step === total - 1);
}

function expectNothingLost({ events }: FinishedRun, logEvery: number): void {
  const total = ofType(events, 'recovery').at(-1)?.totalSteps ?? STEPS;
  expect(finalSteps(events).map(({ step }) => step)).toEqual(recordedSteps(total, logEvery));
  expect(events.at(-1)).toEqual({ type: 'end', step: total, reason: 'finished' });
}

/** Each line of the script is told, in order, as it came about, and each has its recovery. */
function expectFaultsTold({ events }: FinishedRun, lines: readonly string[]): void {
  const told = ofType(events, 'fault');
  const said = parseFaults(lines);
  expect(told.map(({ kind }) => kind)).toEqual(said.map(({ kind }) => kind));
  told.forEach((event, i) => {
    const { kind, ranks, step } = said[i];
    if (kind !== 'split') expect(event.ranks).toEqual(ranks);
    // A flip shows once its step is done.
    expect(event.step).toBe(kind === 'flip' ? step + 1 : step);
  });
  expect(ofType(events, 'recovery')).toHaveLength(told.length);
}

/** After each recovery, and in each record, all ranks hold the same. */
function expectAgreement({ events }: FinishedRun): void {
  const hashes = [...ofType(events, 'recovery'), ...finalSteps(events)];
  for (const { weightsHash } of hashes) expect(new Set(weightsHash).size).toBe(1);
}

const lostIn = (events: readonly FaultEvent[]): number =>
  events.reduce((sum, { ranks }) => sum + ranks.length, 0);

test(
  `FT-12 ${SCRIPTS} random scripts: runs end, nothing of the log is lost, ranks agree`,
  async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async ({ setting: one, lines }) => {
        const run = await runToItsEnd(experimentOf(one, lines));
        expect(run.last).toMatchObject({ status: 'finished', failure: null });
        expectNothingLost(run, one.logEvery);
        expectFaultsTold(run, lines);
        expectAgreement(run);
        const last = finalSteps(run.events).at(-1)?.weightsHash ?? [];
        if (one.policy === 'shrink') {
          expect(last).toHaveLength(one.replicas - lostIn(ofType(run.events, 'fault')));
        } else {
          const { events } = await undisturbedRun(one);
          expect(trained(run.events)).toEqual(trained(events));
          expect(ofType(run.events, 'eval').at(-1)).toEqual(ofType(events, 'eval').at(-1));
        }
        const again = await runToItsEnd(experimentOf(one, lines));
        expect(again.events).toEqual(run.events);
        expect(again.last.logHash).toBe(run.last.logHash);
      }),
      { numRuns: SCRIPTS, seed: 4, endOnFailure: true },
    );
  },
  SCRIPTS * 2 * STUCK_MS,
);

const CALM: Setting = {
  replicas: 4,
  policy: 'replace',
  backend: 'fused',
  commitEvery: 5,
  logEvery: 1,
  optimizer: 'adam',
  format: 'fp32',
};

test('FT-13 at one step: those from outside first, then gradients at once, then weights', async () => {
  const lines = ['flip 3 @ 7', 'nan 2 @ 7', 'nan 1 @ 7', 'kill 0 @ 7', 'hang 1 @ 7'];
  const run = await runToItsEnd(experimentOf(CALM, lines));
  expect(ofType(run.events, 'fault')).toMatchObject([
    { kind: 'kill', ranks: [0], step: 7 },
    { kind: 'hang', ranks: [1], step: 7 },
    { kind: 'nan', ranks: [1, 2], step: 7 },
    { kind: 'flip', ranks: [3], step: 8 },
  ]);
  const { events } = await undisturbedRun(CALM);
  expect(trained(run.events)).toEqual(trained(events));
});

test('FT-14 a flip is found before the sound commit is forgotten, however fast the ranks are', async () => {
  const long = { ...CALM, commitEvery: 1, steps: 400 };
  const run = await runToItsEnd(experimentOf(long, ['flip 1 @ 303']));
  expect(ofType(run.events, 'recovery')).toMatchObject([{ step: 303, lostSteps: 1 }]);
  const { events } = await undisturbedRun(long);
  expect(trained(run.events)).toEqual(trained(events));
});

test('FT-15 half of the ranks against the other half: nobody is sent away, and all see it', async () => {
  const run = await runToItsEnd(experimentOf({ ...CALM, replicas: 2 }, ['flip 1 @ 7']));
  expect(run.last.status).toBe('finished');
  expect(ofType(run.events, 'disagreement')[0]).toMatchObject({ step: 7 });
  expect(ofType(run.events, 'fault')).toEqual([]);
  expectNothingLost(run, 1);
});

test('FT-16 a run that goes step by step meets its fault, and goes on', async () => {
  const run = await runToItsEnd(experimentOf(CALM, ['kill 1 @ 3', 'kill 2 @ 5']), {
    onBatch: ({ status, completed }, conductor) => {
      if (status === 'running' && completed === 0) void conductor.pause();
      if (status === 'paused') void (completed < 7 ? conductor.step() : conductor.resume());
    },
  });
  expect(ofType(run.events, 'fault')).toMatchObject([{ step: 3 }, { step: 5 }]);
  expectNothingLost(run, 1);
});
