import { ensureBuilt } from '../scripts/build.mjs';
import { findChromium, HOW_TO_GET_CHROMIUM } from '../scripts/chromium.mjs';
import { serve } from '../scripts/serve.mjs';

/**
 * Builds what is stale and serves it four ways; `e2e/sites.ts` gives the addresses to the tests.
 * RINGSIDE_ONLY=lab or =harness builds and serves only that.
 */
export default async function globalSetup(): Promise<() => Promise<void>> {
  if (findChromium() === null) throw new Error(HOW_TO_GET_CHROMIUM);
  const only = process.env.RINGSIDE_ONLY;
  const servers: Awaited<ReturnType<typeof serve>>[] = [];
  for (const [name, directory] of [
    ['lab', 'dist'],
    ['harness', '.harness'],
  ] as const) {
    if (only !== undefined && only !== name) continue;
    await ensureBuilt(name);
    for (const isolated of [true, false]) {
      // Another host name beside another port: another site, as on a course's pages.
      const host = isolated ? '127.0.0.1' : 'localhost';
      const server = await serve({ directory, host, isolated });
      servers.push(server);
      process.env[`RINGSIDE_${name}_${isolated ? 'isolated' : 'plain'}`.toUpperCase()] = server.url;
    }
  }
  return async () => {
    await Promise.all(servers.map((server) => server.close()));
  };
}
