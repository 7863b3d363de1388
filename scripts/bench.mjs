/**
 * @file npm run bench: opens every benchmark page in headless Chromium, prints one table, and
 * writes it to docs/evidence/bench.md with the date and the machine.
 *
 * Command line: node scripts/bench.mjs [NAME ...]   (only the pages whose name is given)
 */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, release, type } from 'node:os';
import { fileURLToPath } from 'node:url';
import { chromium } from '@playwright/test';
import { measureLab } from './bench-page.mjs';
import { ensureBuilt } from './build.mjs';
import { chromiumArguments, findChromium, HOW_TO_GET_CHROMIUM } from './chromium.mjs';
import { serve } from './serve.mjs';

/**
 * As in bench/measurement.ts.
 *
 * @typedef {{ atMost: number } | { atLeast: number }} Goal
 * @typedef {{ name: string, unit: string, value: number, goal: Goal | null, detail: string }} Measurement
 */

const REPORT = 'docs/evidence/bench.md';
/** The one benchmark that has no page of its own in bench/. */
const LAB = 'page';
/** A page that is not done by then waits for something that will not come. */
const PATIENCE_MS = 300_000;

/**
 * Names of the pages in bench/, without extension, and of the lab itself.
 *
 * @param {string[]} wanted
 */
function pageNames(wanted) {
  const names = readdirSync('bench')
    .filter((file) => file.endsWith('.html'))
    .map((file) => file.replace(/\.html$/, ''))
    .concat(LAB);
  const unknown = wanted.filter((name) => !names.includes(name));
  if (unknown.length > 0)
    throw new Error(`No benchmark is called ${unknown.join(', ')}; there are: ${names.join(', ')}`);
  return wanted.length > 0 ? wanted : names;
}

/**
 * @param {import('@playwright/test').Browser} browser
 * @param {string} url
 * @returns {Promise<readonly Measurement[]>}
 */
async function measurePage(browser, url) {
  const page = await browser.newPage();
  /** @type {Promise<never>} */
  const failed = new Promise((_, fail) => {
    page.on('pageerror', fail);
    const late = () => fail(new Error(`${url} is not done after ${PATIENCE_MS / 1000} s.`));
    setTimeout(late, PATIENCE_MS).unref();
  });
  try {
    await page.goto(url);
    await page.waitForFunction("'measure' in window");
    return await Promise.race([failed, page.evaluate('window.measure()')]);
  } finally {
    await page.close();
  }
}

/** @param {import('@playwright/test').Browser} browser */
async function measureBuiltLab(browser) {
  await ensureBuilt('lab');
  const server = await serve({ directory: 'dist' });
  try {
    return await measureLab(browser, server.url);
  } finally {
    await server.close();
  }
}

/** @param {Measurement} measurement */
function verdict({ value, goal }) {
  if (goal === null) return '';
  return ('atMost' in goal ? value <= goal.atMost : value >= goal.atLeast) ? 'met' : 'MISSED';
}

/** @param {Measurement['goal']} goal */
function goalText(goal) {
  if (goal === null) return '';
  return 'atMost' in goal ? `<= ${number(goal.atMost)}` : `>= ${number(goal.atLeast)}`;
}

/** @param {number} value */
function number(value) {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString('en-GB', { minimumFractionDigits: 0, maximumFractionDigits: digits });
}

/** @param {readonly Measurement[]} measurements */
function table(measurements) {
  const rows = measurements.map((line) => [
    line.name,
    `${number(line.value)} ${line.unit}`,
    goalText(line.goal),
    verdict(line),
    line.detail,
  ]);
  const head = ['what', 'measured', 'goal', '', 'detail'];
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (/** @type {string[]} */ cells) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

/** @param {string} browserVersion */
function machine(browserVersion) {
  const model = cpus()[0]?.model.trim() ?? 'unknown processor';
  return `${model}, ${availableParallelism()} cores, ${type()} ${release()}, Chromium ${browserVersion}`;
}

/** @param {string[]} wanted */
async function main(wanted) {
  const names = pageNames(wanted);
  const load = (loadavg()[0] ?? 0).toFixed(1);
  const executablePath = findChromium();
  if (executablePath === null) throw new Error(HOW_TO_GET_CHROMIUM);
  await ensureBuilt('harness');
  const server = await serve({ directory: '.harness' });
  const browser = await chromium.launch({ executablePath, args: chromiumArguments() });
  try {
    /** @type {Measurement[]} */
    const measurements = [];
    for (const name of names) {
      console.error(`Measuring ${name} ...`);
      measurements.push(
        ...(name === LAB
          ? await measureBuiltLab(browser)
          : await measurePage(browser, `${server.url}bench/${name}.html`)),
      );
    }
    const text = table(measurements);
    console.log(text);
    if (wanted.length > 0) return;
    const date = new Date().toISOString().slice(0, 16).replace('T', ' ');
    const intro = `# Benchmarks\n\nMade by \`npm run bench\` on ${date} UTC: ${machine(browser.version())}, load average ${load} before it began.`;
    mkdirSync('docs/evidence', { recursive: true });
    writeFileSync(REPORT, `${intro}\n\n${text}\n`);
    console.error(`Written to ${REPORT}`);
  } finally {
    await browser.close();
    await server.close();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    await main(process.argv.slice(2));
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  }
}
