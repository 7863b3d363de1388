/**
 * @file npm run -s whatif -- FILE.json: prices collectives, steps, experiments and failures on a
 * described cluster. JSON on standard output; docs/whatif.md describes request and answer.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { importSource } from './bundle.mjs';

const HELP = `npm run -s whatif -- FILE.json

Prices what FILE.json (- for standard input) asks and prints one JSON value. docs/whatif.md describes
both. For example

  {"cluster": {"preset": "dgx-h100"}, "ranks": 8, "collective": {"bytes": 1073741824}}

Exit status: 0 answered, 2 invalid request, 4 failed.`;

const EXIT = { answered: 0, invalid: 2, failed: 4 };

/** A request that is refused. */
class Refusal extends Error {}

async function readInput() {
  /** @type {Buffer[]} */
  const parts = [];
  for await (const part of process.stdin) parts.push(part);
  return Buffer.concat(parts).toString();
}

/** @param {string} name a path where the user was (npm changes folders), or - @returns {Promise<unknown>} */
async function readJson(name) {
  const shown = name === '-' ? 'standard input' : name;
  let text;
  try {
    const path = resolve(process.env.INIT_CWD ?? process.cwd(), name);
    text = name === '-' ? await readInput() : readFileSync(path, 'utf8');
  } catch (error) {
    throw new Refusal(`${shown} cannot be read (${error.code ?? error.message}).`);
  }
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new Refusal(`${shown} is not JSON: ${error.message}`);
  }
}

/** @param {{ path: string, found: string, message: string }} fault */
const faultLine = ({ path, found, message }) =>
  `  ${path === '' ? 'the whole' : path} is ${found}: ${message}`;

async function main() {
  const [file, ...more] = process.argv.slice(2);
  if (file === '--help') return console.log(HELP);
  if (file === undefined) throw new Refusal(`Which request?\n\n${HELP}`);
  if (more.length > 0) throw new Refusal(`One request at a time; ${more.join(' ')} is too much.`);
  const input = await readJson(file);
  const { readWhatIf } = await importSource('src/sim/what-if-request.ts');
  const { answerWhatIf } = await importSource('src/sim/what-if.ts');
  const reading = readWhatIf(input);
  if (!reading.ok) {
    const { problemMessage } = await importSource('src/i18n/problem.ts');
    const faults = reading.problems.map((/** @type {any} */ problem) => ({
      ...problem,
      message: problemMessage('en', problem),
    }));
    const lines = [...reading.faults, ...faults].map(faultLine);
    throw new Refusal(
      [`${file === '-' ? 'Standard input' : file} is refused:`, ...lines].join('\n'),
    );
  }
  let answer;
  try {
    answer = answerWhatIf(reading.request);
  } catch (error) {
    if (error instanceof RangeError) throw new Refusal(`${file} is refused: ${error.message}`);
    throw error;
  }
  console.log(JSON.stringify(answer, null, 2));
}

// The reader of the answer may have gone, as `head` does.
process.stdout.on('error', () => {});
try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = error instanceof Refusal ? EXIT.invalid : EXIT.failed;
}
