/** @file Finds a Chromium on this machine, and the arguments it is started with. */
import { spawn } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const LINUX_NAMES = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'microsoft-edge',
  'microsoft-edge-stable',
];
const MAC_APPLICATIONS = ['Google Chrome', 'Chromium', 'Microsoft Edge'];
const WINDOWS_PROGRAMS = [
  'Google\\Chrome\\Application\\chrome.exe',
  'Chromium\\Application\\chrome.exe',
  'Microsoft\\Edge\\Application\\msedge.exe',
];

/** @param {string} path */
function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** @returns {string[]} where a browser may be, best first */
function candidates() {
  if (process.platform === 'darwin') {
    const folders = ['/Applications', join(process.env.HOME ?? '', 'Applications')];
    return folders.flatMap((folder) =>
      MAC_APPLICATIONS.map((name) => `${folder}/${name}.app/Contents/MacOS/${name}`),
    );
  }
  if (process.platform === 'win32') {
    const roots = ['PROGRAMFILES', 'PROGRAMFILES(X86)', 'LOCALAPPDATA'].map((n) => process.env[n]);
    return roots.flatMap((root) => (root ? WINDOWS_PROGRAMS.map((name) => join(root, name)) : []));
  }
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const usual = ['/usr/bin', '/usr/local/bin', '/snap/bin', '/opt/google/chrome'];
  return LINUX_NAMES.flatMap((name) => [...usual, ...folders].map((folder) => join(folder, name)));
}

/**
 * The path of a Chromium, Chrome or Edge, or null. CHROMIUM_PATH goes first.
 * Throws where CHROMIUM_PATH names no program.
 *
 * @returns {string | null}
 */
export function findChromium() {
  const named = process.env.CHROMIUM_PATH;
  if (named) {
    if (isExecutable(named)) return named;
    throw new Error(`CHROMIUM_PATH is ${named}, which is no program. Correct it or unset it.`);
  }
  return candidates().find(isExecutable) ?? null;
}

/** A GPU that Chromium could use; on Linux a render node says so. */
function hasGpu() {
  if (process.platform !== 'linux') return true;
  return (
    existsSync('/dev/dri') && readdirSync('/dev/dri').some((name) => name.startsWith('render'))
  );
}

/**
 * Arguments for a quiet Chromium. `webgpu` turns WebGPU on; `software` takes SwiftShader for it,
 * which is the default where there is no GPU.
 *
 * @param {{ webgpu?: boolean, software?: boolean }} [options]
 * @returns {string[]}
 */
export function chromiumArguments({ webgpu = true, software = !hasGpu() } = {}) {
  const root = process.getuid?.() === 0;
  return [
    ...(root ? ['--no-sandbox'] : []),
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--no-first-run',
    '--disable-quic',
    ...(webgpu ? ['--enable-unsafe-webgpu', '--enable-features=Vulkan'] : []),
    ...(webgpu && software ? ['--use-webgpu-adapter=swiftshader'] : []),
  ];
}

/** What to do where there is no browser and none can be installed by us. */
export const HOW_TO_GET_CHROMIUM = [
  'No Chromium, Chrome or Edge was found. Install one, for example:',
  '  Debian, Ubuntu   sudo apt-get install chromium',
  '  Fedora           sudo dnf install chromium',
  '  macOS            brew install --cask chromium   (or Google Chrome from its site)',
  '  Windows          winget install Google.Chrome',
  'or set CHROMIUM_PATH to the program of one that is somewhere else.',
].join('\n');

/**
 * Runs a program with its output on our standard error; resolves with its exit status.
 *
 * @param {string} program
 * @param {string[]} parameters
 * @returns {Promise<number>}
 */
function run(program, parameters) {
  return new Promise((done) => {
    const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    const child = spawn(program, parameters, { stdio: ['ignore', 2, 2], env: environment });
    child.on('error', () => done(-1));
    child.on('exit', (code) => done(code ?? -1));
  });
}

/**
 * Installs Debian's chromium where we are root and apt-get is there. Resolves with its path;
 * throws an error that says what to do otherwise.
 *
 * @returns {Promise<string>}
 */
export async function installChromium() {
  const root = process.getuid?.() === 0;
  if (process.platform !== 'linux' || !root || !isExecutable('/usr/bin/apt-get'))
    throw new Error(HOW_TO_GET_CHROMIUM);
  console.error('No browser found; installing chromium with apt-get (about a minute) ...');
  const install = ['install', '-y', '--no-install-recommends', 'chromium'];
  const failed = (await run('apt-get', ['update'])) !== 0 || (await run('apt-get', install)) !== 0;
  const found = findChromium();
  if (found === null) {
    const why = failed ? 'apt-get failed (its messages are above).' : 'apt-get gave no browser.';
    throw new Error(`${why}\n${HOW_TO_GET_CHROMIUM}`);
  }
  return found;
}
