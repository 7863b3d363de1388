import fc from 'fast-check';
import { expect, test } from 'vitest';
import { halvingDoublingSeconds, ringSeconds } from '#core/collective-time';
import type { ClusterChoice } from '#experiment/cluster-fields';
import { CLUSTER_PRESET_IDS } from '#experiment/cluster-fields';
import { clusterOf } from './cluster-choice.ts';
import { COLLECTIVE_KINDS } from './collective-job.ts';
import { bestCollective, collectivePrices } from './collective-model.ts';

const H100 = clusterOf({ preset: 'dgx-h100' });
const find = (given: Partial<ClusterChoice>, ranks: number, bytes: number, name: string) => {
  const prices = collectivePrices(clusterOf(given), ranks, 'all-reduce', bytes);
  const price = prices.find((each) => `${each.algorithm} ${each.protocol}` === name);
  if (price === undefined) throw new Error(`${name} is not offered`);
  return price;
};

test('CC-3 T: 8 GPUs of one node: ring Simple 56.0 us, ring LL 15.0 us before any byte', () => {
  expect(find({ preset: 'dgx-h100' }, 8, 8, 'ring Simple').latencySeconds).toBeCloseTo(56e-6, 12);
  expect(find({ preset: 'dgx-h100' }, 8, 8, 'ring LL').latencySeconds).toBeCloseTo(15e-6, 12);
});

test('CC-3 hops between nodes cost the network: 2 x 8 GPUs, ring Simple 8.4 + 28 x 3.4 + 2 x 14 us', () => {
  const price = find({ preset: 'h100-ib-ndr' }, 16, 8, 'ring Simple');
  expect(price.latencySeconds).toBeCloseTo(131.6e-6, 12);
  const tree = find({ preset: 'h100-ib-ndr' }, 16, 8, 'tree LL');
  expect(tree.latencySeconds).toBeCloseTo((6.8 + 2 * (7 * 0.6 + 5)) * 1e-6, 12);
});

test('CC-4 a ring moves 2(N-1)/N S over the narrowest link, as the closed form without latency', () => {
  const bytes = 2 ** 30;
  const link = { latencySeconds: 0, bytesPerSecond: 370.8e9 };
  const { transferSeconds } = find({ preset: 'dgx-h100' }, 8, bytes, 'ring Simple');
  expect(transferSeconds / ringSeconds(8, bytes, link)).toBeCloseTo(1, 9);
  expect(transferSeconds / halvingDoublingSeconds(8, bytes, link)).toBeCloseTo(1, 9);
  const outer = { latencySeconds: 0, bytesPerSecond: 12.5e9 * 0.7 };
  const across = find({ preset: 'p3dn-efa' }, 16, bytes, 'ring Simple');
  expect(across.transferSeconds / ringSeconds(16, bytes, outer)).toBeCloseTo(1, 9);
});

test('CC-4 trees send the vector once between two nodes and twice between more', () => {
  const two = find({ preset: 'p4de-efa' }, 16, 2 ** 30, 'tree Simple').transferSeconds;
  const four = find({ preset: 'p4de-efa' }, 32, 2 ** 30, 'tree Simple').transferSeconds;
  expect(two).toBeCloseTo(2 ** 30 / (50e9 * 0.875), 9);
  expect(four / two).toBeCloseTo(2, 9);
});

test('CC-4 T: hierarchical, 4 nodes of 8, 100 MB, (2 us, 300 GB/s), (5 us, 50 GB/s): 1.016 ms', () => {
  const given = {
    preset: 'dgx-h100',
    nodes: 4,
    intraGBps: 300,
    intraSimpleUs: 2,
    networkSimpleUs: 5,
    networkEfficiency: 1,
  } as const;
  const price = find(given, 32, 1e8, 'hierarchical Simple');
  const withoutBase = price.latencySeconds - 8.4e-6 + price.transferSeconds;
  expect(withoutBase * 1e3).toBeCloseTo(1.016, 3);
  const cluster = clusterOf(given);
  expect(bestCollective(cluster, 32, 'all-reduce', 1e8, 'hierarchical').seconds).toBe(
    price.seconds,
  );
});

test('CC-4 a pod of 2 nodes and 1:8 above passes a quarter of a node, one of 384 and 1:7 all of it', () => {
  const ring = (nodesPerPod: number, oversubscription: number) =>
    find({ preset: 'p3dn-efa', nodesPerPod, oversubscription }, 32, 2 ** 30, 'ring Simple')
      .transferSeconds;
  expect(ring(2, 8) / ring(16, 8)).toBeCloseTo(4, 9);
  expect(ring(2, 2)).toBe(ring(16, 8));
  const far = (ranks: number) =>
    find({ preset: 'llama3-16k' }, ranks, 2 ** 30, 'tree Simple').transferSeconds;
  expect(far(385 * 8)).toBe(far(384 * 8));
});

test('CC-4 nodes on one radio channel share it', () => {
  const seconds = (sharedMedium: boolean) =>
    find({ nicGbps: 0.4, sharedMedium }, 4, 1e8, 'ring Simple').transferSeconds;
  expect(seconds(true) / seconds(false)).toBeCloseTo(4, 9);
});

test('CC-5 a pipeline fills with a quarter of the message, at most its slots, three times over nodes', () => {
  const slots = 24 * 512 * 1024;
  const { transferSeconds, overheadSeconds } = find(
    { preset: 'dgx-h100' },
    8,
    2 ** 30,
    'switch Simple',
  );
  expect(overheadSeconds / transferSeconds).toBeCloseTo(slots / 2 ** 30, 9);
  const small = find({ preset: 'dgx-h100' }, 8, 2 ** 20, 'switch Simple');
  expect(small.overheadSeconds / small.transferSeconds).toBeCloseTo(0.25, 9);
  const far = find({ preset: 'h100-ib-ndr' }, 16, 2 ** 20, 'switch Simple');
  expect(far.overheadSeconds / far.transferSeconds).toBeCloseTo(0.75, 9);
});

test('CC-5 a small Simple message leaves channels idle: 24 channels of 8 ranks want 6 MiB', () => {
  const at = (bytes: number) =>
    find({ preset: 'dgx-a100' }, 8, bytes, 'ring Simple').transferSeconds;
  expect(at(2 ** 20)).toBeCloseTo(at(2 ** 21), 15);
  expect(at(2 ** 20) / at(12 * 2 ** 20)).toBeCloseTo(0.5, 9);
});

test('CC-6 a ring hides a delay shorter than its chunks, and pays it in every hop otherwise', () => {
  const far = { preset: 'slow-link', nicGbps: 1, networkDelayUs: 10_000 } as const;
  const extra = (bytes: number) =>
    find(far, 4, bytes, 'ring Simple').latencySeconds -
    find({ ...far, networkDelayUs: 0 }, 4, bytes, 'ring Simple').latencySeconds;
  expect(extra(2 ** 28)).toBeCloseTo(0.01, 9);
  expect(extra(8)).toBeCloseTo(0.07, 6);
});

test('CC-6 Gloo: segments of 1 MiB, two in flight, cost half a round trip each where that is longer', () => {
  const given = { preset: 'slow-link', library: 'gloo', networkEfficiency: 1, nicGbps: 8 } as const;
  const seconds = (networkDelayUs: number) => {
    const { transferSeconds, overheadSeconds } = find(
      { ...given, networkDelayUs },
      4,
      2 ** 27,
      'host-ring Simple',
    );
    return transferSeconds + overheadSeconds;
  };
  const busy = 2 ** 20 / 1e9 + 2 ** 20 / 1.33e9;
  expect(seconds(0)).toBeCloseTo(6 * 32 * busy, 9);
  expect(seconds(10_000)).toBeCloseTo((6 * 32 * (busy + 0.02)) / 2, 9);
});

test('CC-7 two V100 of a mesh share one link of six, four share four', () => {
  const rate = (ranks: number) => {
    const { transferSeconds } = find({ preset: 'dgx1-v100' }, ranks, 2 ** 30, 'ring Simple');
    return (2 * (ranks - 1) * 2 ** 30) / ranks / transferSeconds / 1e9;
  };
  expect([2, 4, 8].map((ranks) => Number(rate(ranks).toFixed(6)))).toEqual([22.5, 90, 135]);
});

test('CC-3 one rank needs no time, and more ranks than devices are refused', () => {
  expect(bestCollective(H100, 1, 'all-reduce', 1e9)).toMatchObject({ seconds: 0, busGBps: 0 });
  expect(() => bestCollective(H100, 17, 'all-reduce', 8)).toThrow('17 ranks on a cluster of 16');
});

test('CC-4 the best is the least of all that is offered; its parts add up; more bytes take longer', () => {
  const arbitrary = fc.record({
    preset: fc.constantFrom(...CLUSTER_PRESET_IDS),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
    exponent: fc.double({ min: 0, max: 34, noNaN: true }),
    kind: fc.constantFrom(...COLLECTIVE_KINDS),
  });
  fc.assert(
    fc.property(arbitrary, ({ preset, share, exponent, kind }) => {
      const cluster = clusterOf({ preset });
      const ranks = 2 + Math.floor(share * (cluster.nodes * cluster.gpusPerNode - 2));
      const prices = collectivePrices(cluster, ranks, kind, 2 ** exponent);
      const best = bestCollective(cluster, ranks, kind, 2 ** exponent);
      const own = prices.filter(({ algorithm }) => algorithm !== 'hierarchical');
      expect(best.seconds).toBe(Math.min(...own.map(({ seconds }) => seconds)));
      for (const { seconds, latencySeconds, transferSeconds, overheadSeconds } of prices) {
        expect(seconds).toBeCloseTo(latencySeconds + transferSeconds + overheadSeconds, 9);
        expect(Math.min(latencySeconds, transferSeconds, overheadSeconds)).toBeGreaterThanOrEqual(
          0,
        );
      }
      const more = bestCollective(cluster, ranks, kind, 2 ** (exponent + 1));
      expect(more.seconds).toBeGreaterThanOrEqual(best.seconds * (1 - 1e-9));
    }),
  );
});
