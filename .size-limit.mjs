/** @file The shell: all script that the page fetches until Train is enabled. */
import { readdirSync, readFileSync } from 'node:fs';

/**
 * The entry and everything it imports statically, by Vite's manifest, and the conductor's worker.
 *
 * @returns {string[]} paths
 */
function shellFiles() {
  const manifest = JSON.parse(readFileSync('dist/.vite/manifest.json', 'utf8'));
  const files = new Set();
  const add = (/** @type {string} */ key) => {
    const chunk = manifest[key];
    if (files.has(`dist/${chunk.file}`)) return;
    files.add(`dist/${chunk.file}`);
    for (const imported of chunk.imports ?? []) add(imported);
  };
  add('index.html');
  const workers = readdirSync('dist/assets').filter((name) => /^conductor-.*\.js$/.test(name));
  return [...files, ...workers.map((name) => `dist/assets/${name}`)];
}

export default [{ name: 'shell', path: shellFiles(), limit: '150 kB', gzip: true }];
