/** @file What the engine's test page and its worker say to each other. */
import type { BackendName } from '#engine/engine';

export interface EngineJob {
  readonly kind: 'suite' | 'precision' | 'loss' | 'probe' | 'one after another';
  readonly backend: BackendName;
}

export interface Outcome {
  readonly name: string;
  /** Empty where the check passed. */
  readonly error: string;
}

declare global {
  interface Window {
    /** Runs a job in a fresh module worker. */
    runEngineJob(job: EngineJob): Promise<Outcome[]>;
  }
}
