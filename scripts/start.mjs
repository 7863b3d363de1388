/**
 * @file npm start: from a fresh clone to a running lab. Installs, packs the data and builds where
 * needed, then serves. Only Node's own modules are loaded before the packages are there.
 */
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const HELP = `npm start -- [options]

  --port N     port to serve at (8080); a taken one gives the next free one
  --host H     address to listen at (127.0.0.1); 0.0.0.0 for the whole network
  --plain      without cross-origin isolation, as on a plain web host
  --no-open    do not open the browser
  --help       this text

npm run dev starts the development server (port 5173) with the same headers.`;

process.chdir(resolve(fileURLToPath(import.meta.url), '..', '..'));

/** @returns {{ dev: boolean, port: number, host: string, plain: boolean, open: boolean } | null} */
function readOptions() {
  const { values } = parseArgs({
    options: {
      dev: { type: 'boolean', default: false },
      port: { type: 'string' },
      host: { type: 'string', default: '127.0.0.1' },
      plain: { type: 'boolean', default: false },
      'no-open': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return null;
  const port = Number(values.port ?? (values.dev ? 5173 : 8080));
  if (!Number.isInteger(port) || port < 0 || port > 65535)
    throw new Error(`--port ${values.port}: a whole number from 0 to 65535 is needed.`);
  const open = !values['no-open'] && process.stdout.isTTY && process.env.CI === undefined;
  return { dev: values.dev, port, host: values.host, plain: values.plain, open };
}

/** @param {string} url */
function openBrowser(url) {
  /** @type {Record<string, string[]>} */
  const openers = { darwin: ['open'], win32: ['cmd', '/c', 'start', ''] };
  const [program = '', ...parameters] = openers[process.platform] ?? ['xdg-open'];
  const child = spawn(program, [...parameters, url], { stdio: 'ignore', detached: true });
  // No desktop here: the address is printed anyway.
  child.on('error', () => {});
  child.unref();
}

/** Ends the process on Ctrl-C or a polite kill. @param {() => Promise<void>} close */
function closeOnSignal(close) {
  let closing = false;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      if (closing) return;
      closing = true;
      console.error('\nStopped.');
      close().finally(() => process.exit(0));
    });
  }
}

/** @param {{ port: number, host: string }} options */
async function serveForDevelopment({ port, host }) {
  const { createServer } = await import('vite');
  const server = await createServer({ server: { port, host } });
  await server.listen();
  return { url: server.resolvedUrls?.local[0] ?? '', port, close: () => server.close() };
}

async function main() {
  const options = readOptions();
  if (options === null) return console.log(HELP);
  const { prepare } = await import('./prepare.mjs');
  await prepare({ build: !options.dev });
  const { serve } = await import('./serve.mjs');
  const { port, host, plain } = options;
  const server = options.dev
    ? await serveForDevelopment(options)
    : await serve({ directory: 'dist', port, host, isolated: !plain });
  if (port !== 0 && server.port !== port)
    console.log(`Port ${port} is taken; using ${server.port}.`);
  console.log(`\nRingside is at ${server.url}   (Ctrl-C stops it)\n`);
  closeOnSignal(server.close);
  if (options.open) openBrowser(server.url);
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
