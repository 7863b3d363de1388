/** @file npm run validation: writes docs/validation.md and docs/clusters.md from src/sim. */
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { importSource } from './bundle.mjs';

const docs = resolve(fileURLToPath(import.meta.url), '..', '..', 'docs');
const { validationDocument } = await importSource('src/sim/validation-document.ts');
const { clusterDocument } = await importSource('src/sim/cluster-document.ts');
writeFileSync(resolve(docs, 'validation.md'), validationDocument());
writeFileSync(resolve(docs, 'clusters.md'), clusterDocument());
console.log('docs/validation.md and docs/clusters.md are written.');
