/** @file The Russian table, in one piece, loaded when it is first asked for. */
import { fields } from './fields.ts';
import { messages } from './messages.ts';
import { page } from './page.ts';

export const russian = { ...messages, ...fields, ...page } as const;
