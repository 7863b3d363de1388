/**
 * @file One beat for everything that shows live figures: whoever renders or draws does so in the
 * same frame, so that the browser styles, lays out and paints once for all of them.
 */
import { throttle } from './throttle.ts';

export interface Beat {
  /** Called on every beat; returns the way to unsubscribe. */
  subscribe(listener: () => void): () => void;
}

/** Beats when `source` has news, at most once in `intervalMs`; the last news are never lost. */
export function createBeat(source: (listener: () => void) => unknown, intervalMs: number): Beat {
  const listeners = new Set<() => void>();
  source(
    throttle(() => {
      for (const listener of listeners) listener();
    }, intervalMs),
  );
  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
