/**
 * @file TypeScript modules as commands import them: bundled for Node into .cache/, again only when the
 * sources changed. Node 20 does not read TypeScript.
 */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { fingerprint } from './fingerprint.mjs';
import { ensureInstalled } from './install.mjs';

const ROOT = resolve(fileURLToPath(import.meta.url), '..', '..');
const CACHE = join(ROOT, '.cache', 'node');
const SOURCES = ['src/core', 'src/experiment', 'src/sim', 'src/i18n', 'package.json'];
const FILE = 'module.mjs';
const isSource = (/** @type {string} */ file) => !/\.test\.ts$/.test(file);

/**
 * The exports of a module under src/ that needs no browser.
 *
 * @param {string} entry "src/sim/what-if.ts"
 * @returns {Promise<any>}
 */
export async function importSource(entry) {
  const name = entry.replaceAll('/', '-').replace(/\.ts$/, '');
  const paths = SOURCES.map((source) => join(ROOT, source));
  const folder = `${name}.${fingerprint(paths, isSource).slice(0, 16)}`;
  if (!existsSync(join(CACHE, folder))) {
    process.chdir(ROOT);
    await ensureInstalled();
    await bundle(entry, name, folder);
  }
  return import(pathToFileURL(join(CACHE, folder, FILE)).href);
}

/**
 * Bundles beside and renames when whole, so that commands started at once do not read half a file.
 *
 * @param {string} entry
 * @param {string} name
 * @param {string} folder
 */
async function bundle(entry, name, folder) {
  mkdirSync(CACHE, { recursive: true });
  const outdated = readdirSync(CACHE).filter((other) => other.startsWith(`${name}.`));
  const outDir = join(CACHE, `building-${folder}-${process.pid}`);
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
      target: 'node20',
      rolldownOptions: { output: { entryFileNames: FILE } },
    },
  });
  try {
    renameSync(outDir, join(CACHE, folder));
  } catch {
    // Another command was first.
    rmSync(outDir, { recursive: true, force: true });
  }
  for (const other of outdated) {
    if (other !== folder) rmSync(join(CACHE, other), { recursive: true, force: true });
  }
}
