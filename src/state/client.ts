/** @file What the page needs of the run: the conductor's calls, and the batches of news. */
import type { ConductorService, PageBatch } from '#run/service';

export type LabConductor = Pick<
  ConductorService,
  'start' | 'pause' | 'resume' | 'step' | 'stop' | 'kill' | 'probe' | 'sampleBatches'
>;

export interface LabClient {
  readonly conductor: LabConductor;
  /** Called at most once a frame with what is new; returns the way to unsubscribe. */
  subscribe(listener: (batch: PageBatch) => void): () => void;
}
