/** @file Combinations with ranks that are not waited for: refused with a reason, or fitted. */
import { expect, test } from 'vitest';
import type { ProblemMessage } from './experiment.ts';
import { parseExperiment, requireExperiment } from './parse.ts';
import { decodeExperiment, encodeExperiment } from './url.ts';

test.each<[string, unknown, string, ProblemMessage]>([
  [
    'more splits than replicas',
    { replicas: 4, sync: { kind: 'async', splits: 5 } },
    'sync.splits',
    'problem.splitsOverReplicas',
  ],
  ['a bound below 0', { sync: { kind: 'ssp', bound: -1 } }, 'sync.bound', 'problem.sspBelowZero'],
  [
    'only backups',
    { replicas: 3, sync: { kind: 'backup', backups: 3 } },
    'sync.backups',
    'problem.backupsOverReplicas',
  ],
  [
    'slow-downs of ranks that are not there',
    { replicas: 2, sync: { kind: 'async', slowdowns: [1, 2, 3] } },
    'sync.slowdowns',
    'problem.slowdownsOverReplicas',
  ],
  [
    'slow-downs that nothing reads',
    { sync: { slowdowns: [1, 2] } },
    'sync.slowdowns',
    'problem.slowdownsUnused',
  ],
  [
    'a rank without samples',
    { batchPerRank: 2, sync: { balance: 'speeds', slowdowns: [1, 1, 1, 100] } },
    'sync.balance',
    'problem.rankWithoutSamples',
  ],
  [
    'a rank without samples in the last step of an epoch',
    // 751 samples a rank: the last step has one a rank, four in all.
    {
      data: { name: 'spirals', samples: 3004 },
      replicas: 4,
      batchPerRank: 10,
      sync: { balance: 'speeds', slowdowns: [1, 1, 1, 9] },
    },
    'sync.balance',
    'problem.rankWithoutSamples',
  ],
  [
    'a server that is no star',
    { sync: { kind: 'ssp' }, communication: { collective: 'ring' } },
    'communication.collective',
    'problem.serverIsStar',
  ],
  [
    'compression before a server',
    { sync: { kind: 'async' }, compression: { kind: 'cast' } },
    'compression.kind',
    'problem.compressionNeedsAllReduce',
  ],
  [
    'compression with backups',
    { sync: { kind: 'backup' }, compression: { kind: 'topK' } },
    'compression.kind',
    'problem.compressionNeedsAllReduce',
  ],
  [
    'parts that late ranks do not reduce',
    { sync: { kind: 'backup' }, accumulation: { microBatches: 2, noSync: false } },
    'accumulation.noSync',
    'problem.partsNeedNoSync',
  ],
  [
    'parts of unequal batches',
    { sync: { balance: 'speeds' }, accumulation: { microBatches: 2, noSync: false } },
    'accumulation.noSync',
    'problem.partsNeedNoSync',
  ],
  [
    'a dynamic scale that ranks would have to agree on',
    { sync: { kind: 'async' }, precision: { format: 'fp16' } },
    'lossScaling.kind',
    'problem.scaleNeedsAllRanks',
  ],
  [
    'weights of its own under a server',
    { sync: { kind: 'async' }, mistakes: { noBroadcast: true } },
    'mistakes.noBroadcast',
    'problem.serverBroadcasts',
  ],
  [
    'a sum where not all ranks are summed',
    { sync: { kind: 'backup' }, mistakes: { sumNotMean: true } },
    'mistakes.sumNotMean',
    'problem.sumNeedsGradients',
  ],
  [
    'Adasum of unequal batches',
    { sync: { balance: 'speeds' }, communication: { combine: 'adasum' } },
    'communication.combine',
    'problem.adasumAlone',
  ],
  [
    'the noise scale of unequal batches',
    { sync: { balance: 'speeds' }, measure: { noiseScale: true } },
    'measure.noiseScale',
    'problem.noiseNeedsMean',
  ],
  [
    'unequal counts of unequal batches',
    { sync: { balance: 'speeds' }, mistakes: { unequalBatches: true } },
    'mistakes.unequalBatches',
    'problem.mistakeNeedsEqualBatches',
  ],
  [
    'the bare model with batches by speed',
    { sync: { balance: 'speeds' }, mistakes: { unsyncedModule: true } },
    'mistakes.unsyncedModule',
    'problem.mistakeNeedsEqualBatches',
  ],
  [
    'synchronised norms of unequal batches',
    { model: { kind: 'cnn', norm: 'syncBatch' }, sync: { balance: 'speeds' } },
    'model.norm',
    'problem.syncNormNeedsEqualBatches',
  ],
  [
    'synchronised norms that late ranks would hold up',
    { model: { kind: 'cnn', norm: 'syncBatch' }, sync: { kind: 'backup' } },
    'model.norm',
    'problem.syncNormNeedsEveryStep',
  ],
  [
    'equal augmentation of unequal batches',
    {
      data: { augment: 'shift' },
      sync: { balance: 'speeds' },
      mistakes: { equalAugmentation: true },
    },
    'mistakes.equalAugmentation',
    'problem.mistakeNeedsEqualBatches',
  ],
  [
    'equal augmentation under a server',
    { data: { augment: 'shift' }, sync: { kind: 'ssp' }, mistakes: { equalAugmentation: true } },
    'mistakes.equalAugmentation',
    'problem.mistakeNeedsGradients',
  ],
])('EX-5 refuses %s', (_, input, path, message) => {
  const parsed = parseExperiment(input);
  if (parsed.ok) throw new Error('it was accepted');
  expect(parsed.problems.map((problem) => [problem.path, problem.message])).toEqual([
    [path, message],
  ]);
});

test('EX-2 EX-3 a server takes a star, and no more splits than there are replicas', () => {
  const experiment = requireExperiment({ replicas: 3, sync: { kind: 'async' } });
  const { communication, sync } = experiment;
  expect(communication).toEqual({ collective: 'star', combine: 'mean' });
  expect(sync).toEqual({
    kind: 'async',
    splits: 3,
    stalenessAware: false,
    slowdowns: [],
    jitter: 0.2,
  });
});

test('EX-11 an epoch of an asynchronous run has a step for every update', () => {
  const sync = { kind: 'async', splits: 2 };
  const parsed = parseExperiment({ replicas: 4, sync, learningRate: { warmupSteps: 941 } });
  // 94 steps of four gradients an epoch, five epochs, two gradients an update.
  if (parsed.ok) throw new Error('it was accepted');
  const accepted = parseExperiment({ replicas: 4, sync, learningRate: { warmupSteps: 940 } });
  expect(parsed.problems.map(({ parameters }) => parameters)).toEqual([{ steps: 940 }]);
  expect(accepted.ok).toBe(true);
});

test('EX-8 an empty list and slow-downs go through an address', () => {
  for (const slowdowns of [[], [1, 3]]) {
    const experiment = requireExperiment({ sync: { kind: 'async', slowdowns } });
    const again = decodeExperiment(encodeExperiment(experiment));
    expect(again).toEqual({ ok: true, experiment });
  }
  expect(decodeExperiment('v=1&sync.kind=async&sync.slowdowns=')).toMatchObject({ ok: true });
});
