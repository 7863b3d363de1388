import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NO_MISTAKES } from '#core/plan';
import { arbitraryExperiment } from './experiment.arbitrary.ts';
import type { ProblemMessage } from './experiment.ts';
import { INPUT_LIMITS, LONGEST_TEXT } from './guard.ts';
import { parseExperiment, parseExperimentText, requireExperiment } from './parse.ts';

const experimentOf = (input: unknown) => {
  return requireExperiment(input);
};
/** [path, message] of every problem, sorted by path. */
const faults = (input: unknown): readonly (readonly [string, ProblemMessage])[] => {
  const result = parseExperiment(input);
  const problems = result.ok ? [] : result.problems;
  return problems
    .map(({ path, message }) => [path, message] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
};

test('EX-1 an empty experiment is MNIST, an MLP and four replicas', () => {
  expect(experimentOf({})).toEqual({
    version: 1,
    seed: 0,
    data: { name: 'mnist', size: 'small', augment: 'none' },
    model: { kind: 'mlp', hidden: [128], activation: 'relu' },
    replicas: 4,
    batchPerRank: 32,
    duration: { unit: 'epochs', count: 5 },
    optimizer: { kind: 'sgd', momentum: 0.9, nesterov: false, weightDecay: 0 },
    learningRate: expect.objectContaining({ warmupSteps: 0 }),
    clipNorm: 0,
    accumulation: { microBatches: 1, noSync: true },
    communication: { collective: 'ring', combine: 'mean' },
    compression: { kind: 'none' },
    sync: { kind: 'allReduce', balance: 'off', slowdowns: [] },
    mistakes: NO_MISTAKES,
    buckets: { rule: 'ddp', firstMiB: 1, capMiB: 25 },
    measure: { noiseScale: false },
    precision: { format: 'fp32' },
    lossScaling: { kind: 'none' },
    cluster: expect.objectContaining({ preset: 'cloud-10gbe', nodes: 16, gpusPerNode: 1 }),
    recovery: {
      policy: 'shrink',
      commitEvery: 10,
      timeoutSeconds: 10,
      joinSeconds: 30,
      faults: [],
    },
    stragglers: [],
    checkpointing: false,
    backend: 'auto',
    transport: 'auto',
    evalEvery: 94,
    logEvery: 1,
  });
});

test('EX-2 defaults follow the chosen data, model and optimizer', () => {
  const spirals = experimentOf({ data: { name: 'spirals' } });
  expect(spirals.model).toEqual({ kind: 'mlp', hidden: [16, 16], activation: 'tanh' });
  expect(spirals.batchPerRank).toBe(10);
  const novel = experimentOf({ data: { name: 'moby-dick' }, model: { depth: 1 } });
  expect(novel.model).toEqual({ kind: 'transformer', width: 64, heads: 4, depth: 1, context: 32 });
  expect(novel.optimizer).toMatchObject({ kind: 'adamw', beta2: 0.98 });
  expect(novel.learningRate).toMatchObject({ base: 0.004, warmupSteps: 100, decay: 'cosine' });
  expect(experimentOf({ optimizer: { kind: 'adam' } }).learningRate.base).toBe(0.001);
  expect(experimentOf({ data: { size: 'full' } }).evalEvery).toBe(469);
});

test('EX-2 what is given stands, whatever the defaults say', () => {
  const { optimizer, learningRate } = experimentOf({
    data: { name: 'moby-dick' },
    optimizer: { kind: 'sgd', momentum: 0.5 },
    learningRate: { base: 0.3 },
  });
  expect(optimizer).toMatchObject({ kind: 'sgd', momentum: 0.5 });
  expect(learningRate).toMatchObject({ base: 0.3, warmupSteps: 100, decay: 'cosine' });
});

test('EX-3 a default that does not fit what is given moves to the nearest that does', () => {
  expect(experimentOf({ data: { name: 'xor', samples: 20 } }).batchPerRank).toBe(5);
  const novel = { data: { name: 'moby-dick' }, duration: { unit: 'steps', count: 50 } };
  expect(experimentOf(novel).learningRate.warmupSteps).toBe(5);
  const narrow = { data: { name: 'moby-dick' }, model: { width: 50 } };
  expect(experimentOf(narrow).model).toMatchObject({ width: 50, heads: 2 });
});

test('EX-3 a given field never moves: it is refused', () => {
  expect(faults({ data: { name: 'xor', samples: 20 }, batchPerRank: 6 })).toEqual([
    ['batchPerRank', 'problem.batchOverShard'],
  ]);
});

test.each([
  [
    { communication: { collective: 'hierarchical', ranksPerNode: 3 } },
    'communication.ranksPerNode',
    'problem.nodesDivideReplicas',
  ],
  [
    { communication: { collective: 'star' }, compression: { kind: 'topK' } },
    'communication.collective',
    'problem.gatherNeedsRing',
  ],
  [
    { compression: { kind: 'cast' }, sync: { kind: 'localSgd' } },
    'compression.kind',
    'problem.compressionNeedsGradients',
  ],
  [
    { compression: { kind: 'dgc' }, optimizer: { kind: 'sgd', momentum: 0.9 } },
    'optimizer.kind',
    'problem.dgcHasMomentum',
  ],
  [
    { compression: { kind: 'dgc' }, optimizer: { kind: 'adam' } },
    'optimizer.kind',
    'problem.dgcHasMomentum',
  ],
  [
    { compression: { kind: 'randomK', scaled: true } },
    'compression.scaled',
    'problem.scaledWithFeedback',
  ],
  [
    { model: { kind: 'cnn', norm: 'syncBatch' }, sync: { kind: 'localSgd' } },
    'model.norm',
    'problem.syncNormNeedsEveryStep',
  ],
  [{ mistakes: { noBufferBroadcast: true } }, 'mistakes.noBufferBroadcast', 'problem.noOwnBuffers'],
  [
    { model: { kind: 'cnn', norm: 'batch' }, replicas: 1, mistakes: { noBufferBroadcast: true } },
    'mistakes.noBufferBroadcast',
    'problem.noOwnBuffers',
  ],
  [{ mistakes: { noErrorFeedback: true } }, 'mistakes.noErrorFeedback', 'problem.nothingKeptBack'],
  [
    { mistakes: { sumNotMean: true }, sync: { kind: 'diloco' } },
    'mistakes.sumNotMean',
    'problem.sumNeedsGradients',
  ],
  [
    { accumulation: { microBatches: 33 } },
    'accumulation.microBatches',
    'problem.microBatchesOverBatch',
  ],
  [{ accumulation: { microBatches: 0 } }, 'accumulation.microBatches', 'problem.noMicroBatches'],
  [
    { learningRate: { decay: 'step', milestones: [20, 10] } },
    'learningRate.milestones',
    'problem.milestonesAscend',
  ],
  [
    { compression: { kind: 'powerSgd', startStep: 1 } },
    'compression.startStep',
    'problem.powerSgdTooEarly',
  ],
] as const)('EX-5 %j is refused', (input, path, message) => {
  expect(faults(input)).toContainEqual([path, message]);
});

test('EX-3 a default node size moves to one that divides the replicas', () => {
  const input = { replicas: 5, communication: { collective: 'hierarchical' } };
  expect(experimentOf(input).communication).toEqual({
    combine: 'mean',
    collective: 'hierarchical',
    ranksPerNode: 1,
  });
});

test('EX-2 DGC and signSGD stand before plain SGD', () => {
  for (const kind of ['dgc', 'signSgd'] as const) {
    const { optimizer } = experimentOf({ data: { name: 'xor' }, compression: { kind } });
    expect(optimizer).toMatchObject({ kind: 'sgd', momentum: 0 });
  }
});

test('EX-4 every fault is reported at once, with path, finding and limits', () => {
  expect(parseExperiment({ replicas: 99, seed: 1.5, model: { hidden: [8, 0] } })).toEqual({
    ok: false,
    problems: [
      {
        path: 'seed',
        found: '1.5',
        message: 'problem.integer',
        parameters: { minimum: 0, maximum: 4294967295 },
      },
      {
        path: 'model.hidden.1',
        found: '0',
        message: 'problem.integer',
        parameters: { minimum: 1, maximum: 1024 },
      },
      {
        path: 'replicas',
        found: '99',
        message: 'problem.integer',
        parameters: { minimum: 1, maximum: 16 },
      },
    ],
  });
});

test.each<[string, unknown, string, ProblemMessage]>([
  ['a text for a number', { replicas: '4' }, 'replicas', 'problem.integer'],
  ['NaN', { seed: Number.NaN }, 'seed', 'problem.integer'],
  [
    'infinity',
    JSON.parse('{"learningRate":{"base":1e999}}'),
    'learningRate.base',
    'problem.number',
  ],
  ['null', { evalEvery: null }, 'evalEvery', 'problem.integer'],
  ['an evaluation every 0 steps', { evalEvery: 0 }, 'evalEvery', 'problem.integer'],
  ['a number for a switch', { optimizer: { nesterov: 1 } }, 'optimizer.nesterov', 'problem.switch'],
  ['an unknown choice', { backend: 'cuda' }, 'backend', 'problem.choice'],
  ['an empty list', { model: { hidden: [] } }, 'model.hidden', 'problem.list'],
  ['too long a list', { model: { hidden: Array(25).fill(1) } }, 'model.hidden', 'problem.list'],
  ['a number for a list', { model: { hidden: 8 } }, 'model.hidden', 'problem.list'],
  ['a text for a section', { model: 'mlp' }, 'model', 'problem.section'],
  ['a list for a section', { data: [] }, 'data', 'problem.section'],
  ['an object of a class', { data: new Date() }, 'data', 'problem.section'],
  ['an unknown field', { learningRate: { rate: 1 } }, 'learningRate.rate', 'problem.unknownField'],
  ['a path for a name', { 'model.kind': 'cnn' }, '"model.kind"', 'problem.unknownField'],
  ['a field of another variant', { model: { heads: 2 } }, 'model.heads', 'problem.noSuchField'],
  ['another version', { version: 2, other: 1 }, 'version', 'problem.version'],
  ['a version in quotes', { version: '1' }, 'version', 'problem.version'],
])('EX-4 refuses %s', (_, input, path, message) => {
  expect(faults(input)).toEqual([[path, message]]);
});

test.each([[null], [[]], ['{}'], [1], [undefined], [new Map()]])(
  'EX-4 refuses %o whole',
  (input) => {
    expect(faults(input)).toEqual([['', 'problem.section']]);
  },
);

test('EX-4 a fault in a choice hides no other fault and accuses no field that hangs on it', () => {
  const input = { data: { name: 'spiral' }, model: { width: 64 }, replicas: 0, transport: 'x' };
  expect(faults(input)).toEqual([
    ['data.name', 'problem.choice'],
    ['replicas', 'problem.integer'],
    ['transport', 'problem.choice'],
  ]);
});

const novel = { name: 'moby-dick' };
test.each<[string, unknown, string, ProblemMessage]>([
  [
    'a batch over the shard',
    { replicas: 16, batchPerRank: 751 },
    'batchPerRank',
    'problem.batchOverShard',
  ],
  [
    'heads',
    { data: novel, model: { width: 64, heads: 5 } },
    'model.heads',
    'problem.headsDivideWidth',
  ],
  [
    'text with an MLP',
    { data: novel, model: { kind: 'mlp' } },
    'model.kind',
    'problem.modelNotForData',
  ],
  [
    'images with a transformer',
    { model: { kind: 'transformer' } },
    'model.kind',
    'problem.modelNotForData',
  ],
  [
    'points with a CNN',
    { data: { name: 'xor' }, model: { kind: 'cnn' } },
    'model.kind',
    'problem.modelNotForData',
  ],
  ['a fused CNN', { backend: 'fused', model: { kind: 'cnn' } }, 'backend', 'problem.fusedModel'],
  ['a fused transformer', { backend: 'fused', data: novel }, 'backend', 'problem.fusedModel'],
  [
    'a warm-up over the run',
    { duration: { unit: 'steps', count: 10 }, learningRate: { warmupSteps: 11 } },
    'learningRate.warmupSteps',
    'problem.warmupOverRun',
  ],
  [
    'Nesterov without momentum',
    { optimizer: { nesterov: true, momentum: 0 } },
    'optimizer.nesterov',
    'problem.nesterovNeedsMomentum',
  ],
  ['too many steps', { duration: { count: 20_000 } }, 'duration.count', 'problem.tooManySteps'],
])('EX-5 refuses %s', (_, input, path, message) => {
  expect(faults(input)).toEqual([[path, message]]);
});

test('EX-5 the largest batch and warm-up that fit are allowed', () => {
  expect(faults({ replicas: 16, batchPerRank: 750 })).toEqual([]);
  const duration = { unit: 'steps', count: 10 };
  expect(faults({ duration, learningRate: { warmupSteps: 10 } })).toEqual([]);
});

test('EX-5 rules are judged beside faults elsewhere, but not on faulty fields', () => {
  const input = { data: novel, model: { heads: 5 }, replicas: 'x', batchPerRank: 1024 };
  expect(faults(input)).toEqual([
    ['model.heads', 'problem.headsDivideWidth'],
    ['replicas', 'problem.integer'],
  ]);
});

test('EX-6 names of object internals are unknown fields', () => {
  const text = '{"__proto__":{"replicas":2},"constructor":1,"model":{"__proto__":{},"toString":1}}';
  const result = parseExperimentText(text);
  expect(result.ok ? [] : result.problems.map(({ path }) => path).sort()).toEqual(
    ['__proto__', 'constructor', 'model.__proto__', 'model.toString'].sort(),
  );
  expect(({} as Record<string, unknown>).replicas).toBeUndefined();
});

test('EX-6 oversized input is refused at once', () => {
  const deep = JSON.parse(`${'{"model":'.repeat(500)}1${'}'.repeat(500)}`);
  const wide = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`f${i}`, 1]));
  const cyclic: Record<string, unknown> = {};
  cyclic.model = cyclic;
  const inputs = [
    deep,
    wide,
    cyclic,
    { model: { hidden: new Array(1_000_000).fill(1) } },
    { backend: 'x'.repeat(1_000_000) },
    { ['x'.repeat(INPUT_LIMITS.characters + 1)]: 1 },
  ];
  const start = performance.now();
  for (const input of inputs) {
    const result = parseExperiment(input);
    expect(result.ok ? [] : result.problems.map(({ message }) => message)).toEqual([
      'problem.tooBig',
    ]);
    expect(JSON.stringify(result).length).toBeLessThan(1000);
  }
  expect(performance.now() - start).toBeLessThan(2000);
});

test('EX-6 text that is no JSON or too long is refused', () => {
  const messages = (text: string) => {
    const result = parseExperimentText(text);
    return result.ok ? [] : result.problems.map(({ message }) => message);
  };
  expect(messages('{"replicas":')).toEqual(['problem.notJson']);
  expect(messages('')).toEqual(['problem.notJson']);
  expect(messages(' '.repeat(LONGEST_TEXT + 1))).toEqual(['problem.tooBig']);
  expect(messages('{}')).toEqual([]);
});

test('EX-7 parsing again changes nothing, and never touches its input', () => {
  fc.assert(
    fc.property(arbitraryExperiment, (experiment) => {
      const before = structuredClone(experiment);
      expect(parseExperiment(experiment)).toEqual({ ok: true, experiment: before });
      expect(experiment).toEqual(before);
    }),
  );
});

test('EX-7 any JSON value gets an answer, never an exception', () => {
  fc.assert(
    fc.property(
      fc.jsonValue(),
      fc.constantFrom('data', 'model', 'optimizer', 'seed'),
      (value, key) => {
        for (const input of [value, { [key]: value }]) {
          const result = parseExperiment(input);
          if (!result.ok) expect(result.problems.length).toBeGreaterThan(0);
        }
      },
    ),
  );
});

test('EX-7 minus zero becomes zero', () => {
  expect(Object.is(experimentOf({ seed: -0 }).seed, 0)).toBe(true);
});
