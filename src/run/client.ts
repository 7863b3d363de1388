/** @file The page's end of the conductor: calls go one way, batches of news come the other. */
import type { Probe } from '#protocol/replica';
import { callback, remoteService, withTransfer } from './remote.ts';
import type { ConductorService, PageBatch, PageHost } from './service.ts';
import { loadFailed, reasonOf } from './worker-errors.ts';

export interface RunClient {
  /** Its calls throw where the conductor could not even be loaded. */
  readonly conductor: Omit<ConductorService, 'connect'>;
  /** Called at most once a frame with what is new; returns the way to unsubscribe. */
  subscribe(listener: (batch: PageBatch) => void): () => void;
}

export interface ClientOptions {
  /** Makes a replica worker on the conductor's behalf, where workers cannot start workers. */
  readonly spawnReplica: () => Worker;
  /** False makes the page start the replicas even where the conductor could. */
  readonly nestedWorkers: boolean;
}

/** Connects the page to a conductor worker that has just been started. */
export function connectConductor(worker: Worker, options: ClientOptions): RunClient {
  const conductor = remoteService<ConductorService>(worker);
  const missing = new Promise<never>((_, reject) => {
    worker.onerror = (event) => {
      if (loadFailed(event)) reject(new Error(`the conductor: ${reasonOf(event)}`));
    };
  });
  // It may be missing before anything is asked of it.
  missing.catch(() => undefined);
  /** The answer to a call; a worker that never ran would leave it open for ever. */
  const answered = <T>(answer: Promise<T>): Promise<T> => Promise.race([answer, missing]);
  const listeners = new Set<(batch: PageBatch) => void>();
  const spawned = new Map<number, Worker>();
  let nextId = 0;

  const host: PageHost = {
    receive: (batch) => {
      for (const listener of listeners) listener(batch);
      return Promise.resolve();
    },
    spawnReplica: (onCrash) => {
      const id = nextId++;
      const channel = new MessageChannel();
      const replica = options.spawnReplica();
      replica.onerror = (event) => onCrash(reasonOf(event));
      spawned.set(id, replica);
      replica.postMessage('connect', [channel.port1]);
      return Promise.resolve(withTransfer({ id, port: channel.port2 }, [channel.port2]));
    },
    terminateReplica: (id) => {
      spawned.get(id)?.terminate();
      spawned.delete(id);
      return Promise.resolve();
    },
  };
  void conductor.connect(callback(host), options.nestedWorkers);

  return {
    conductor: {
      start: (experiment, options) => answered(conductor.start(experiment, options)),
      pause: () => answered(conductor.pause()),
      resume: () => answered(conductor.resume()),
      step: () => answered(conductor.step()),
      stop: () => answered(conductor.stop()),
      kill: (rank) => answered(conductor.kill(rank)),
      probe: () => answered<Probe | null>(conductor.probe()),
      sampleBatches: () => answered(conductor.sampleBatches()),
      weights: () => answered(conductor.weights()),
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
