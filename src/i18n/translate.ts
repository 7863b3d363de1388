/** @file Strings in two languages. English tables name the keys; the others must have the same. */
import { fields as englishFields } from './en/fields.ts';
import { messages as englishMessages } from './en/messages.ts';
import { page as englishPage } from './en/page.ts';
import type { Message } from './message.ts';
import type { russian } from './ru/table.ts';

export const LOCALES = ['en', 'ru'] as const;
export type Locale = (typeof LOCALES)[number];

const english = { ...englishMessages, ...englishFields, ...englishPage } as const;

/** All languages have the same keys; a missing one is an error of the types below. */
export type MessageKey = keyof typeof english | keyof typeof russian;
export type MessageParameters = Readonly<Record<string, string | number>>;

type Table = Readonly<Record<MessageKey, Message>>;

/** English is always there but for its help; another language comes with `loadLocale`. */
const TABLES = new Map<Locale, Partial<Table>>([['en', english]]);

/** Fetches a language's table; until then English stands in. Resolves at once if it is there. */
export async function loadLocale(locale: Locale): Promise<void> {
  if (TABLES.has(locale)) return;
  const { russian } = await import('./ru/table.ts');
  TABLES.set(locale, russian);
}

/** Fetches the English help texts; other languages bring theirs. Resolves at once if they are there. */
export async function loadHelp(): Promise<void> {
  if (hasHelp('en')) return;
  const { help } = await import('./en/help.ts');
  TABLES.set('en', { ...english, ...help });
}

/** Whether help texts are there in a language. */
export function hasHelp(locale: Locale): boolean {
  return Object.hasOwn(tableOf(locale), 'field.seed.help');
}

const tableOf = (locale: Locale): Partial<Table> => TABLES.get(locale) ?? english;

/** A help text that has not been fetched is empty. */
const messageIn = (locale: Locale, key: MessageKey): Message => tableOf(locale)[key] ?? '';

/** Making one of these costs far more than using it, so there is one a language. */
const FORMATS = {
  en: formatsOf('en'),
  ru: formatsOf('ru'),
};

function formatsOf(locale: Locale) {
  return {
    number: new Intl.NumberFormat(locale, { maximumFractionDigits: 12 }),
    plural: new Intl.PluralRules(locale),
  };
}

/**
 * The message `key` in a language, its `{name}` slots filled from `parameters`; numbers are written
 * as the language writes them. A slot without a parameter stays visible, as `{name}`.
 */
export function translate(
  locale: Locale,
  key: MessageKey,
  parameters: MessageParameters = {},
): string {
  const template = pluralForm(locale, messageIn(locale, key), parameters.count);
  return template.replace(/\{(\w+)\}/g, (slot, name: string) => {
    const value = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    if (value === undefined) return slot;
    return typeof value === 'number' ? FORMATS[locale].number.format(value) : value;
  });
}

/** Whether a text from outside (a failure's name, say) is a key of the tables. */
export function isMessageKey(text: string): text is MessageKey {
  return Object.hasOwn(english, text);
}

/** All keys, for tests and for pages that list them. */
export function messageKeys(): readonly MessageKey[] {
  return Object.keys(tableOf('en')) as MessageKey[];
}

/** The message as the table has it, slots unfilled. */
export function messageOf(locale: Locale, key: MessageKey): Message {
  return messageIn(locale, key);
}

function pluralForm(locale: Locale, message: Message, count: string | number | undefined): string {
  if (typeof message === 'string') return message;
  const form = typeof count === 'number' ? FORMATS[locale].plural.select(count) : 'other';
  return message[form] ?? message.other;
}
