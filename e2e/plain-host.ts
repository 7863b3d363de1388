/** @file A web host that knows nothing of Ringside: files under a sub-path, no headers of ours. */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
  '.woff2': 'font/woff2',
};

export interface PlainHost {
  readonly origin: string;
  /** Files asked for so far, relative to the served folder. */
  readonly requested: readonly string[];
  close(): void;
}

/**
 * Serves `directory` below `prefix` ("/course/lab/"). `pages` are further documents by path,
 * sent with `pageHeaders`. Any "127.0.0.x" is this machine, so two hosts are two sites.
 */
export async function startPlainHost(
  directory: string,
  prefix: string,
  pages: Readonly<Record<string, string>> = {},
  host = '127.0.0.1',
  pageHeaders: Readonly<Record<string, string>> = {},
): Promise<PlainHost> {
  const requested: string[] = [];
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://host');
    const page = pages[pathname];
    if (page !== undefined) {
      response.writeHead(200, { 'Content-Type': 'text/html', ...pageHeaders }).end(page);
      return;
    }
    const name = pathname.endsWith('/') ? `${pathname}index.html` : pathname;
    const file = name.startsWith(prefix) ? name.slice(prefix.length) : null;
    if (file === null || file.includes('..')) {
      response.writeHead(404).end();
      return;
    }
    requested.push(file);
    readFile(join(directory, file)).then(
      (content) => {
        const type = TYPES[extname(file)] ?? 'application/octet-stream';
        response.writeHead(200, { 'Content-Type': type }).end(content);
      },
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => {
    server.listen(0, host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://${host}:${port}`,
    requested,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
