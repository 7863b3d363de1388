/** @file AR-1: an import that the layer table forbids fails the linter; each row is tried. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

/**
 * A row: file, what it may import, what it may not.
 *
 * @type {[file: string, allowed: string[], forbidden: string[]][]}
 */
const TABLE = [
  [
    'src/core/x.ts',
    ['./y.ts'],
    ['#experiment/experiment', '../data/dataset.ts', 'react', 'node:fs'],
  ],
  ['src/core/x.test.ts', ['./y.ts', 'vitest', 'fast-check', 'node:fs'], ['#run/log', 'comlink']],
  ['src/experiment/x.ts', ['#core/plan', 'valibot'], ['#run/log', '#engine/engine', 'react']],
  [
    'src/sim/x.ts',
    ['#core/plan', '#experiment/experiment'],
    ['#engine/engine', '@tensorflow/tfjs-core'],
  ],
  ['src/engine/x.ts', ['#core/model', '@tensorflow/tfjs-core'], ['#data/dataset', '#sim/clock']],
  ['src/data/x.ts', ['#core/plan', '#experiment/experiment'], ['#protocol/replica', '#run/log']],
  ['src/transport/x.ts', ['#core/collective'], ['#protocol/replica', 'comlink', '#engine/engine']],
  ['src/protocol/x.ts', ['#core/plan'], ['#run/log', '#engine/engine', 'comlink']],
  [
    'src/run/x.ts',
    ['#data/dataset', '#transport/endpoint'],
    ['comlink', '#engine/engine', '#state/lab'],
  ],
  [
    'src/run/remote.ts',
    ['comlink', '#protocol/replica'],
    ['@tensorflow/tfjs-core', '#i18n/translate'],
  ],
  [
    'workers/x.ts',
    ['#engine/engine', '#run/log', 'comlink'],
    ['#state/lab', 'react', '#i18n/translate'],
  ],
  ['src/export/x.ts', ['#run/log', '#experiment/experiment'], ['#run/client', '#state/lab']],
  ['src/embed/x.ts', ['#run/log'], ['#engine/engine', 'comlink', '#run/service']],
  ['src/i18n/x.ts', ['#experiment/experiment'], ['#state/lab', 'react', '#engine/engine']],
  ['src/i18n/ru/x.ts', ['../message.ts', './y.ts'], ['#ui/lab', '../../main.tsx']],
  [
    'src/state/x.ts',
    ['#run/client', '#experiment/parse', 'zustand/vanilla'],
    ['react', 'comlink', '#engine/engine'],
  ],
  [
    'src/ui/x.tsx',
    ['react', '#state/lab', '#core/format'],
    [
      '@tensorflow/tfjs-core',
      'comlink',
      '#engine/engine',
      '#run/client',
      '#transport/ports',
      '../../workers/replica.ts',
    ],
  ],
  ['src/ui/parts/x.tsx', ['../lab.tsx', '#i18n/translate'], ['#engine/engine', '../../main.tsx']],
  ['lessons/x.ts', ['#experiment/experiment'], ['#run/log', 'react', '#core/plan']],
];

const BIOME = resolve('node_modules/@biomejs/biome/bin/biome');
let folder = '';
/** @type {Map<string, number>} errors by file */
const errors = new Map();

/**
 * Rules go by file name (remote.ts has one of its own), so each case is a copy of the tree.
 *
 * @param {string} file
 * @param {'allowed' | 'forbidden'} kind
 * @param {number} index
 */
const caseFile = (file, kind, index) => join(`${kind}${index}`, file);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringside-layers-'));
  const roots = new Set();
  for (const [file, allowed, forbidden] of TABLE) {
    for (const [kind, modules] of /** @type {const} */ ([
      ['allowed', allowed],
      ['forbidden', forbidden],
    ])) {
      modules.forEach((module, index) => {
        const path = caseFile(file, kind, index);
        roots.add(`${kind}${index}`);
        mkdirSync(join(folder, dirname(path)), { recursive: true });
        writeFileSync(join(folder, path), `import * as x from '${module}';\nconsole.log(x);\n`);
      });
    }
  }
  for (const root of roots) {
    copyFileSync('biome.json', join(folder, root, 'biome.json'));
    const report = lint(join(folder, root));
    for (const { category, location } of report) {
      if (category !== 'lint/style/noRestrictedImports') continue;
      const path = join(root, location.path);
      errors.set(path, (errors.get(path) ?? 0) + 1);
    }
  }
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/**
 * @param {string} cwd
 * @returns {{ category: string, location: { path: string } }[]}
 */
function lint(cwd) {
  const parameters = ['lint', '--vcs-enabled=false', '--reporter=json', '--max-diagnostics=none'];
  let output;
  try {
    output = execFileSync(process.execPath, [BIOME, ...parameters, '.'], {
      cwd,
      stdio: 'pipe',
    });
  } catch (error) {
    if (!(error instanceof Error && 'stdout' in error)) throw error;
    output = error.stdout;
  }
  return JSON.parse(String(output)).diagnostics;
}

for (const [file, allowed, forbidden] of TABLE) {
  test(`AR-1 ${file} may import ${allowed.join(', ')}`, () => {
    const found = allowed.filter((_, index) => errors.has(caseFile(file, 'allowed', index)));
    expect(found).toEqual([]);
  });
  test(`AR-1 ${file} must not import ${forbidden.join(', ')}`, () => {
    const missed = forbidden.filter((_, index) => !errors.has(caseFile(file, 'forbidden', index)));
    expect(missed).toEqual([]);
  });
}

for (const layer of ['core', 'sim']) {
  test(`AR-2 ${layer} has no clock and no random numbers of the platform`, () => {
    const root = join(folder, `pure-${layer}`);
    const path = join(root, 'src', layer, 'x.ts');
    mkdirSync(dirname(path), { recursive: true });
    copyFileSync('biome.json', join(root, 'biome.json'));
    writeFileSync(path, 'export const x = Math.random() + Date.now() + performance.now();\n');
    const rules = lint(root).map((diagnostic) => diagnostic.category);
    expect(rules).toContain('lint/nursery/noJsRestrictedProperties');
    expect(rules.filter((rule) => rule === 'lint/style/noRestrictedGlobals')).toHaveLength(2);
  });
}
