import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ringLayout } from './ring-layout.ts';

const REM = 13;

test('UI-6 four replicas at 1440 x 900 are full cards: top, right, bottom, left', () => {
  const layout = ringLayout(740, 500, 4, REM);
  expect(layout.size).toBe('large');
  const [top, right, bottom, left] = layout.nodes;
  expect(top?.x).toBeCloseTo(370, 6);
  expect(bottom?.x).toBeCloseTo(370, 6);
  expect(right?.y).toBeCloseTo(250, 6);
  expect((left?.x ?? 0) < (right?.x ?? 0)).toBe(true);
});

test('UI-6 links go from each rank to the next, and one replica has none', () => {
  const links = ringLayout(740, 500, 3, REM).links;
  expect(links.map(({ from, to }) => [from, to])).toEqual([
    [0, 1],
    [1, 2],
    [2, 0],
  ]);
  expect(ringLayout(740, 500, 1, REM).links).toEqual([]);
});

test('UI-6 eight replicas are cards, sixteen are compact', () => {
  expect(['large', 'medium']).toContain(ringLayout(740, 520, 8, REM).size);
  expect(ringLayout(740, 520, 16, REM).size).toBe('compact');
});

test('UI-6 nodes never overlap and stay inside, whatever the window', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 340, max: 1600 }),
      fc.integer({ min: 380, max: 900 }),
      fc.integer({ min: 1, max: 16 }),
      (width, height, count) => {
        const { nodes, nodeWidth, nodeHeight } = ringLayout(width, height, count, REM);
        for (const [i, a] of nodes.entries()) {
          expect(a.x - nodeWidth / 2).toBeGreaterThanOrEqual(0);
          expect(a.x + nodeWidth / 2).toBeLessThanOrEqual(width);
          expect(a.y - nodeHeight / 2).toBeGreaterThanOrEqual(0);
          expect(a.y + nodeHeight / 2).toBeLessThanOrEqual(height);
          for (const b of nodes.slice(i + 1)) {
            expect(Math.abs(a.x - b.x) >= nodeWidth || Math.abs(a.y - b.y) >= nodeHeight).toBe(
              true,
            );
          }
        }
      },
    ),
  );
});
