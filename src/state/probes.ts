/** @file Asks the replicas what the learner should see of them, only as often as is worth it. */
import type { LabStore } from './lab-store.ts';

/** Wall milliseconds between two rounds; a round is one call of each kind. */
const INTERVAL_MS = 500;
/** Wall milliseconds that an answer waits for a beat; without news there is none. */
const BEAT_PATIENCE_MS = 300;

export interface ProbeOptions {
  /** False while nobody can see the answer (a hidden tab). */
  readonly visible: () => boolean;
}

/** Polls while a run goes on, and once more after it paused or ended. Returns the way to stop. */
export function pollProbes(store: LabStore, options: ProbeOptions): () => void {
  const { conductor } = store.client;
  let asking = false;
  /** Completed steps and status at the last answer: nothing new, nothing asked. */
  let answered = '';

  async function ask(): Promise<void> {
    const { run } = store.getState();
    if (run.info === null || run.status === 'preparing') {
      answered = '';
      return;
    }
    const moment = `${run.status} ${store.series.live().completed}`;
    if (moment === answered) return;
    const [probe, batches] = await Promise.all([conductor.probe(), conductor.sampleBatches()]);
    await nextBeat(store);
    // A reset while the answer was under way leaves nothing to show it beside.
    if (store.getState().run.info !== run.info) return;
    answered = moment;
    store.actions.showProbe(probe);
    store.actions.showBatches(batches);
  }

  const timer = setInterval(() => {
    if (asking || !options.visible()) return;
    asking = true;
    ask()
      // A replica that ends while it is asked answers with an error; the run itself reports it.
      .catch(() => undefined)
      .finally(() => {
        asking = false;
      });
  }, INTERVAL_MS);
  return () => clearInterval(timer);
}

/** Resolves on the next beat, so that answers are drawn in a frame that is drawn anyway. */
function nextBeat({ beat }: LabStore): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      unsubscribe();
      resolve();
    };
    const timer = setTimeout(end, BEAT_PATIENCE_MS);
    const unsubscribe = beat.subscribe(end);
  });
}
