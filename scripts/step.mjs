/** @file Runs programs as steps of a longer command, with their time and their outcome. */
import { spawn } from 'node:child_process';

/** @param {number} since as performance.now() */
export const secondsSince = (since) => `${((performance.now() - since) / 1000).toFixed(1)} s`;

/**
 * Runs a program and keeps what it prints. Resolves with its exit status, 127 where there is none.
 *
 * @param {string} program
 * @param {string[]} parameters
 * @returns {Promise<{ status: number, output: string }>}
 */
export function capture(program, parameters) {
  return new Promise((done) => {
    /** @type {Buffer[]} */
    const parts = [];
    const child = spawn(program, parameters, { stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.on('data', (/** @type {Buffer} */ part) => parts.push(part));
    child.stderr.on('data', (/** @type {Buffer} */ part) => parts.push(part));
    child.on('error', (error) => done({ status: 127, output: error.message }));
    child.on('close', (code) =>
      done({ status: code ?? 1, output: Buffer.concat(parts).toString() }),
    );
  });
}

/**
 * Runs a program whose output goes to ours. Resolves with its exit status.
 *
 * @param {string} program
 * @param {string[]} parameters
 * @param {{ environment?: Record<string, string>, output?: 'inherit' | 'stderr', shell?: boolean }} [options]
 * @returns {Promise<number>}
 */
export function run(
  program,
  parameters,
  { environment = {}, output = 'inherit', shell = false } = {},
) {
  return new Promise((done) => {
    const out = output === 'stderr' ? 2 : 'inherit';
    const child = spawn(program, parameters, {
      stdio: ['ignore', out, 'inherit'],
      env: { ...process.env, ...environment },
      shell,
    });
    child.on('error', (error) => {
      console.error(error.message);
      done(127);
    });
    child.on('exit', (code) => done(code ?? 1));
  });
}
