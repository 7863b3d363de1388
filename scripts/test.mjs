/**
 * @file npm test: everything, from a fresh clone. Installs, packs the data, finds a browser, then
 * checks, unit tests, builds and browser tests. The last line is "N passed, N failed".
 */
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findChromium, installChromium } from './chromium.mjs';
import { prepare } from './prepare.mjs';
import { run, secondsSince } from './step.mjs';

process.chdir(resolve(fileURLToPath(import.meta.url), '..', '..'));

const VITEST_REPORT = '.cache/vitest.json';
/** The projects of playwright.config.ts, and how many of their tests run at a time. */
const BROWSER_PROJECTS = { together: 2, alone: 1 };

/** @typedef {{ passed: number, failed: number }} Tally */

/**
 * A report that is not there, or is no JSON, means that the tests could not even begin.
 *
 * @param {string} file
 */
function readReport(file) {
  if (!existsSync(file)) return null;
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}

/** @returns {Promise<Tally>} */
async function unitTests() {
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${VITEST_REPORT}`];
  const vitest = 'node_modules/vitest/vitest.mjs';
  const status = await run(process.execPath, [vitest, 'run', ...reporters]);
  const report = readReport(VITEST_REPORT);
  if (report === null) return { passed: 0, failed: 1 };
  /** @type {{ status: string, assertionResults: { status: string }[] }[]} */
  const files = report.testResults;
  // Failed as a whole: could not be loaded, or its set-up failed.
  const broken = files.filter(
    (file) => file.status === 'failed' && file.assertionResults.every((t) => t.status !== 'failed'),
  );
  const failed = report.numFailedTests + broken.length;
  // An error outside of any test fails the run without a failed test.
  return { passed: report.numPassedTests, failed: failed || (status === 0 ? 0 : 1) };
}

/** @param {string} project */
const browserReport = (project) => `.cache/playwright-${project}.json`;

/** @returns {Promise<Tally>} */
async function browserTests() {
  const tally = { passed: 0, failed: 0 };
  for (const [project, workers] of Object.entries(BROWSER_PROJECTS)) {
    const { passed, failed } = await browserProject(project, workers);
    tally.passed += passed;
    tally.failed += failed;
  }
  return tally;
}

/**
 * @param {string} project
 * @param {number} workers
 * @returns {Promise<Tally>}
 */
async function browserProject(project, workers) {
  const playwright = 'node_modules/@playwright/test/cli.js';
  const environment = { PLAYWRIGHT_JSON_OUTPUT_NAME: browserReport(project) };
  const choice = [`--project=${project}`, `--workers=${workers}`];
  const parameters = [playwright, 'test', ...choice, '--reporter=list,json'];
  const status = await run(process.execPath, parameters, { environment });
  const report = readReport(browserReport(project));
  if (report === null) return { passed: 0, failed: 1 };
  const { expected, unexpected, flaky } = report.stats;
  const failed = unexpected + report.errors.length;
  return { passed: expected + flaky, failed: failed || (status === 0 ? 0 : 1) };
}

async function buildAll() {
  const { ensureBuilt } = await import('./build.mjs');
  await ensureBuilt('lab');
  await ensureBuilt('harness');
}

/**
 * @template T
 * @param {string} name
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
async function step(name, work) {
  console.log(`\n== ${name}`);
  const began = performance.now();
  try {
    return await work();
  } finally {
    console.log(`== ${name}: ${secondsSince(began)}`);
  }
}

/** @param {Tally} tally */
async function runAll(tally) {
  await step('packages and data', () => prepare({ build: false }));
  await step('browser', async () => {
    const path = findChromium() ?? (await installChromium());
    console.log(path);
  });
  await step('build', buildAll);
  const { check } = await import('./check.mjs');
  for (const [name, work] of /** @type {const} */ ([
    ['checks', check],
    ['unit tests', unitTests],
    ['browser tests', browserTests],
  ])) {
    const { passed, failed } = await step(name, work);
    tally.passed += passed;
    tally.failed += failed;
  }
}

mkdirSync('.cache', { recursive: true });
rmSync(VITEST_REPORT, { force: true });
for (const project of Object.keys(BROWSER_PROJECTS)) {
  rmSync(browserReport(project), { force: true });
}
if (process.argv.includes('--full')) process.env.RINGSIDE_FULL = '1';

const began = performance.now();
/** @type {Tally} */
const tally = { passed: 0, failed: 0 };
try {
  await runAll(tally);
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  tally.failed++;
}
console.log(`\nAll of it: ${secondsSince(began)}`);
console.log(`${tally.passed} passed, ${tally.failed} failed`);
process.exitCode = tally.failed === 0 ? 0 : 1;
