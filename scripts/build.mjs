/** @file Builds the lab (dist/) and the harness pages (.harness/), each only when its sources changed. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { fingerprint, isCurrent, writeStamp } from './fingerprint.mjs';
import { isPackedDataWhole } from './prepare-data.mjs';

const COMMON = [
  'src',
  'workers',
  'lessons',
  'package.json',
  'package-lock.json',
  'tsconfig.base.json',
];
const PUBLIC = ['public', 'scripts/headers.mjs', 'scripts/vite-policy.mjs'];

/** @type {Record<'lab' | 'harness', { config: string, directory: string, sources: string[] }>} */
const TARGETS = {
  lab: {
    config: 'vite.config.ts',
    directory: 'dist',
    sources: [...COMMON, ...PUBLIC, 'index.html', 'vite.config.ts'],
  },
  harness: {
    config: 'vite.harness.config.ts',
    directory: '.harness',
    sources: [...COMMON, 'e2e/harness', 'bench', 'vite.harness.config.ts'],
  },
};

/** The packed data is named by its manifest; tests do not go into a build. */
const isSource = (/** @type {string} */ file) =>
  !file.endsWith('.bin') && !/\.test\.tsx?$/.test(file) && !file.endsWith('.md');

/**
 * Holds a lock over `work`, so that two commands started at once do not write one folder.
 *
 * @param {string} name
 * @param {() => Promise<void>} work
 */
async function withLock(name, work) {
  const lock = join('.cache', `${name}.lock`);
  mkdirSync('.cache', { recursive: true });
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' });
      break;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
    if (!ownerLives(lock)) rmSync(lock, { force: true });
    await pause(200);
  }
  try {
    await work();
  } finally {
    rmSync(lock, { force: true });
  }
}

/** @param {string} lock */
function ownerLives(lock) {
  try {
    process.kill(Number(readFileSync(lock, 'utf8')), 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/**
 * @param {string} config
 * @returns {Promise<void>}
 */
function runVite(config) {
  const vite = join('node_modules', 'vite', 'bin', 'vite.js');
  const parameters = [vite, 'build', '--config', config, '--logLevel', 'warn'];
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, parameters, { stdio: ['ignore', 2, 2] });
    child.on('error', fail);
    child.on('exit', (code) => {
      if (code === 0) done();
      else fail(new Error(`The build with ${config} failed; its messages are above.`));
    });
  });
}

/**
 * The lab's build holds a copy of the packed data; a damaged file is mended by building again.
 *
 * @param {'lab' | 'harness'} name
 */
function hasWholeData(name) {
  return name !== 'lab' || isPackedDataWhole(join(TARGETS.lab.directory, 'data'));
}

/**
 * Builds a target if its sources or its data changed since; resolves with whether it did.
 *
 * @param {'lab' | 'harness'} name
 * @returns {Promise<boolean>}
 */
export async function ensureBuilt(name) {
  const { config, directory, sources } = TARGETS[name];
  const stamp = join('.cache', `${name}.stamp`);
  let built = false;
  await withLock(name, async () => {
    const value = fingerprint(sources, isSource);
    if (existsSync(directory) && isCurrent(stamp, value) && hasWholeData(name)) return;
    rmSync(stamp, { force: true });
    const began = performance.now();
    console.error(`Building ${directory}/ ...`);
    await runVite(config);
    writeStamp(stamp, value);
    console.error(`Built ${directory}/ in ${((performance.now() - began) / 1000).toFixed(1)} s.`);
    built = true;
  });
  return built;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const both = process.argv.includes('--harness');
  try {
    if (!(await ensureBuilt('lab'))) console.error('dist/ is up to date.');
    if (both) await ensureBuilt('harness');
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  }
}
