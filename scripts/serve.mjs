/**
 * @file The lab's static file server: Node's own modules only. Sends the security headers with
 * every response, compresses, and caches hashed files for ever.
 *
 * Command line: node scripts/serve.mjs [DIRECTORY] [--port N] [--host H] [--plain]
 */
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { securityHeaders } from './headers.mjs';

/** @type {Record<string, string>} */
const MIME_TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.ico': 'image/x-icon',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
  '.bin': 'application/octet-stream',
};
const COMPRESSIBLE = new Set(['.html', '.js', '.mjs', '.css', '.json', '.md', '.svg', '.wasm']);
/** What the bundler names: stem, eight characters of hash, extension. */
const HASHED_NAME = /\/assets\/.*-[\w-]{8}\.\w+$/;
const COMPRESSED_CACHE_LIMIT = 64 * 1024 * 1024;
const PORTS_TRIED = 100;
const HOST = '127.0.0.1';

const gzipAsync = promisify(gzip);
const brotliAsync = promisify(brotliCompress);

/**
 * The file a request path names inside `directory`, or null where it leads outside or is no path.
 *
 * @param {string} directory absolute
 * @param {string} url as it stands in the request line
 * @returns {string | null}
 */
export function fileOf(directory, url) {
  let path;
  try {
    path = decodeURIComponent(url.split(/[?#]/, 1)[0] ?? '');
  } catch {
    return null;
  }
  if (!path.startsWith('/') || path.includes('\0') || path.includes('\\')) return null;
  if (path.split('/').some((part) => part === '..' || part === '.')) return null;
  const file = resolve(directory, `.${path}`, path.endsWith('/') ? 'index.html' : '');
  return file === directory || file.startsWith(directory + sep) ? file : null;
}

/**
 * The encoding to answer with: brotli, else gzip, else none.
 *
 * @param {string | undefined} accepted the Accept-Encoding header
 */
function encodingFor(accepted) {
  const names = (accepted ?? '').split(',').map((part) => part.trim());
  for (const name of /** @type {const} */ (['br', 'gzip'])) {
    if (
      names.some(
        (part) => part === name || (part.startsWith(`${name};`) && !/q=0(\.0*)?$/.test(part)),
      )
    )
      return name;
  }
  return null;
}

/**
 * Compresses files once and keeps the results, up to a limit of bytes.
 *
 * @returns {(file: string, tag: string, encoding: 'br' | 'gzip') => Promise<Buffer>}
 */
function compressor() {
  /** @type {Map<string, Promise<Buffer>>} */
  const cache = new Map();
  let bytes = 0;
  return (file, tag, encoding) => {
    const key = `${encoding} ${tag} ${file}`;
    const known = cache.get(key);
    if (known) return known;
    const made = readFile(file).then((content) =>
      encoding === 'br'
        ? brotliAsync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } })
        : gzipAsync(content),
    );
    cache.set(key, made);
    made.then(
      (result) => {
        bytes += result.length;
        if (bytes <= COMPRESSED_CACHE_LIMIT) return;
        cache.clear();
        bytes = 0;
      },
      () => cache.delete(key),
    );
    return made;
  };
}

/**
 * @param {string} directory
 * @param {boolean} isolated
 * @returns {import('node:http').RequestListener}
 */
function handler(directory, isolated) {
  const compressed = compressor();

  /**
   * @param {import('node:http').ServerResponse} response
   * @param {number} status
   * @param {string} text
   * @param {Record<string, string>} [more]
   */
  const refuse = (response, status, text, more = {}) => {
    const headers = securityHeaders({ isolated, document: true });
    const type = 'text/plain; charset=utf-8';
    response.writeHead(status, { ...headers, 'Content-Type': type, ...more }).end(`${text}\n`);
  };

  /**
   * @param {import('node:http').IncomingMessage} request
   * @param {import('node:http').ServerResponse} response
   */
  const answer = async (request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return refuse(response, 405, 'Only GET and HEAD are answered here.', { Allow: 'GET, HEAD' });
    const url = request.url ?? '/';
    const file = fileOf(directory, url);
    if (file === null) return refuse(response, 400, 'This path is not one of the site.');
    const facts = await stat(file).catch(() => null);
    if (facts?.isDirectory()) {
      const [path = '/', query] = url.split('?', 2);
      const target = `${path}/${query === undefined ? '' : `?${query}`}`;
      return refuse(response, 301, 'Moved.', { Location: target.replace(/^\/+/, '/') });
    }
    if (!facts?.isFile()) return refuse(response, 404, `Not found: ${url}`);

    const extension = extname(file);
    const type = MIME_TYPES[extension] ?? 'application/octet-stream';
    const encoding = COMPRESSIBLE.has(extension)
      ? encodingFor(request.headers['accept-encoding']?.toString())
      : null;
    const tag = `"${facts.size.toString(36)}-${Math.round(facts.mtimeMs).toString(36)}${encoding ?? ''}"`;
    const hashed = HASHED_NAME.test(file.split(sep).join('/'));
    const headers = {
      ...securityHeaders({ isolated, document: extension === '.html' }),
      'Content-Type': type,
      'Cache-Control': hashed ? 'public, max-age=31536000, immutable' : 'no-cache',
      ETag: tag,
      ...(COMPRESSIBLE.has(extension) ? { Vary: 'Accept-Encoding' } : {}),
    };
    if (request.headers['if-none-match'] === tag) return response.writeHead(304, headers).end();
    if (encoding === null) {
      response.writeHead(200, { ...headers, 'Content-Length': facts.size });
      if (request.method === 'HEAD') return response.end();
      const stream = createReadStream(file);
      stream.on('error', () => response.destroy());
      return stream.pipe(response);
    }
    const body = await compressed(file, tag, encoding);
    response.writeHead(200, {
      ...headers,
      'Content-Encoding': encoding,
      'Content-Length': body.length,
    });
    response.end(request.method === 'HEAD' ? undefined : body);
  };

  return (request, response) => {
    answer(request, response).catch((/** @type {unknown} */ error) => {
      if (response.headersSent) return response.destroy();
      refuse(response, 500, `The server could not read this file: ${error}`);
    });
  };
}

/**
 * Listens on `port`, or on the next free one. Port 0 lets the system choose.
 *
 * @param {import('node:http').Server} server
 * @param {number} port
 * @param {string} host
 * @returns {Promise<number>} the port taken
 */
async function listen(server, port, host) {
  for (let tried = port; ; tried++) {
    try {
      await new Promise((done, fail) => {
        server.once('error', fail);
        server.listen(tried, host, () => {
          server.off('error', fail);
          done(undefined);
        });
      });
      const address = server.address();
      return typeof address === 'object' && address !== null ? address.port : tried;
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : null;
      const busy = code === 'EADDRINUSE' || code === 'EACCES';
      if (!busy || port === 0 || tried >= Math.min(65535, port + PORTS_TRIED)) throw error;
    }
  }
}

/**
 * Serves `directory`. A taken port gives the next free one; `port` in the result says which.
 *
 * @param {{ directory: string, port?: number, host?: string, isolated?: boolean }} options
 *   `isolated: false` leaves COOP and COEP out, as on a plain host or inside a course site's frame.
 * @returns {Promise<{ url: string, port: number, close: () => Promise<void> }>} `url` ends in "/"
 */
export async function serve({ directory, port = 0, host = HOST, isolated = true }) {
  const server = createServer(handler(resolve(directory), isolated));
  const taken = await listen(server, port, host);
  const close = () =>
    /** @type {Promise<void>} */ (
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      })
    );
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return { url: `http://${name}:${taken}/`, port: taken, close };
}

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      port: { type: 'string', default: '8080' },
      host: { type: 'string', default: HOST },
      plain: { type: 'boolean', default: false },
    },
  });
  const wanted = Number(values.port);
  const directory = positionals[0] ?? 'dist';
  const server = await serve({
    directory,
    port: wanted,
    host: values.host,
    isolated: !values.plain,
  });
  if (wanted !== 0 && server.port !== wanted)
    console.error(`Port ${wanted} is taken; using ${server.port}.`);
  console.log(`${directory} is served at ${server.url}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
