/** @file Is a product of a script up to date? Decided by what its sources contain, not by dates. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Every file under `path`, sorted, so that the order is the same everywhere.
 *
 * @param {string} path a file or a folder; a missing one has no files
 * @param {(file: string) => boolean} wanted
 * @returns {string[]}
 */
function filesUnder(path, wanted) {
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return wanted(path) ? [path] : [];
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesUnder(join(path, name), wanted));
}

/**
 * A hash over names and contents of the files under `paths`.
 *
 * @param {string[]} paths relative to the working directory
 * @param {(file: string) => boolean} [wanted]
 * @returns {string}
 */
export function fingerprint(paths, wanted = () => true) {
  const hash = createHash('sha256');
  for (const file of paths.flatMap((path) => filesUnder(path, wanted)))
    hash.update(`${file}\0`).update(readFileSync(file)).update('\0');
  return hash.digest('hex');
}

/**
 * Whether `stampFile` holds `value`.
 *
 * @param {string} stampFile
 * @param {string} value
 */
export function isCurrent(stampFile, value) {
  return existsSync(stampFile) && readFileSync(stampFile, 'utf8').trim() === value;
}

/**
 * @param {string} stampFile
 * @param {string} value
 */
export function writeStamp(stampFile, value) {
  mkdirSync(dirname(stampFile), { recursive: true });
  writeFileSync(stampFile, `${value}\n`);
}
