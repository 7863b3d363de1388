/** @file A message of the string tables: text with `{name}` slots, or its plural forms. */

/** Chosen by `Intl.PluralRules` on the parameter `count`; `other` is the fall-back. */
export type PluralForms = { readonly [Form in Intl.LDMLPluralRule]?: string } & {
  readonly other: string;
};

export type Message = string | PluralForms;
