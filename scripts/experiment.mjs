/**
 * @file npm run -s experiment -- FILE.json: runs an experiment in headless Chromium through the same
 * code as the page. JSON lines on standard output, everything else on standard error.
 */
import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chromiumArguments, findChromium, HOW_TO_GET_CHROMIUM } from './chromium.mjs';
import { prepare } from './prepare.mjs';
import { serve } from './serve.mjs';

const HELP = `npm run -s experiment -- FILE.json [options]

Runs the experiment in FILE.json (- for standard input) in headless Chromium, through the same code
as the page, and prints JSON lines: run, step, eval, fallback, nonFinite, disagreement, hang, summary.
Fields that FILE.json leaves out have their defaults; docs/experiment.md lists them all. Here
logEvery is 1 where left out: a line for every step. The step of a step line counts from 0; that of
eval, end and summary is the number of completed steps.

  --out FILE       write the lines to FILE as well
  --backend NAME   auto, fused, webgpu, webgl, wasm or cpu, instead of the experiment's own
  --data FILE      batches to train on: JSON with x [step][rank][sample][feature] and
                   y [step][rank][sample]; replicas, batch and steps come from its shape, and the
                   experiment's data is ignored
  --init FILE      initial weights: JSON with "init", by parameter name, matrices as [out][in];
                   needs --data
  --weights FILE   write the final weights to FILE: JSON with "final", in the form of "init"
  --help           this text

Exit status: 0 finished, 2 invalid experiment or options, 3 no browser, 4 failed, 130 stopped.`;

const EXIT = { finished: 0, invalid: 2, noBrowser: 3, failed: 4, stopped: 130 };
const PAGE_TIMEOUT_MS = 60_000;

/** Ends the command with an exit status and a message. */
class Refusal extends Error {
  /**
   * @param {number} status
   * @param {string} message
   */
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** Where the user was: npm changes to the project's folder. @param {string} file */
const userPath = (file) => resolve(process.env.INIT_CWD ?? process.cwd(), file);

/** @param {string} message */
const invalid = (message) => new Refusal(EXIT.invalid, message);

function readOptions() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        out: { type: 'string' },
        backend: { type: 'string' },
        init: { type: 'string' },
        data: { type: 'string' },
        weights: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    });
    return { ...values, positionals };
  } catch (error) {
    throw invalid(`${error.message}\n\n${HELP}`);
  }
}

async function readInput() {
  /** @type {Buffer[]} */
  const parts = [];
  for await (const part of process.stdin) parts.push(part);
  return Buffer.concat(parts).toString();
}

/**
 * @param {string} name a path, or - for standard input
 * @param {string} role what the file is for, as the message says it
 * @returns {Promise<unknown>}
 */
async function readJson(name, role) {
  const shown = name === '-' ? 'standard input' : name;
  let text;
  try {
    text = name === '-' ? await readInput() : readFileSync(userPath(name), 'utf8');
  } catch (error) {
    throw invalid(`${role}: ${shown} cannot be read (${error.code ?? error.message}).`);
  }
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw invalid(`${role}: ${shown} is not JSON: ${error.message}`);
  }
}

/**
 * @param {string} name
 * @param {string} role
 * @param {string[]} keys that the file must have
 * @returns {Promise<Record<string, unknown>>}
 */
async function readFields(name, role, keys) {
  const value = await readJson(name, role);
  const object = typeof value === 'object' && value !== null ? value : {};
  const missing = keys.filter((key) => !Object.hasOwn(object, key));
  if (missing.length > 0)
    throw invalid(
      `${role}: ${name} has no "${missing.join('", no "')}"; "${keys.join('", "')}" needed.`,
    );
  return /** @type {Record<string, unknown>} */ (object);
}

/** @param {ReturnType<typeof readOptions>} options */
async function readGiven({ init, data }) {
  if (data === undefined) {
    if (init !== undefined) throw invalid('--init needs --data: the batches to train on.');
    return null;
  }
  const { x, y } = await readFields(data, '--data', ['x', 'y']);
  const weights = init === undefined ? null : await readFields(init, '--init', ['init']);
  return { init: weights?.init ?? null, x, y };
}

/** Opens a file to write to now, so that a bad path is known before the run. @param {string} name */
function openForWriting(name) {
  try {
    return openSync(userPath(name), 'w');
  } catch (error) {
    throw invalid(`${name} cannot be written (${error.code ?? error.message}).`);
  }
}

async function launchBrowser() {
  let executablePath;
  try {
    executablePath = findChromium();
  } catch (error) {
    throw new Refusal(EXIT.noBrowser, error.message);
  }
  if (executablePath === null) throw new Refusal(EXIT.noBrowser, HOW_TO_GET_CHROMIUM);
  const { chromium } = await import('@playwright/test');
  // Ctrl-C is ours: the run ends with its summary, and then the browser is closed.
  const signals = { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false };
  try {
    return await chromium.launch({ executablePath, args: chromiumArguments(), ...signals });
  } catch (error) {
    throw new Refusal(EXIT.noBrowser, `${executablePath} could not be started.\n${error.message}`);
  }
}

/** Prints lines and says on standard error now and then how far the run is. @param {number | null} file */
function lineSink(file) {
  let told = 0;
  let total = 0;
  return (/** @type {string[]} */ lines) => {
    const text = `${lines.join('\n')}\n`;
    process.stdout.write(text);
    if (file !== null) writeSync(file, text);
    const last = JSON.parse(lines.at(-1) ?? '{}');
    for (const line of lines)
      if (line.startsWith('{"type":"run"')) total = JSON.parse(line).totalSteps;
    if (last.type !== 'step' || performance.now() - told < 2000) return;
    told = performance.now();
    console.error(
      `step ${last.step + 1} of ${total}, loss ${last.loss?.toFixed(4) ?? 'not a number'}`,
    );
  };
}

/**
 * Runs in a page; `ringside` is what the page put on `globalThis`.
 *
 * @param {import('@playwright/test').Page} page
 * @param {object} request
 * @returns {Promise<{ kind: 'invalid', faults: { path: string, found: string, message: string }[] } | { kind: 'ended', reason: string, message: string }>}
 */
async function runInPage(page, request) {
  const crashed = new Promise((_, fail) => {
    page.on('crash', () =>
      fail(new Refusal(EXIT.failed, 'The page crashed, perhaps for want of memory.')),
    );
    page.on('close', () => fail(new Refusal(EXIT.failed, 'The browser ended before the run did.')));
  });
  crashed.catch(() => {});
  const running = page.evaluate((value) => Reflect.get(globalThis, 'ringside').run(value), request);
  return /** @type {any} */ (await Promise.race([running, crashed]));
}

/** @param {{ path: string, found: string, message: string }[]} faults @param {string} file */
function describeFaults(faults, file) {
  const lines = faults.map(({ path, found, message }) => {
    const where = path === '' ? 'the whole' : path;
    return `  ${where}${found === '' ? '' : ` is ${found}`}: ${message}`;
  });
  return [`${file === '-' ? 'Standard input' : file} is refused:`, ...lines].join('\n');
}

/**
 * Ctrl-C ends a run with its summary; before the run, and on the second, it ends the command. The
 * browser is closed either way.
 */
function handleSignals() {
  /** @type {(() => Promise<unknown>) | null} */
  let stop = null;
  const ask = () => {
    if (stop === null) process.exit(EXIT.stopped);
    console.error('Stopping; once more to end at once ...');
    stop().catch(() => process.exit(EXIT.stopped));
    stop = null;
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, ask);
  // The reader of our lines has gone, as `head` does.
  process.stdout.once('error', ask);
  process.stdout.on('error', () => {});
  return { onStop: (/** @type {() => Promise<unknown>} */ work) => (stop = work) };
}

/** @returns {Promise<number>} the exit status */
async function main() {
  const options = readOptions();
  if (options.help) {
    console.log(HELP);
    return 0;
  }
  const [file, ...more] = options.positionals;
  if (file === undefined) throw invalid(`Which experiment?\n\n${HELP}`);
  if (more.length > 0) throw invalid(`One experiment at a time; ${more.join(', ')} is too much.`);
  const experiment = await readJson(file, 'experiment');
  const given = await readGiven(options);
  const out = options.out === undefined ? null : openForWriting(options.out);
  const weightsFile = options.weights === undefined ? null : openForWriting(options.weights);

  const signals = handleSignals();
  process.chdir(resolve(fileURLToPath(import.meta.url), '..', '..'));
  await prepare({ build: true });
  const browser = await launchBrowser();
  const server = await serve({ directory: 'dist' });
  try {
    const page = await browser.newPage();
    await page.exposeFunction('ringsideLines', lineSink(out));
    await page.goto(server.url);
    await page.waitForFunction(() => Reflect.has(globalThis, 'ringside'), null, {
      timeout: PAGE_TIMEOUT_MS,
    });
    signals.onStop(() => page.evaluate(() => Reflect.get(globalThis, 'ringside').stop()));
    const backend = options.backend ?? null;
    const outcome = await runInPage(page, { experiment, given, backend });
    if (outcome.kind === 'invalid') throw invalid(describeFaults(outcome.faults, file));
    if (outcome.message !== '') console.error(outcome.message);
    if (weightsFile !== null) {
      const final = await page.evaluate(() => Reflect.get(globalThis, 'ringside').weights());
      writeFileSync(weightsFile, `${JSON.stringify({ final })}\n`);
    }
    if (outcome.reason === 'finished') return EXIT.finished;
    return outcome.reason === 'stopped' ? EXIT.stopped : EXIT.failed;
  } finally {
    await browser.close();
    await server.close();
    for (const opened of [out, weightsFile]) if (opened !== null) closeSync(opened);
  }
}

let status = EXIT.failed;
try {
  status = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  if (error instanceof Refusal) status = error.status;
}
// Lets what was written reach its reader first.
process.exitCode = status;
