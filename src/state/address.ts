/** @file The experiment in the page's address: read at the start, followed, kept up to date. */
import type { ParseResult } from '#experiment/experiment';
import { decodeExperiment, encodeExperiment } from '#experiment/url';
import type { LabStore } from './lab-store.ts';
import { throttle } from './throttle.ts';

/** The part of `window` that is used. */
export interface AddressBar {
  readonly location: { readonly hash: string };
  readonly history: { replaceState(data: null, unused: string, url: string): void };
  addEventListener(type: 'hashchange', listener: () => void): void;
}

/** Browsers limit how often an address may change; a slider moves faster. Wall ms. */
const WRITE_INTERVAL_MS = 400;

/** What the address says; null where it says nothing. */
export function experimentInAddress(bar: AddressBar): ParseResult | null {
  const text = bar.location.hash.slice(1);
  return text === '' ? null : decodeExperiment(text);
}

/** Writes every good experiment into the address, and loads what a learner puts there. */
export function followAddress(store: LabStore, bar: AddressBar): void {
  const write = throttle(() => {
    const fragment = `#${encodeExperiment(store.getState().experiment)}`;
    if (fragment !== bar.location.hash) bar.history.replaceState(null, '', fragment);
  }, WRITE_INTERVAL_MS);
  store.subscribe((state, before) => {
    if (state.experiment !== before.experiment) write();
  });
  bar.addEventListener('hashchange', () => {
    const result = experimentInAddress(bar);
    if (result) store.actions.load(result);
  });
}
