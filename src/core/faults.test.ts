import { expect, test } from 'vitest';
import { parseFault, parseFaults } from './faults.ts';

test('FT-1 a line says what befalls which ranks at which step', () => {
  expect(parseFault('kill 2 @ 40')).toEqual({ kind: 'kill', ranks: [2], step: 40 });
  expect(parseFault('split 3+0+3 @ 7')).toEqual({ kind: 'split', ranks: [0, 3], step: 7 });
});

test.each([
  '',
  'kill',
  'kill 2',
  'kill 2 @',
  'melt 2 @ 3',
  'kill -1 @ 3',
  'kill 2 @ 3.5',
  'kill  2 @ 3',
  'kill 2+ @ 3',
])('FT-1 "%s" is no fault', (line) => {
  expect(parseFault(line)).toBeNull();
});

test('FT-1 a script is in the order of steps', () => {
  const lines = ['nan 1 @ 9', 'kill 0 @ 3', 'flip 2 @ 3'];
  expect(parseFaults(lines).map(({ kind }) => kind)).toEqual(['kill', 'flip', 'nan']);
});
