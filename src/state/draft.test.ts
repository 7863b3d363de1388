import { expect, test } from 'vitest';
import { listFromText, numberFromText, valueAt, withValue } from './draft.ts';

test('a value is read and replaced by its path, and the draft before stays as it was', () => {
  const draft = { optimizer: { kind: 'sgd', momentum: 0.9 }, replicas: 4 };
  const edited = withValue(draft, 'optimizer.momentum', 0.5);
  expect(valueAt(edited, 'optimizer.momentum')).toBe(0.5);
  expect(valueAt(draft, 'optimizer.momentum')).toBe(0.9);
  expect(valueAt(edited, 'optimizer.kind')).toBe('sgd');
  expect(valueAt(edited, 'optimizer.beta1')).toBeUndefined();
  expect(valueAt(edited, 'replicas.x')).toBeUndefined();
  expect(valueAt(edited, 'constructor')).toBeUndefined();
});

test('objects on the way to a path are made', () => {
  expect(withValue({}, 'duration.count', 3)).toEqual({ duration: { count: 3 } });
  expect(withValue({ duration: 5 }, 'duration.count', 3)).toEqual({ duration: { count: 3 } });
});

test('numbers are taken as people type them; anything else stays text', () => {
  expect(numberFromText(' 0,1 ')).toBe(0.1);
  expect(numberFromText('1e-3')).toBe(0.001);
  expect(numberFromText('12 000')).toBe(12000);
  expect(numberFromText('\u22121')).toBe(-1);
  expect(numberFromText('many')).toBe('many');
  expect(numberFromText('')).toBe('');
});

test('widths are a list; a part that is no number is left for the parser', () => {
  expect(listFromText('128, 64')).toEqual([128, 64]);
  expect(listFromText('128 x')).toEqual([128, 'x']);
  expect(listFromText(' ')).toEqual([]);
});
