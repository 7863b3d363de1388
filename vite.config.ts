import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { pagePolicy } from './scripts/vite-policy.mjs';

// Relative base: dist/ runs at any sub-path. Nothing is inlined, so that the policy needs no
// 'unsafe-inline' and no data: for scripts and fonts.
export default defineConfig({
  base: './',
  plugins: [react(), pagePolicy()],
  worker: { format: 'es' },
  build: {
    outDir: 'dist',
    target: 'es2023',
    manifest: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 4000,
  },
});
