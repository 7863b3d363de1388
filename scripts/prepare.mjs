/** @file What has to be there before the lab can run: packages, packed data, a current build. */
import { ensureInstalled } from './install.mjs';

/**
 * Installs, packs and builds what is missing or out of date, with progress on standard error.
 * Quick where nothing is.
 *
 * @param {{ build: boolean }} options
 */
export async function prepare({ build }) {
  await ensureInstalled();
  // Loaded late: it reads from packages that may have been missing until now.
  const { prepareData } = await import('./prepare-data.mjs');
  prepareData({ log: (/** @type {string} */ line) => console.error(`data: ${line}`) });
  if (!build) return;
  const { ensureBuilt } = await import('./build.mjs');
  await ensureBuilt('lab');
}
