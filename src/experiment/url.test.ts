import fc from 'fast-check';
import { expect, test } from 'vitest';
import { arbitraryExperiment } from './experiment.arbitrary.ts';
import type { Experiment } from './experiment.ts';
import { parseExperiment, requireExperiment } from './parse.ts';
import { decodeExperiment, encodeExperiment, LONGEST_ADDRESS } from './url.ts';

const experimentOf = (input: unknown): Experiment => {
  return requireExperiment(input);
};
const problemsOf = (address: string) => {
  const result = decodeExperiment(address);
  return result.ok ? [] : result.problems.map(({ path, message }) => [path, message]);
};

test('EX-8 any valid experiment comes back from its address', () => {
  fc.assert(
    fc.property(arbitraryExperiment, (experiment) => {
      const address = encodeExperiment(experiment);
      expect(address.length).toBeLessThanOrEqual(LONGEST_ADDRESS);
      expect(address).toMatch(/^[\w.,=&%-]+$/);
      expect(decodeExperiment(address)).toEqual({ ok: true, experiment });
    }),
  );
});

test('EX-8 only what differs from the defaults is written, in the order of the table', () => {
  expect(encodeExperiment(experimentOf({}))).toBe('v=1');
  const spirals = { seed: 7, model: { hidden: [16, 8] }, data: { name: 'spirals' } };
  expect(encodeExperiment(experimentOf(spirals))).toBe(
    'v=1&data.name=spirals&model.hidden=16,8&seed=7',
  );
  const novel = { data: { name: 'moby-dick' }, optimizer: { kind: 'sgd', nesterov: true } };
  expect(encodeExperiment(experimentOf(novel))).toBe(
    'v=1&data.name=moby-dick&optimizer.kind=sgd&optimizer.nesterov=true',
  );
});

test('EX-8 an empty address is the default experiment, and percent signs are undone', () => {
  expect(decodeExperiment('')).toEqual(parseExperiment({}));
  expect(decodeExperiment('v=1&model.hidden=16%2C8')).toEqual(
    parseExperiment({ model: { hidden: [16, 8] } }),
  );
});

test('EX-9 an address of another version or without one is refused', () => {
  expect(problemsOf('v=2&data.name=later')).toEqual([['v', 'problem.addressVersion']]);
  expect(problemsOf('replicas=4')).toEqual([['v', 'problem.addressVersion']]);
});

test('EX-9 every fault of an address is reported at once', () => {
  expect(problemsOf('v=1&replicas=99&seed=1&seed=2&&model.hidden=8,x&foo=1&%E0%A4%A')).toEqual([
    ['seed', 'problem.addressTwice'],
    ['', 'problem.addressPart'],
    ['', 'problem.addressPart'],
    ['foo', 'problem.unknownField'],
    ['model.hidden.1', 'problem.integer'],
    ['replicas', 'problem.integer'],
  ]);
});

test('EX-9 names of object internals and odd numbers are refused', () => {
  expect(problemsOf('v=1&__proto__.x=1&constructor=2&seed.x=3')).toEqual([
    ['__proto__.x', 'problem.unknownField'],
    ['constructor', 'problem.unknownField'],
    ['seed.x', 'problem.unknownField'],
  ]);
  for (const text of ['', ' 4', '0x4', '4_0', 'Infinity', 'NaN', '+4', 'null', '[4]']) {
    expect(problemsOf(`v=1&replicas=${text}`)).toEqual([['replicas', 'problem.integer']]);
  }
  expect(({} as Record<string, unknown>).x).toBeUndefined();
});

test('EX-9 too long an address is refused without being read', () => {
  expect(problemsOf(`v=1&${'a'.repeat(LONGEST_ADDRESS)}`)).toEqual([
    ['', 'problem.addressTooLong'],
  ]);
});
