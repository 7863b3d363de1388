import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  goodputShare,
  modelFlopsUtilisation,
  overlapShare,
  scalingEfficiency,
  stalenessDistribution,
  timeSplit,
} from './metrics.ts';
import type { Span, SpanKind } from './spans.ts';
import { ns } from './time.ts';

const span = (kind: SpanKind, start: number, end: number): Span => {
  return { rank: 0, kind, startNs: ns(start), endNs: ns(end), bucket: null };
};

test('CK-13 communication [0,10], [20,30], compute [5,25]: overlap 50 %, compute 20, 10 more, idle 0', () => {
  const spans = [
    span('communication', 0, 10),
    span('communication', 20, 30),
    span('backward', 5, 25),
  ];
  const split = timeSplit(spans, ns(0), ns(30));
  expect(split.computeNs).toBe(20);
  expect(split.exposedCommunicationNs).toBe(10);
  expect(split.idle).toEqual({ peersNs: 0, dataNs: 0, faultNs: 0, otherNs: 0 });
  expect(overlapShare(split)).toBe(0.5);
});

test('CK-13 idle is split by reason, and what lies outside the window does not count', () => {
  const spans = [
    span('data', 0, 10),
    span('forward', 10, 20),
    span('wait', 15, 30),
    span('communication', 30, 35),
    span('fault', 40, 60),
  ];
  const { computeNs, exposedCommunicationNs, idle } = timeSplit(spans, ns(5), ns(50));
  expect([computeNs, exposedCommunicationNs]).toEqual([10, 5]);
  expect(idle).toEqual({ dataNs: 5, peersNs: 10, faultNs: 10, otherNs: 5 });
});

test('CK-13 the parts add up to the window', () => {
  const kinds = ['data', 'forward', 'communication', 'wait', 'optimizer', 'fault'] as const;
  const anySpan = fc
    .tuple(fc.constantFrom<SpanKind>(...kinds), fc.nat(100), fc.nat(50))
    .map(([kind, start, length]) => span(kind, start, start + length));
  fc.assert(
    fc.property(
      fc.array(anySpan, { maxLength: 30 }),
      fc.nat(60),
      fc.nat(60),
      (spans, start, length) => {
        const { computeNs, exposedCommunicationNs, idle, communicationNs } = timeSplit(
          spans,
          ns(start),
          ns(start + length),
        );
        const parts = [computeNs, exposedCommunicationNs, ...Object.values(idle)];
        for (const part of parts) expect(part).toBeGreaterThanOrEqual(0);
        expect(parts.reduce((a, b) => a + b, 0)).toBe(length);
        expect(communicationNs).toBeGreaterThanOrEqual(exposedCommunicationNs);
      },
    ),
  );
});

test('CK-14 Llama 3: 430, 400, 380 TFLOP/s over 989 are 43.5, 40.4, 38.4 % MFU', () => {
  const shares = [430, 400, 380].map((rate) => modelFlopsUtilisation(rate * 1e12, 1, 989e12));
  expect(shares.map((share) => Math.round(share * 1000) / 10)).toEqual([43.5, 40.4, 38.4]);
});

test('CK-14 goodput and scaling efficiency are ratios', () => {
  expect(goodputShare(ns(842), ns(1000))).toBe(0.842);
  // Horovod: 512 GPUs at 90 % do 460.8 times the work of one.
  expect(scalingEfficiency(512, 460.8, 1)).toBeCloseTo(0.9, 12);
});

test('CK-15 staleness 0, 3, 3, 1, 3: counts 1, 1, 0, 3, mean 2, at most 3', () => {
  const found = stalenessDistribution([0, 3, 3, 1, 3]);
  expect(found).toEqual({ counts: [1, 1, 0, 3], mean: 2, most: 3 });
  expect(stalenessDistribution([])).toEqual({ counts: [0], mean: 0, most: 0 });
  expect(() => stalenessDistribution([1, -1])).toThrow('staleness -1');
});
