import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Pages that only tests and benchmarks open: every HTML file in these folders. */
const FOLDERS = ['e2e/harness', 'bench'];

/** Workers are bundled inside a plugin call, which would be reported as slow. */
const quiet = { checks: { pluginTimings: false } };

const pages = FOLDERS.filter((folder) => existsSync(folder)).flatMap((folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.html'))
    .map((name) => join(folder, name)),
);

export default defineConfig({
  base: './',
  publicDir: false,
  plugins: [react()],
  worker: { format: 'es', rolldownOptions: quiet },
  build: {
    outDir: '.harness',
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 4000,
    rolldownOptions: { input: pages, ...quiet },
  },
});
