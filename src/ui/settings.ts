/** @file Language and theme: chosen on the page, kept in the browser where it lets us. */

import { createStore, type StoreApi } from 'zustand';
import { LOCALES, type Locale } from '#i18n/translate';

export const THEMES = ['system', 'light', 'dark', 'projector'] as const;
export type Theme = (typeof THEMES)[number];

export interface Settings {
  readonly locale: Locale;
  readonly theme: Theme;
}

export type SettingsStore = StoreApi<Settings>;

/** The part of `localStorage` that is used. */
export interface Keeper {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
}

const KEY = 'ringside.settings';

/** Storage may be absent or forbidden (a sandboxed frame): then nothing is remembered. */
function kept(keeper: Keeper | null): Partial<Record<keyof Settings, unknown>> {
  try {
    const value: unknown = JSON.parse(keeper?.getItem(KEY) ?? '{}');
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

function keep(keeper: Keeper | null, settings: Settings): void {
  try {
    keeper?.setItem(KEY, JSON.stringify(settings));
  } catch {
    // Storage is full or forbidden; the choice holds for this visit.
  }
}

/** Settings kept from the last visit, else the first of the browser's languages that we have. */
export function createSettings(keeper: Keeper | null, languages: readonly string[]): SettingsStore {
  const last = kept(keeper);
  const spoken = languages.map((language) => language.slice(0, 2).toLowerCase());
  const locale =
    LOCALES.find((known) => known === last.locale) ??
    spoken.map((language) => LOCALES.find((known) => known === language)).find(Boolean) ??
    'en';
  const theme = THEMES.find((known) => known === last.theme) ?? 'system';
  const store = createStore<Settings>(() => ({ locale, theme }));
  store.subscribe((settings) => keep(keeper, settings));
  return store;
}

/** What `data-theme` must say; "system" follows the operating system. */
export function shownTheme(theme: Theme, systemIsDark: boolean): Exclude<Theme, 'system'> {
  if (theme !== 'system') return theme;
  return systemIsDark ? 'dark' : 'light';
}
