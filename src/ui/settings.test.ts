import { expect, test } from 'vitest';
import { createSettings, type Keeper, shownTheme } from './settings.ts';

function memory(initial: string | null): Keeper & { value: string | null } {
  return {
    value: initial,
    getItem() {
      return this.value;
    },
    setItem(_key, value) {
      this.value = value;
    },
  };
}

test("the first of the browser's languages that we have is taken, else English", () => {
  expect(createSettings(null, ['de-DE', 'ru-RU', 'en']).getState().locale).toBe('ru');
  expect(createSettings(null, ['de']).getState().locale).toBe('en');
});

test('a choice is kept and comes back', () => {
  const keeper = memory(null);
  createSettings(keeper, ['en']).setState({ locale: 'ru', theme: 'dark' });
  expect(createSettings(keeper, ['en']).getState()).toEqual({ locale: 'ru', theme: 'dark' });
});

test('odd or forbidden storage is as good as none', () => {
  for (const odd of ['{', 'null', '7', '{"locale":"xx","theme":1}']) {
    expect(createSettings(memory(odd), ['en']).getState()).toEqual({
      locale: 'en',
      theme: 'system',
    });
  }
  const forbidden: Keeper = {
    getItem: () => {
      throw new Error('forbidden');
    },
    setItem: () => {
      throw new Error('forbidden');
    },
  };
  const settings = createSettings(forbidden, ['en']);
  settings.setState({ theme: 'dark' });
  expect(settings.getState().theme).toBe('dark');
});

test('only the system theme follows the system', () => {
  expect(shownTheme('system', true)).toBe('dark');
  expect(shownTheme('system', false)).toBe('light');
  expect(shownTheme('projector', true)).toBe('projector');
});
