import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { META_POLICY } from './headers.mjs';
import { fileOf, serve } from './serve.mjs';

const POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; style-src 'self'; font-src 'self'; frame-src 'self'; img-src 'self' blob: data:; base-uri 'none'; frame-ancestors *";

let folder = '';
/** @type {Awaited<ReturnType<typeof serve>>} */
let server;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ringside-serve-'));
  mkdirSync(join(folder, 'site', 'assets'), { recursive: true });
  writeFileSync(join(folder, 'secret.txt'), 'secret');
  writeFileSync(join(folder, 'site', 'index.html'), '<!doctype html>');
  writeFileSync(
    join(folder, 'site', 'assets', 'replica-BBQztnav.js'),
    'postMessage(1);'.repeat(99),
  );
  writeFileSync(join(folder, 'site', 'x.wasm'), 'wasm');
  server = await serve({ directory: join(folder, 'site') });
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

/**
 * A request whose path is sent as it is; `fetch` would tidy "..".
 *
 * @param {string} path
 * @param {{ headers?: Record<string, string>, method?: string, port?: number }} [options]
 * @returns {Promise<import('node:http').IncomingMessage>}
 */
const get = (path, { headers = {}, method = 'GET', port = server.port } = {}) =>
  new Promise((done, fail) => {
    const sent = request({ host: '127.0.0.1', port, path, headers, method }, (response) => {
      response.resume();
      response.on('end', () => done(response));
    });
    sent.on('error', fail).end();
  });

test('every response has the policy and isolation; documents COOP too', async () => {
  for (const path of ['/', '/assets/replica-BBQztnav.js', '/x.wasm', '/none', '/%']) {
    const { headers } = await get(path);
    expect(headers['content-security-policy'], path).toBe(POLICY);
    expect(headers['cross-origin-embedder-policy'], path).toBe('require-corp');
    expect(headers['cross-origin-resource-policy'], path).toBe('cross-origin');
    expect(headers['x-content-type-options'], path).toBe('nosniff');
  }
  expect((await get('/')).headers['cross-origin-opener-policy']).toBe('same-origin');
  expect((await get('/x.wasm')).headers['cross-origin-opener-policy']).toBeUndefined();
});

test('the meta policy is the header without what a meta element must not say', () => {
  expect(`${META_POLICY}; frame-ancestors *`).toBe(POLICY);
});

test('a plain server asks for no isolation', async () => {
  const plain = await serve({ directory: join(folder, 'site'), isolated: false });
  const { headers } = await get('/', { port: plain.port });
  await plain.close();
  expect(headers['content-security-policy']).toBe(POLICY);
  expect(headers['cross-origin-embedder-policy']).toBeUndefined();
  expect(headers['cross-origin-opener-policy']).toBeUndefined();
});

test('types, and caching: hashed files for ever, others by their tag', async () => {
  const script = await get('/assets/replica-BBQztnav.js');
  expect(script.headers['content-type']).toBe('text/javascript; charset=utf-8');
  expect(script.headers['cache-control']).toBe('public, max-age=31536000, immutable');
  const wasm = await get('/x.wasm');
  expect(wasm.headers['content-type']).toBe('application/wasm');
  expect(wasm.headers['cache-control']).toBe('no-cache');
  const tag = wasm.headers.etag ?? '';
  expect((await get('/x.wasm', { headers: { 'if-none-match': tag } })).statusCode).toBe(304);
});

test('compresses with what the reader accepts', async () => {
  const path = '/assets/replica-BBQztnav.js';
  /** @param {string} accepted */
  const encoding = async (accepted) =>
    (await get(path, { headers: { 'accept-encoding': accepted } })).headers['content-encoding'];
  expect(await encoding('gzip, deflate, br, zstd')).toBe('br');
  expect(await encoding('gzip;q=0.5, br;q=0')).toBe('gzip');
  expect(await encoding('identity')).toBeUndefined();
  expect(await (await fetch(`${server.url}assets/replica-BBQztnav.js`)).text()).toHaveLength(
    15 * 99,
  );
});

test('nothing outside of the folder is given', async () => {
  for (const path of [
    '/../secret.txt',
    '/%2e%2e/secret.txt',
    '/..%2fsecret.txt',
    '/a/../../secret.txt',
    '/..%5csecret.txt',
  ])
    expect((await get(path)).statusCode, path).toBe(400);
  expect(fileOf('/srv/site', '/%00')).toBeNull();
  expect(fileOf('/srv/site', 'http://x/')).toBeNull();
  expect(fileOf('/srv/site', '/a/b.js?v=1#x')).toBe('/srv/site/a/b.js');
  expect(fileOf('/srv/site', '/')).toBe('/srv/site/index.html');
});

test('a folder redirects to itself with a slash, and nowhere else', async () => {
  const { statusCode, headers } = await get('/assets?x=1');
  expect([statusCode, headers.location]).toEqual([301, '/assets/?x=1']);
  expect((await get('//assets')).headers.location).toBe('/assets/');
});

test('only GET and HEAD', async () => {
  expect((await get('/', { method: 'POST' })).statusCode).toBe(405);
  expect((await get('/', { method: 'HEAD' })).statusCode).toBe(200);
});

test('a taken port gives the next free one', async () => {
  const next = await serve({ directory: join(folder, 'site'), port: server.port });
  await next.close();
  expect(next.port).toBeGreaterThan(server.port);
});
