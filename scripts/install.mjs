/** @file Makes sure that the packages of package-lock.json are installed. Node's own modules only. */
import { existsSync, readFileSync } from 'node:fs';
import { run, secondsSince } from './step.mjs';

const HEARTBEAT_MS = 10_000;

/**
 * @typedef {{ version?: string, optional?: boolean, devOptional?: boolean, link?: boolean }} Locked
 */

/**
 * Throws unless this Node satisfies package.json's `engines.node` (">=MAJOR.MINOR").
 *
 * @param {string} [version]
 */
export function checkNode(version = process.versions.node) {
  const { engines } = JSON.parse(readFileSync('package.json', 'utf8'));
  const [major = 0, minor = 0] = String(engines.node).replace('>=', '').split('.').map(Number);
  const [ownMajor = 0, ownMinor = 0] = version.split('.').map(Number);
  if (ownMajor > major || (ownMajor === major && ownMinor >= minor)) return;
  throw new Error(
    `This is Node ${version}; Ringside needs ${major}.${minor} or newer. Install one from https://nodejs.org and try again.`,
  );
}

/**
 * Whether npm's own record of what it installed agrees with the lock file. Optional packages are
 * left out: which of them are there depends on the machine.
 */
export function isInstalled() {
  const record = 'node_modules/.package-lock.json';
  if (!existsSync(record)) return false;
  /** @type {Record<string, Locked>} */
  const wanted = JSON.parse(readFileSync('package-lock.json', 'utf8')).packages;
  /** @type {Record<string, Locked>} */
  const found = JSON.parse(readFileSync(record, 'utf8')).packages;
  return Object.entries(wanted).every(
    ([path, { version, optional, devOptional }]) =>
      path === '' || optional || devOptional || found[path]?.version === version,
  );
}

/**
 * Runs `npm ci` where packages are missing or the lock file changed. Resolves with whether it ran;
 * throws where it failed.
 */
export async function ensureInstalled() {
  checkNode();
  if (isInstalled()) return false;
  console.error('Installing packages (npm ci); the first time takes about a minute ...');
  const began = performance.now();
  const heartbeat = setInterval(
    () => console.error(`  still installing (${secondsSince(began)}) ...`),
    HEARTBEAT_MS,
  );
  const parameters = ['ci', '--no-audit', '--no-fund'];
  const own = process.env.npm_execpath;
  const status = own?.endsWith('.js')
    ? await run(process.execPath, [own, ...parameters], { output: 'stderr' })
    : await run('npm', parameters, { output: 'stderr', shell: process.platform === 'win32' });
  clearInterval(heartbeat);
  if (status !== 0)
    throw new Error(
      'npm ci failed; its messages are above. Check the connection to the npm registry and try again.',
    );
  console.error(`Packages installed in ${secondsSince(began)}.`);
  return true;
}
