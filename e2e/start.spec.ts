/** @file npm start: a taken port, a quick second start, Ctrl-C, and all of it from a fresh clone. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { startNode } from './command.ts';

const ADDRESS = /Ringside is at (http:\S+)/;

test('a taken port gives the next free one and says so; Ctrl-C ends with 0', async () => {
  test.skip(process.platform === 'win32', 'Windows has no SIGINT to send');
  const other = createServer();
  await new Promise<void>((resolve) => {
    other.listen(0, '127.0.0.1', resolve);
  });
  const { port } = other.address() as AddressInfo;
  const command = startNode(['scripts/start.mjs', '--no-open', '--port', String(port)]);
  await expect.poll(command.stdout, { timeout: 60_000 }).toMatch(ADDRESS);
  expect(command.stdout()).toMatch(new RegExp(`Port ${port} is taken; using \\d+\\.`));
  const address = ADDRESS.exec(command.stdout())?.[1] ?? '';
  expect((await fetch(address)).status).toBe(200);
  command.child.kill('SIGINT');
  expect((await command.finished).status).toBe(0);
  other.close();
});

test('a start with nothing to do is ready within seconds', async () => {
  const began = performance.now();
  const command = startNode(['scripts/start.mjs', '--no-open', '--port', '0']);
  await expect.poll(command.stdout, { intervals: [50], timeout: 60_000 }).toMatch(ADDRESS);
  expect(performance.now() - began).toBeLessThan(10_000);
  command.child.kill('SIGINT');
  await command.finished;
});

test('bad options are named', async () => {
  const { status, stderr } = await startNode(['scripts/start.mjs', '--port', 'x']).finished;
  expect([status, stderr]).toEqual([1, expect.stringContaining('--port x')]);
});

test('a fresh clone: npm start installs, packs, builds and serves', async () => {
  test.skip(process.env.RINGSIDE_FULL === undefined, 'installs every package: RINGSIDE_FULL=1');
  test.setTimeout(600_000);
  const folder = mkdtempSync(join(tmpdir(), 'ringside-clone-'));
  const files = execFileSync('git', ['ls-files', '-z'], { encoding: 'utf8' }).split('\0');
  for (const file of files.filter((name) => name !== '')) cpSync(file, join(folder, file));
  const command = startNode(['scripts/start.mjs', '--no-open', '--port', '0'], { cwd: folder });
  await expect.poll(command.stdout, { timeout: 500_000 }).toMatch(ADDRESS);
  const address = ADDRESS.exec(command.stdout())?.[1] ?? '';
  expect(await (await fetch(address)).text()).toContain('<title>Ringside</title>');
  expect((await fetch(`${address}data/manifest.json`)).status).toBe(200);
  command.child.kill('SIGINT');
  await command.finished;
  rmSync(folder, { recursive: true, force: true });
});
