/** @file Wires the page: conductor worker, client, store, the interface for programs, React. */

import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { pointsDataset } from '#data/points';
import { isMessageKey, loadLocale, translate } from '#i18n/translate';
import { connectConductor } from '#run/client';
import { experimentInAddress, followAddress } from '#state/address';
import { createAutomation } from '#state/automation';
import { createLabStore } from '#state/lab-store';
import { App } from './ui/app.tsx';
import type { Lab, PointCloud, PointsChoice } from './ui/lab-context.ts';
import { createSettings, type Keeper } from './ui/settings.ts';

const dataUrl = new URL('data/', document.baseURI).href;
const now = (): number => performance.now();

function spawnConductor(): Worker {
  return new Worker(new URL('../workers/conductor.ts', import.meta.url), { type: 'module' });
}

function spawnReplica(): Worker {
  return new Worker(new URL('../workers/replica.ts', import.meta.url), { type: 'module' });
}

/** Reading `localStorage` throws where a frame is not allowed to keep anything. */
function browserStorage(): Keeper | null {
  try {
    return localStorage;
  } catch {
    return null;
  }
}

const clouds = new Map<string, PointCloud>();

function pointCloud(choice: PointsChoice, seed: number): PointCloud {
  const key = JSON.stringify([choice, seed]);
  const known = clouds.get(key);
  if (known) return known;
  const { train } = pointsDataset(choice, seed);
  const empty: PointCloud = { x: new Float32Array(0), y: new Uint8Array(0) };
  const cloud =
    train.kind === 'labelled' && train.x instanceof Float32Array
      ? { x: train.x, y: train.y }
      : empty;
  clouds.set(key, cloud);
  return cloud;
}

const client = connectConductor(spawnConductor(), { spawnReplica, nestedWorkers: true });
const store = createLabStore({ client, dataUrl, now, initial: experimentInAddress(window) });
followAddress(store, window);
globalThis.ringside = createAutomation({
  client,
  dataUrl,
  now,
  say: (message, parameters) =>
    isMessageKey(message) ? translate('en', message, parameters) : message,
});

const lab: Lab = {
  store,
  settings: createSettings(browserStorage(), navigator.languages),
  pointCloud,
};
const root = document.getElementById('root');
if (!root) throw new Error('index.html has no element with the id "root"');
// Where the table cannot be had the page speaks English rather than not at all.
await loadLocale(lab.settings.getState().locale).catch(() => undefined);
createRoot(root).render(
  <StrictMode>
    <App lab={lab} />
  </StrictMode>,
);
