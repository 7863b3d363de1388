/** @file The conductor worker: the page talks to it, and it starts the replicas. */
import { createConductor } from '#run/conductor';
import { exposeService, type RemotePort } from '#run/remote';
import type { ReplicaWorker } from '#run/replica-pool';
import { reasonOf } from '#run/worker-errors';

function spawnReplica(): ReplicaWorker {
  const worker = new Worker(new URL('./replica.ts', import.meta.url), { type: 'module' });
  const channel = new MessageChannel();
  worker.postMessage('connect', [channel.port1]);
  return {
    port: channel.port2,
    terminate: () => worker.terminate(),
    onCrash: (listener) => {
      worker.onerror = (event) => listener(reasonOf(event));
    },
  };
}

const conductor = createConductor({
  spawnNested: typeof Worker === 'function' ? spawnReplica : null,
  isolated: crossOriginIsolated,
  now: () => performance.now(),
});

exposeService(conductor, self as RemotePort);
