import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { pagePolicy } from './scripts/vite-policy.mjs';

/** Workers are bundled inside a plugin call, which would be reported as slow. */
const quiet = { checks: { pluginTimings: false } };

// Relative base: dist/ runs at any sub-path. Nothing is inlined, so that the policy needs no
// 'unsafe-inline' and no data: for scripts and fonts.
export default defineConfig({
  base: './',
  plugins: [react(), pagePolicy()],
  worker: { format: 'es', rolldownOptions: quiet },
  // The workers' packages are found at once, not when the first run asks for them, or the page
  // would reload in the middle of it.
  optimizeDeps: { entries: ['index.html', 'workers/*.ts'] },
  build: {
    outDir: 'dist',
    target: 'es2023',
    manifest: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 4000,
    rolldownOptions: quiet,
  },
});
