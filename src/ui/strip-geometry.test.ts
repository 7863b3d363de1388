import { expect, test } from 'vitest';
import type { WallRecord } from '#run/log';
import { stripGeometry } from './strip-geometry.ts';

const record = (step: number, wallMs: number, computeMs = 5): WallRecord => ({
  step,
  wallMs,
  computeMs: [computeMs - 1, computeMs],
  communicateMs: [2, 2],
  updateMs: [1, 1],
  heldBytes: [null, null],
});

test('UI-7 the wall time of all records is shared out by their busiest ranks', () => {
  const { steps, totalMs } = stripGeometry([record(6, 35, 5), record(7, 5, 21)], 2, 400, 60);
  expect(totalMs).toBe(40);
  expect(steps).toEqual([
    { step: 6, x: 0, width: 100 },
    { step: 7, x: 100, width: 300 },
  ]);
});

test('UI-7 a record lasts as long as its busiest rank, even if the clock says less', () => {
  expect(stripGeometry([record(1, 3)], 2, 100, 60).totalMs).toBe(8);
});

test('UI-7 every rank has a bar of each kind, and the rest where there is any', () => {
  const { paths } = stripGeometry([record(1, 10)], 2, 100, 60);
  const bars = (path: string): number => path.split('z').length - 1;
  expect(bars(paths.compute)).toBe(2);
  expect(bars(paths.communicate)).toBe(2);
  expect(bars(paths.update)).toBe(2);
  // Both ranks rest at the end; the one that computed for less time began later.
  expect(bars(paths.other)).toBe(3);
});

test('UI-7 exchanges end together: a rank that took less time began later', () => {
  const { paths } = stripGeometry([record(1, 8)], 2, 80, 60);
  const starts = [...paths.update.matchAll(/M([\d.]+)/g)].map(([, x]) => Number(x));
  expect(starts[0]).toBeCloseTo(starts[1] ?? Number.NaN, 6);
});

test('UI-7 nothing recorded, nothing drawn', () => {
  const { paths, edges, totalMs } = stripGeometry([], 4, 100, 60);
  expect([paths.compute, paths.other, edges, totalMs]).toEqual(['', '', '', 0]);
});
