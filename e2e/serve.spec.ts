/** @file How the lab is served: by our server, by any static host, inside a course site's frame. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, type Frame, type Page, test } from '@playwright/test';
// Brings the types of what the page puts on globalThis.
import type {} from '#state/automation';
import { HEADER_POLICY } from '../scripts/headers.mjs';
import { startPlainHost } from './plain-host.ts';
import { siteUrl } from './sites.ts';

const SHELL_LIMIT_BYTES = 150_000;
const EXPERIMENT = { replicas: 2, backend: 'wasm', duration: { unit: 'steps', count: 4 } };

/** Messages of the console that say the policy blocked something, and errors of the page. */
function watchForFaults(page: Page): string[] {
  const faults: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });
  page.on('pageerror', (error) => faults.push(error.message));
  return faults;
}

async function waitForLab(frame: Page | Frame): Promise<void> {
  await expect.poll(() => frame.evaluate(() => globalThis.ringside !== undefined)).toBe(true);
}

/** Runs a short training in the page; the first line says how. */
async function train(frame: Page | Frame): Promise<unknown> {
  await waitForLab(frame);
  return frame.evaluate(async (experiment) => {
    const lines: string[] = [];
    globalThis.ringsideLines = (texts) => lines.push(...texts);
    const outcome = await globalThis.ringside?.run({ experiment, given: null, backend: null });
    const { transport, backend } = JSON.parse(lines[0] ?? '{}');
    return { outcome, transport, backend };
  }, EXPERIMENT);
}

const FINISHED = { kind: 'ended', reason: 'finished', message: '' };

test('every file of dist/ comes with the policy and the isolation headers', async ({ request }) => {
  const files = readdirSync('dist', { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.bin'))
    .map((entry) => join(entry.parentPath, entry.name).split('\\').join('/').replace('dist/', ''));
  expect(files.some((file) => file.endsWith('.wasm'))).toBe(true);
  expect(files.some((file) => file.includes('replica'))).toBe(true);
  for (const file of files) {
    const response = await request.get(`${siteUrl('lab')}${file}`);
    const headers = response.headers();
    expect(headers['content-security-policy'], file).toBe(HEADER_POLICY);
    expect(headers['cross-origin-embedder-policy'], file).toBe('require-corp');
    expect(headers['cross-origin-resource-policy'], file).toBe('cross-origin');
    expect(headers['x-content-type-options'], file).toBe('nosniff');
    if (file.endsWith('.html')) expect(headers['cross-origin-opener-policy']).toBe('same-origin');
  }
});

test('our server: isolated, shared memory, nothing blocked', async ({ page }) => {
  const faults = watchForFaults(page);
  await page.goto(siteUrl('lab'));
  expect(await train(page)).toEqual({ outcome: FINISHED, transport: 'shared', backend: 'wasm' });
  expect(faults).toEqual([]);
});

test('a plain host at a sub-path: ports, the policy from the page itself', async ({ page }) => {
  const host = await startPlainHost('dist', '/course/week-3/lab/');
  const faults = watchForFaults(page);
  await page.goto(`${host.origin}/course/week-3/lab/`);
  expect(await train(page)).toEqual({ outcome: FINISHED, transport: 'ports', backend: 'wasm' });
  expect(faults).toEqual([]);

  const blocked = page.evaluate(
    () =>
      new Promise<string>((resolve) => {
        addEventListener('securitypolicyviolation', (event) => resolve(event.violatedDirective));
        const script = document.createElement('script');
        script.textContent = 'globalThis.inlineRan = true';
        document.head.append(script);
      }),
  );
  expect(await blocked).toBe('script-src-elem');
  expect(await page.evaluate(() => Reflect.has(globalThis, 'inlineRan'))).toBe(false);
  host.close();
});

test('a frame on another site: not isolated, ports', async ({ page }) => {
  const html = `<!doctype html><title>Course</title><iframe src="${siteUrl('lab')}" width="1200" height="800"></iframe>`;
  const host = await startPlainHost('dist', '/none/', { '/course': html }, 'localhost');
  const faults = watchForFaults(page);
  await page.goto(`${host.origin}/course`);
  await expect.poll(() => page.frames().length).toBe(2);
  const frame = page.frames()[1];
  if (frame === undefined) throw new Error('no frame');
  expect(await train(frame)).toEqual({ outcome: FINISHED, transport: 'ports', backend: 'wasm' });
  expect(await frame.evaluate(() => crossOriginIsolated)).toBe(false);
  expect(faults.filter((fault) => !fault.includes('favicon') && !fault.includes('404'))).toEqual(
    [],
  );
  host.close();
});

test('the shell, all script until Train can be pressed, is at most 150 kB gzip', async ({
  page,
}) => {
  const host = await startPlainHost('dist', '/');
  await page.goto(`${host.origin}/`);
  await expect(page.getByRole('button', { name: 'Train', exact: true })).toBeEnabled();
  await waitForLab(page);
  await page.waitForLoadState('networkidle');
  const scripts = [...new Set(host.requested)].filter((file) => file.endsWith('.js'));
  const sources = scripts.map((file) => readFileSync(join('dist', file)));
  const bytes = sources.map((source) => gzipSync(source).length).reduce((a, b) => a + b, 0);
  expect(bytes, scripts.join(', ')).toBeLessThanOrEqual(SHELL_LIMIT_BYTES);
  for (const source of sources) expect(source.includes('tfjs')).toBe(false);
  host.close();
});
