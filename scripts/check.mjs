/** @file npm run check: types, style and layers, promises, dead code, size. Fails if one of them does. */
import { fileURLToPath } from 'node:url';
import { ensureBuilt } from './build.mjs';
import { capture, secondsSince } from './step.mjs';

/** @type {Record<string, string[]>} */
const CHECKS = {
  types: ['node_modules/typescript/bin/tsc', '-b'],
  'style and layers': [
    'node_modules/@biomejs/biome/bin/biome',
    'ci',
    '--colors=off',
    '--error-on-warnings',
    '.',
  ],
  promises: ['node_modules/eslint/bin/eslint.js', '.'],
  'dead code': ['node_modules/knip/bin/knip.js'],
  size: ['node_modules/size-limit/bin.js'],
};
/** Two at a time: more would only wait for each other on a small machine. */
const AT_ONCE = 2;

/**
 * Runs every check and prints what failed; resolves with how many passed and failed.
 *
 * @returns {Promise<{ passed: number, failed: number }>}
 */
export async function check() {
  await ensureBuilt('lab');
  const waiting = Object.entries(CHECKS);
  const result = { passed: 0, failed: 0 };
  const worker = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [name, parameters] = next;
      const began = performance.now();
      const { status, output } = await capture(process.execPath, parameters);
      result[status === 0 ? 'passed' : 'failed']++;
      console.log(`${status === 0 ? 'ok    ' : 'FAILED'} ${name} (${secondsSince(began)})`);
      if (status !== 0) console.log(output.trimEnd());
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return result;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    process.exitCode = (await check()).failed === 0 ? 0 : 1;
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  }
}
