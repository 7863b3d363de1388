import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fuse, fusionRanges, HOROVOD_FUSION, type ReadyTensor } from './fusion.ts';
import type { Parameter } from './model.ts';

const MIB = 2 ** 20;

const tensor = (mib: number, readyMilliseconds: number, type = 'fp32'): ReadyTensor => ({
  bytes: mib * MIB,
  type,
  readyMilliseconds,
});

const groupsOf = (
  tensors: readonly ReadyTensor[],
  mib: number,
  cycleMilliseconds = 1,
): number[][] =>
  fuse(tensors, { cycleMilliseconds, thresholdBytes: mib * MIB }).map((group) => [
    ...group.tensors,
  ]);

test('DP-20 the defaults are 128 MiB and 1 ms', () => {
  expect(HOROVOD_FUSION).toEqual({ cycleMilliseconds: 1, thresholdBytes: 134_217_728 });
});

test('DP-20 what is ready in one cycle goes together, in the order in which it became ready', () => {
  const tensors = [tensor(1, 2.5), tensor(1, 0.9), tensor(1, 0.2), tensor(1, 1)];
  expect(fuse(tensors, HOROVOD_FUSION)).toEqual([
    { tensors: [2, 1, 3], bytes: 3 * MIB, launchMilliseconds: 1 },
    { tensors: [0], bytes: MIB, launchMilliseconds: 3 },
  ]);
});

test('DP-20 the threshold is a maximum, but for a tensor that is larger alone', () => {
  const tensors = [3, 1, 1, 10, 4, 0.5].map((mib) => tensor(mib, 0));
  expect(groupsOf(tensors, 4)).toEqual([[0, 1], [2], [3], [4], [5]]);
});

test('DP-20 a threshold of 0 disables fusion', () => {
  expect(groupsOf([tensor(1, 0), tensor(2, 0), tensor(3, 0)], 0)).toEqual([[0], [1], [2]]);
});

test('DP-20 without a cycle time tensors of one moment go together', () => {
  expect(groupsOf([tensor(1, 0.3), tensor(1, 0.3), tensor(1, 0.4)], 128, 0)).toEqual([[0, 1], [2]]);
});

test('DP-20 only equal types go together; others are skipped while they would have fitted', () => {
  const tensors = [tensor(1, 0), tensor(1, 0, 'fp16'), tensor(1, 0), tensor(1, 0, 'fp16')];
  expect(groupsOf(tensors, 4)).toEqual([
    [0, 2],
    [1, 3],
  ]);
  expect(groupsOf([tensor(1, 0), tensor(4, 0, 'fp16'), tensor(1, 0)], 4)).toEqual([[0], [1], [2]]);
});

test('DP-20 every tensor is launched once, not before it is ready, and no group is too large', () => {
  const anyTensor = fc.record({
    bytes: fc.integer({ min: 1, max: 100 }),
    type: fc.constantFrom('fp32', 'fp16'),
    readyMilliseconds: fc.integer({ min: 0, max: 40 }).map((quarter) => quarter / 4),
  });
  const config = fc.record({
    cycleMilliseconds: fc.constantFrom(0, 1, 5),
    thresholdBytes: fc.nat(300),
  });
  fc.assert(
    fc.property(fc.array(anyTensor, { maxLength: 30 }), config, (tensors, limits) => {
      const groups = fuse(tensors, limits);
      const launched = groups.flatMap((group) => [...group.tensors]);
      expect(launched.sort((a, b) => a - b)).toEqual(tensors.map((_, i) => i));
      for (const group of groups) {
        const members = group.tensors.map((i) => tensors[i]);
        expect(new Set(members.map(({ type }) => type)).size).toBe(1);
        expect(group.bytes).toBe(members.reduce((sum, { bytes }) => sum + bytes, 0));
        if (members.length > 1) expect(group.bytes).toBeLessThanOrEqual(limits.thresholdBytes);
        for (const { readyMilliseconds } of members) {
          expect(readyMilliseconds).toBeLessThanOrEqual(group.launchMilliseconds);
          expect(group.launchMilliseconds - readyMilliseconds).toBeLessThanOrEqual(
            limits.cycleMilliseconds,
          );
        }
      }
    }),
  );
});

function parametersOf(lengths: readonly number[]): Parameter[] {
  let offset = 0;
  return lengths.map((length, i) => {
    const parameter: Parameter = {
      name: `p${i}`,
      shape: [length],
      offset,
      length,
      init: { kind: 'constant', value: 0 },
    };
    offset += length;
    return parameter;
  });
}

test('DP-20 groups in backward order are ranges of the vector, the last parameters first', () => {
  const parameters = parametersOf([4, 2, 4, 2]);
  const config = { cycleMilliseconds: 1, thresholdBytes: 40 };
  expect(fusionRanges(parameters, [2, 2, 1, 1], config)).toEqual([
    { start: 6, end: 12 },
    { start: 0, end: 6 },
  ]);
  expect(fusionRanges(parameters, [1, 1, 1, 1], config)).toEqual([
    { start: 4, end: 12 },
    { start: 0, end: 4 },
  ]);
});

test('DP-20 parameters that lie apart in the vector are refused by name', () => {
  const parameters = parametersOf([1, 1, 1]);
  expect(() => fusionRanges(parameters, [1, 2, 1], HOROVOD_FUSION)).toThrow('p2, p0 lie apart');
});
