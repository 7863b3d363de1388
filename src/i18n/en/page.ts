/** @file Words of the page. */
import type { Message } from '../message.ts';

export const page = {
  'page.title': 'Ringside',
} as const satisfies Readonly<Record<string, Message>>;
