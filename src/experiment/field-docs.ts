/** @file The documentation's tables of fields, in Markdown, made from the field table. */
import { RECIPES, type Recipe } from './defaults.ts';
import { type Field, GROUPS, type Group } from './field.ts';
import { FIELDS, type FieldPath } from './fields.ts';

export interface DocsWords {
  readonly group: (group: Group) => string;
  readonly line: (path: FieldPath) => string;
  /** "steps"; empty for a field without a unit. */
  readonly unit: (field: Field) => string;
}

/** One table a group: field, what it is, what is allowed, default. */
export function fieldTables(words: DocsWords): string {
  return GROUPS.map((group) => {
    const rows = FIELDS.filter((field) => field.group === group).map((field) => row(field, words));
    const head = '| Field | What it is | Allowed | Default |\n|---|---|---|---|';
    return `## ${words.group(group)}\n\n${head}\n${rows.join('\n')}\n`;
  }).join('\n');
}

function row(field: Field, words: DocsWords): string {
  const where = field.when === undefined ? '' : ` Only where ${condition(field.when)}.`;
  const unit = words.unit(field);
  const cells = [
    code(field.path),
    `${words.line(field.path as FieldPath)}${where}`,
    `${allowed(field)}${unit === '' ? '' : `, ${unit}`}`,
    [code(show(field.default)), ...exceptions(field)].join('; '),
  ];
  return `| ${cells.join(' | ')} |`;
}

const code = (text: string): string => `\`${text}\``;
const show = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

function condition({ path, values }: { path: string; values: readonly string[] }): string {
  return `${code(path)} is ${values.map(code).join(' or ')}`;
}

function allowed(field: Field): string {
  switch (field.kind) {
    case 'choice':
      return field.choices.map(code).join(', ');
    case 'switch':
      return `${code('true')}, ${code('false')}`;
    case 'list': {
      const { minimumLength: least, maximumLength: most } = field;
      const length = least === most ? `${least}` : `${least} to ${most}`;
      return `list of ${length} whole numbers, ${field.minimum} to ${field.maximum}`;
    }
    case 'script':
      return `list of up to ${field.maximumLength} lines such as ${code(field.example)}`;
    case 'integer':
      return `whole number, ${field.minimum} to ${field.maximum}`;
    case 'number':
      return `number, ${field.minimum} to ${field.maximum}`;
  }
}

/** Other defaults that recipes give a field; the last that applies wins. */
function exceptions(field: Field): readonly string[] {
  const plain = RECIPES.filter(({ when }: Recipe) => when['cluster.preset'] === undefined);
  const preset = isSetByPreset(field) ? ["or the preset's"] : [];
  const others = plain.flatMap(({ when, values }: Recipe) => {
    const value = (values as Readonly<Record<string, unknown>>)[field.path];
    if (value === undefined) return [];
    const conditions = Object.entries(when).map(([path, chosen]) =>
      condition({ path, values: chosen }),
    );
    return [`${code(show(value))} where ${conditions.join(' and ')}`];
  });
  return [...others, ...preset];
}

/** docs/clusters.md has the presets' values in a table of their own. */
function isSetByPreset({ path }: Field): boolean {
  return RECIPES.some(({ when, values }) => when['cluster.preset'] !== undefined && path in values);
}
