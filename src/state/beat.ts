/**
 * @file One beat for everything that shows live figures: whoever renders or draws does so in the
 * same frame, so that the browser styles, lays out and paints once for all of them.
 */

export interface Beat {
  /** Called on every beat; returns the way to unsubscribe. */
  subscribe(listener: () => void): () => void;
}

/** After news: a beat for them, and a closing one, so that who draws on every second misses none. */
const BEATS_OWED = 2;

/** Beats at once when `source` has news after a silence, and then at most once in `intervalMs`. */
export function createBeat(source: (listener: () => void) => unknown, intervalMs: number): Beat {
  const listeners = new Set<() => void>();
  let owed = 0;
  let waiting = false;

  const beat = (): void => {
    waiting = owed > 0;
    if (!waiting) return;
    owed--;
    setTimeout(beat, intervalMs);
    for (const listener of [...listeners]) listener();
  };
  source(() => {
    owed = BEATS_OWED;
    if (!waiting) beat();
  });
  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
