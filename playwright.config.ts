import { defineConfig } from '@playwright/test';
import { chromiumArguments, findChromium } from './scripts/chromium.mjs';

const executablePath = findChromium();

// WebGPU runs on SwiftShader, so that every machine tests the same. Two cores, many workers each:
// one test at a time keeps timings meaningful.
export default defineConfig({
  testDir: 'e2e',
  testMatch: '*.spec.ts',
  globalSetup: './e2e/global-setup.ts',
  fullyParallel: false,
  workers: 1,
  timeout: 120_000,
  reporter: 'list',
  outputDir: 'test-results',
  use: {
    viewport: { width: 1440, height: 900 },
    bypassCSP: false,
    launchOptions: {
      args: chromiumArguments({ webgpu: true, software: true }),
      ...(executablePath === null ? {} : { executablePath }),
    },
  },
});
