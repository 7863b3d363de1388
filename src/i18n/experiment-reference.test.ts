import { expect, test } from 'vitest';
import { docsFile, schemaFile } from './experiment-reference.ts';
import { loadHelp } from './translate.ts';

await loadHelp();

test('EX-10 the published JSON Schema is made from the field table', async () => {
  await expect(schemaFile()).toMatchFileSnapshot('../../public/experiment.schema.json');
});

test('EX-10 the documentation of the fields is made from the field table', async () => {
  await expect(docsFile()).toMatchFileSnapshot('../../docs/experiment.md');
});
