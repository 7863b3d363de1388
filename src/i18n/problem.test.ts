import { expect, test } from 'vitest';
import { parseExperiment } from '#experiment/parse';
import { problemLine, problemMessage } from './problem.ts';
import { loadLocale } from './translate.ts';

await loadLocale('ru');

const linesOf = (locale: 'en' | 'ru', input: unknown): readonly string[] => {
  const result = parseExperiment(input);
  return result.ok ? [] : result.problems.map((problem) => problemLine(locale, problem));
};

test('EX-13 a fault in one line: path, finding, what is allowed', () => {
  expect(linesOf('en', { replicas: 99, backend: 'cuda' })).toEqual([
    'replicas: found 99. A whole number from 1 to 16 is allowed.',
    'backend: found "cuda". Allowed: auto, fused, webgpu, webgl, wasm, cpu.',
  ]);
  expect(linesOf('ru', { replicas: 99 })).toEqual([
    'replicas: получено 99. Допустимо целое число от 1 до 16.',
  ]);
  expect(linesOf('en', [])).toEqual(['Found []. An object with named fields is allowed here.']);
});

test('EX-13 no message of a refused experiment has an empty slot left', () => {
  const inputs = [
    { version: 7 },
    { model: { kind: 'transformer', heads: 7 }, x: 1, backend: 'fused' },
    { model: { width: 1, hidden: [0, 'a'] }, data: 4, batchPerRank: 1024, replicas: 16 },
    { optimizer: { nesterov: true, momentum: 0, beta1: 2 }, duration: { count: 999_999 } },
    { learningRate: { warmupSteps: 999_999 }, model: { hidden: [] }, buckets: { capMiB: 0 } },
    { model: { kind: 'x'.repeat(200) } },
  ];
  for (const input of inputs) {
    const result = parseExperiment(input);
    const problems = result.ok ? [] : result.problems;
    expect(problems.length).toBeGreaterThan(0);
    for (const problem of problems) {
      expect(problemMessage('en', problem)).not.toMatch(/\{\w+\}/);
      expect(problemMessage('ru', problem)).not.toMatch(/\{\w+\}/);
    }
  }
});
