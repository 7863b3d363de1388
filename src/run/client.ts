/** @file The page's end of the conductor: calls go one way, batches of news come the other. */
import { callback, type Remote, remoteService, withTransfer } from './remote.ts';
import type { ConductorService, PageBatch, PageHost } from './service.ts';

export interface RunClient {
  readonly conductor: Remote<ConductorService>;
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
      replica.onerror = (event) => onCrash(event.message);
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
    conductor,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
