/**
 * @file TypeScript modules as commands import them: bundled for Node into .cache/, again only when the
 * sources changed. Node 20 does not read TypeScript.
 */
import { existsSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { fingerprint, isCurrent, writeStamp } from './fingerprint.mjs';

const ROOT = resolve(fileURLToPath(import.meta.url), '..', '..');
const SOURCES = ['src/core', 'src/experiment', 'src/sim', 'src/i18n', 'package.json'];
const isSource = (/** @type {string} */ file) => !/\.test\.ts$/.test(file);

/**
 * The exports of a module under src/ that needs no browser.
 *
 * @param {string} entry "src/sim/what-if-command.ts"
 * @returns {Promise<any>}
 */
export async function importSource(entry) {
  const name = entry.replaceAll('/', '-').replace(/\.ts$/, '');
  const directory = join(ROOT, '.cache', 'node');
  const file = join(directory, `${name}.mjs`);
  const stamp = join(directory, `${name}.stamp`);
  const value = fingerprint(
    SOURCES.map((source) => join(ROOT, source)),
    isSource,
  );
  if (!existsSync(file) || !isCurrent(stamp, value)) {
    rmSync(stamp, { force: true });
    await bundle(entry, directory, `${name}.mjs`);
    writeStamp(stamp, value);
  }
  return import(pathToFileURL(file).href);
}

/** @param {string} entry @param {string} outDir @param {string} name */
async function bundle(entry, outDir, name) {
  const { build } = await import('vite');
  await build({
    root: ROOT,
    configFile: false,
    logLevel: 'error',
    publicDir: false,
    ssr: { noExternal: true },
    build: {
      ssr: entry,
      outDir,
      emptyOutDir: false,
      target: 'node20',
      rolldownOptions: { output: { entryFileNames: name } },
    },
  });
}
