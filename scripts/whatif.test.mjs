/** @file CC-19: the command prints one JSON value, and refuses bad requests whole with status 2. */
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

/** @param {string} input */
const run = (input) =>
  spawnSync(process.execPath, ['scripts/whatif.mjs', '-'], { input, encoding: 'utf8' });

test('CC-19 a request on standard input is answered as JSON', () => {
  const request = { cluster: { preset: 'dgx-h100' }, ranks: 8, collective: { bytes: 2 ** 30 } };
  const { status, stdout, stderr } = run(JSON.stringify(request));
  expect(stderr).toBe('');
  expect(status).toBe(0);
  expect(JSON.parse(stdout).collective[0]).toMatchObject({ ranks: 8, algorithm: 'switch' });
});

test('CC-19 a bad request is refused with path, what was found and what is allowed', () => {
  const { status, stdout, stderr } = run('{"cluster": {"nodes": 0}, "ranks": 2}');
  expect(status).toBe(2);
  expect(stdout).toBe('');
  expect(stderr).toContain('the whole is {');
  expect(stderr).toContain('cluster.nodes is 0: A whole number from 1 to 16,384 is allowed.');
  expect(run('{').status).toBe(2);
});
