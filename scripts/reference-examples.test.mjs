/** @file docs/evidence/reference-examples.md names tests; each must be in the file that it names. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const DOCUMENT = 'docs/evidence/reference-examples.md';

/**
 * The last two cells of every row: a file in backquotes, and a test's name.
 *
 * @type {[name: string, file: string][]}
 */
const rows = readFileSync(DOCUMENT, 'utf8')
  .split('\n')
  .flatMap((line) => {
    const [name, file] = line.split(' | ').reverse();
    if (file === undefined || !file.startsWith('`')) return [];
    return [[name.replace(/ \|$/, '').replaceAll('\\', ''), file.replaceAll('`', '')]];
  });

test(`${DOCUMENT} has rows`, () => {
  expect(rows.length).toBeGreaterThan(95);
});

test.each(rows)('%s', (name, file) => {
  // Quotes in a name are escaped in its source.
  const source = readFileSync(file, 'utf8').replaceAll('\\', '');
  expect(source.includes(`'${name}'`) || source.includes(`"${name}"`), file).toBe(true);
});
