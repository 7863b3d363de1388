/** @file The experiment command: golden vectors, bad input, exit statuses. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { startNode } from './command.ts';

const COMMAND = 'scripts/experiment.mjs';
const GOLDEN = 'workers/golden/ddp_allreduce.json';
const folder = mkdtempSync(join(tmpdir(), 'ringside-experiment-'));

interface Line {
  readonly type: string;
  readonly [field: string]: unknown;
}

function fileOf(name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

const linesOf = (text: string): Line[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

const flat = (value: unknown): number[] => [value].flat(Number.POSITIVE_INFINITY) as number[];

test('PyTorch DDP is reproduced: every loss and final weight within 1e-5', async () => {
  const golden = JSON.parse(readFileSync(GOLDEN, 'utf8'));
  const experiment = fileOf('golden.json', {
    model: { kind: 'mlp', hidden: [16], activation: 'tanh' },
    optimizer: { kind: 'sgd', momentum: 0.9 },
    learningRate: { base: 0.1 },
  });
  const weights = join(folder, 'final.json');
  const out = join(folder, 'lines.jsonl');
  const given = ['--init', GOLDEN, '--data', GOLDEN, '--weights', weights, '--out', out];
  const { status, stdout, stderr } = await startNode([
    COMMAND,
    experiment,
    '--backend',
    'wasm',
    ...given,
  ]).finished;
  expect(status, stderr).toBe(0);
  expect(readFileSync(out, 'utf8')).toBe(stdout);
  const lines = linesOf(stdout);
  expect(lines[0]).toMatchObject({ type: 'run', backend: 'wasm', transport: 'shared' });
  expect(lines.at(-1)).toMatchObject({ type: 'summary', reason: 'finished', steps: 12 });
  const steps = lines.filter(({ type }) => type === 'step');
  expect(steps).toHaveLength(12);
  for (const [step, line] of steps.entries()) {
    expect(new Set(line.weightsHash as string[]).size).toBe(1);
    for (const [rank, loss] of flat(line.lossPerRank).entries())
      expect(Math.abs(loss - golden.lossesPerRank[rank][step])).toBeLessThan(1e-5);
  }
  const { final } = JSON.parse(readFileSync(weights, 'utf8'));
  for (const name of Object.keys(golden.final)) {
    const expected = flat(golden.final[name]);
    for (const [index, value] of flat(final[name]).entries())
      expect(Math.abs(value - (expected[index] ?? Number.NaN)), name).toBeLessThan(1e-5);
  }
});

test('an experiment from standard input; two runs have the same log', async () => {
  const input = JSON.stringify({
    data: { name: 'moons' },
    replicas: 3,
    duration: { unit: 'steps', count: 40 },
    backend: 'fused',
  });
  const runs = [];
  for (let run = 0; run < 2; run++) {
    const { status, stdout, stderr } = await startNode([COMMAND, '-'], { input }).finished;
    expect(status, stderr).toBe(0);
    runs.push(linesOf(stdout).at(-1));
  }
  expect(runs[0]?.logHash).toBe(runs[1]?.logHash);
  expect(runs[0]).toMatchObject({ reason: 'finished', steps: 40 });
});

for (const [what, parameters, input, expected] of [
  ['no JSON', ['-'], '{bad', 'standard input is not JSON'],
  ['a missing file', ['/nowhere/x.json'], '', '/nowhere/x.json cannot be read'],
  ['an unknown option', ['-', '--fast'], '{}', "Unknown option '--fast'"],
  ['no file', [], '', 'Which experiment?'],
  ['--init without --data', ['-', '--init', GOLDEN], '{}', '--init needs --data'],
  ['data without y', ['-', '--data', 'package.json'], '{}', 'package.json has no "x", no "y"'],
] as const) {
  test(`${what} exits with 2 and says so`, async () => {
    const { status, stdout, stderr } = await startNode([COMMAND, ...parameters], { input })
      .finished;
    expect(stderr).toContain(expected);
    expect(status).toBe(2);
    expect(stdout).toBe('');
  });
}

test('a faulty experiment is refused whole: each fault with path, found and allowed', async () => {
  const input = JSON.stringify({
    replicas: 99,
    batchPerRank: 'x',
    typo: true,
    model: { kind: 'rnn' },
  });
  const { status, stdout, stderr } = await startNode([COMMAND, '-'], { input }).finished;
  expect(status).toBe(2);
  expect(stdout).toBe('');
  expect(stderr).toContain('replicas is 99: A whole number from 1 to 16 is allowed.');
  for (const part of ['batchPerRank is "x"', 'typo is true', 'model.kind is "rnn"', 'softmax'])
    expect(stderr).toContain(part);
});

test('values that differ from the data file are refused with both', async () => {
  const input = JSON.stringify({ replicas: 3 });
  const { status, stderr } = await startNode([COMMAND, '-', '--data', GOLDEN], { input }).finished;
  expect(status).toBe(2);
  expect(stderr).toContain('replicas is 3: The data file has 4 ranks.');
});

test('no browser exits with 3', async () => {
  const environment = { CHROMIUM_PATH: '/nowhere/chromium' };
  const { status, stderr } = await startNode([COMMAND, '-'], { input: '{}', environment }).finished;
  expect(status).toBe(3);
  expect(stderr).toContain('CHROMIUM_PATH');
});

test('a NaN loss stops the run, keeps the log, says where, and exits with 4', async () => {
  const sane = [[[1, 2]], [[2, 1]]];
  const huge = [[[1, 2]], [[3e38, 3e38]]];
  const data = fileOf('huge.json', { x: [sane, huge, sane], y: [0, 1, 2].map(() => [[0], [1]]) });
  const input = JSON.stringify({ model: { kind: 'softmax' }, backend: 'cpu' });
  const { status, stdout } = await startNode([COMMAND, '-', '--data', data], { input }).finished;
  const lines = linesOf(stdout);
  expect(lines.map(({ type }) => type)).toEqual(['run', 'step', 'nonFinite', 'summary']);
  expect(lines[2]).toEqual({ type: 'nonFinite', step: 1, ranks: [1] });
  expect(lines[3]).toMatchObject({ reason: 'nonFinite', steps: 1 });
  expect(status).toBe(4);
});

test('Ctrl-C stops the run with its summary and exits with 130', async () => {
  test.skip(process.platform === 'win32', 'Windows has no SIGINT to send');
  const input = JSON.stringify({ duration: { unit: 'epochs', count: 100 }, backend: 'wasm' });
  const command = startNode([COMMAND, '-'], { input });
  await expect.poll(command.stdout, { timeout: 60_000 }).toContain('"type":"step"');
  command.child.kill('SIGINT');
  const { status, stdout } = await command.finished;
  expect(status).toBe(130);
  expect(linesOf(stdout).at(-1)).toMatchObject({ type: 'summary', reason: 'stopped' });
});
