import { expect, test } from 'vitest';
import type { Message } from './message.ts';
import {
  isMessageKey,
  LOCALES,
  loadHelp,
  loadLocale,
  messageKeys,
  messageOf,
  translate,
} from './translate.ts';

await loadLocale('ru');
await loadHelp();

const slotsOf = (message: Message): string[] => {
  const forms = typeof message === 'string' ? [message] : Object.values(message);
  const names = forms.flatMap((form) => Array.from(form.matchAll(/\{(\w+)\}/g), (m) => m[1]));
  return [...new Set(names)].sort() as string[];
};

test('fills slots and writes numbers as the language does', () => {
  const parameters = { minimum: 0.001, maximum: 1_000_000 };
  expect(translate('en', 'problem.number', parameters)).toBe(
    'A number from 0.001 to 1,000,000 is allowed.',
  );
  expect(translate('ru', 'problem.number', parameters)).toBe(
    'Допустимо число от 0,001 до 1\u00a0000\u00a0000.',
  );
});

test.each([
  ['en', 1, '1 replica'],
  ['en', 5, '5 replicas'],
  ['ru', 1, '1 реплика'],
  ['ru', 3, '3 реплики'],
  ['ru', 11, '11 реплик'],
  ['ru', 21, '21 реплика'],
  ['ru', 1.5, '1,5 реплики'],
] as const)('plural forms: %s %d gives %s', (locale, count, text) => {
  expect(translate(locale, 'unit.replicas', { count })).toBe(text);
});

test('a slot without a parameter stays visible, and inherited names are no parameters', () => {
  expect(translate('en', 'problem.number')).toContain('{minimum}');
  expect(translate('en', 'problem.notJson', { constructor: 'x' })).toContain('{reason}');
});

test('a parameter with slots or markup of its own is put in as it is', () => {
  expect(translate('en', 'problem.notJson', { reason: '{reason} $& <b>' })).toBe(
    'This is not JSON: {reason} $& <b>',
  );
});

test('isMessageKey knows the keys of the tables and nothing else', () => {
  expect(isMessageKey('page.title')).toBe(true);
  expect(isMessageKey('toString')).toBe(false);
});

test('EX-13 every message has the same slots in every language and no empty text', () => {
  for (const key of messageKeys()) {
    const english = slotsOf(messageOf('en', key));
    for (const locale of LOCALES) {
      expect(slotsOf(messageOf(locale, key)), `${locale} ${key}`).toEqual(english);
      expect(translate(locale, key), `${locale} ${key}`).not.toBe('');
    }
  }
});
