import { defineConfig } from '@playwright/test';
import { chromiumArguments, findChromium } from './scripts/chromium.mjs';

const executablePath = findChromium();

/** What a bystander would disturb: waits that are bounded, screens that are looked at, lost GPUs. */
const ALONE = [
  'embedding',
  'page',
  'serve',
  'start',
  'training-faults',
  'training-gpu',
  'training-hidden',
  'training-recovery',
].map((name) => `${name}.spec.ts`);

// WebGPU runs on SwiftShader, so that every machine tests the same. Each test has many workers of
// its own; those of "together" may still run two at a time, for they wait more than they compute.
export default defineConfig({
  testDir: 'e2e',
  projects: [
    { name: 'together', testMatch: '*.spec.ts', testIgnore: ALONE },
    { name: 'alone', testMatch: ALONE },
  ],
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
