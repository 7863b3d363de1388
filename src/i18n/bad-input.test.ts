/** @file Combinations that make no sense: refused with the reason and what to use instead. */
import { expect, test } from 'vitest';
import { parseExperiment } from '#experiment/parse';
import { problemLine } from './problem.ts';
import { loadHelp, loadLocale } from './translate.ts';

await loadLocale('ru');
await loadHelp();

const linesOf = (locale: 'en' | 'ru', input: unknown): readonly string[] => {
  const result = parseExperiment(input);
  return result.ok ? [] : result.problems.map((problem) => problemLine(locale, problem));
};

const GATHERED = ['topK', 'dgc', 'qsgd', 'ternGrad', 'signSgd', 'efSignSgd', 'oneBit'];
const SUMMING = ['halving-doubling', 'binary-tree', 'double-binary-tree', 'star', 'hierarchical'];

test.each(GATHERED)('EX-5 %s differs from rank to rank: no collective that adds', (kind) => {
  for (const collective of SUMMING) {
    const lines = linesOf('en', { compression: { kind }, communication: { collective } });
    expect(lines).toEqual([
      `communication.collective: found "${collective}". What ${kind} sends differs from rank to ` +
        'rank and cannot be added up on the way, so it is gathered around the ring. Take ring, ' +
        'or a compression that adds up: cast, randomK or powerSgd.',
    ]);
  }
});

test.each(GATHERED)('EX-5 %s with the ring is no fault: it is gathered around it', (kind) => {
  expect(linesOf('en', { compression: { kind }, communication: { collective: 'ring' } })).toEqual(
    [],
  );
});

test.each(['cast', 'randomK', 'powerSgd'])('EX-5 %s adds up, so any collective does', (kind) => {
  for (const collective of SUMMING) {
    expect(linesOf('en', { compression: { kind }, communication: { collective } })).toEqual([]);
  }
});

const REFUSED: readonly (readonly [what: string, input: unknown, en: string, ru: string])[] = [
  [
    'accumulation with no steps',
    { accumulation: { microBatches: 0 } },
    'accumulation.microBatches: found 0. Without a part of the batch there is no gradient to accumulate. A whole number from 1 (no accumulation) to 64 is allowed.',
    'accumulation.microBatches: получено 0. Без единой части батча накапливать нечего. Допустимо целое число от 1 (без накопления) до 64.',
  ],
  [
    'more parts than samples',
    { accumulation: { microBatches: 16 }, batchPerRank: 8 },
    'accumulation.microBatches: found 16. A batch of 8 has at most 8 parts. Take fewer, or a larger batch.',
    'accumulation.microBatches: получено 16. В батче из 8 примеров не больше 8 частей. Уменьшите их число или увеличьте батч.',
  ],
  [
    'PowerSGD that starts below 2',
    { compression: { kind: 'powerSgd', startStep: 1 } },
    'compression.startStep: found 1. PyTorch rebuilds its buckets after iteration 0, and residual and Q would no longer fit them. Start at 2 or later, up to 1,000,000.',
    'compression.startStep: получено 1. После итерации 0 PyTorch перестраивает бакеты, и остаток с матрицей Q к ним уже не подошли бы. Начинайте с шага 2 или позже, не позднее 1\u00a0000\u00a0000.',
  ],
  [
    'fp8 without loss scaling',
    { precision: { format: 'e4m3' }, lossScaling: { kind: 'none' } },
    'lossScaling.kind: found "none". Eight bits lose nearly every gradient that is not scaled. Take dynamic or fixed loss scaling.',
    'lossScaling.kind: получено "none". Восемь бит теряют почти все градиенты без масштабирования. Выберите dynamic или fixed.',
  ],
];

test.each(REFUSED)('EX-5 %s is refused, with the reason and what to take', (_, input, en, ru) => {
  expect(linesOf('en', input)).toEqual([en]);
  expect(linesOf('ru', input)).toEqual([ru]);
});

test('EX-4 the reason of a minimum is given below it alone', () => {
  expect(linesOf('en', { accumulation: { microBatches: 65 } })).toEqual([
    'accumulation.microBatches: found 65. A whole number from 1 to 64 is allowed.',
  ]);
  expect(linesOf('en', { accumulation: { microBatches: 1.5 } })).toEqual([
    'accumulation.microBatches: found 1.5. A whole number from 1 to 64 is allowed.',
  ]);
});

test.each(['e4m3', 'e5m2'])(
  'EX-2 %s scales its loss by default, so alone it is no fault',
  (format) => {
    expect(linesOf('en', { precision: { format } })).toEqual([]);
    expect(linesOf('en', { precision: { format }, lossScaling: { kind: 'fixed' } })).toEqual([]);
  },
);
