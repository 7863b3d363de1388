/** @file The replica workers of one run: started, linked to each other, ended. */
import type { LinkSetup, ReplicaService, TelemetryBatch } from '#protocol/replica';
import { abortArena, createArena } from '#transport/arena';
import { connectPorts } from '#transport/ports';
import { type Remote, remoteService } from './remote.ts';

/** A worker that exposes a ReplicaService on a port of its own. */
export interface ReplicaWorker {
  readonly port: MessagePort;
  terminate(): void;
  /** Called when the worker dies of an error that nobody caught. */
  onCrash(listener: (reason: string) => void): void;
}

export interface ReplicaHandle {
  readonly rank: number;
  readonly service: Remote<ReplicaService>;
  readonly worker: ReplicaWorker;
  /** Resolves with the reason if the worker crashes; otherwise stays pending. */
  readonly crashed: Promise<string>;
}

/** Starts one worker a rank, all at once. */
export async function startReplicas(
  worldSize: number,
  spawn: () => Promise<ReplicaWorker>,
): Promise<ReplicaHandle[]> {
  const workers = await Promise.all(Array.from({ length: worldSize }, spawn));
  return workers.map((worker, rank) => ({
    rank,
    worker,
    service: remoteService<ReplicaService>(worker.port),
    crashed: new Promise((resolve) => worker.onCrash(resolve)),
  }));
}

/** The data plane of one epoch: a link set-up a rank, and the way to end what is under way. */
export interface Links {
  readonly setups: readonly LinkSetup[];
  /** Wakes ranks that wait in shared memory; ports are aborted by the ranks themselves. */
  abort(): void;
}

export function createLinks(
  transport: 'shared' | 'ports',
  worldSize: number,
  vectorLength: number,
): Links {
  if (transport === 'shared') {
    const arena = createArena(worldSize, vectorLength);
    const setups = Array.from({ length: worldSize }, () => ({ transport, arena }) as const);
    return { setups, abort: () => abortArena(arena) };
  }
  const setups = connectPorts(worldSize).map((ports) => ({ transport, ports }) as const);
  return { setups, abort: () => undefined };
}

/** The transferable parts of a link set-up. */
export function linkTransfers(link: LinkSetup): MessagePort[] {
  return link.transport === 'ports' ? link.ports.filter((port) => port !== null) : [];
}

/** Listens to one rank's telemetry; returns the port to hand to it. */
export function listenToTelemetry(receive: (batch: TelemetryBatch) => void): MessagePort {
  const channel = new MessageChannel();
  channel.port1.onmessage = (message: MessageEvent<TelemetryBatch>) => receive(message.data);
  return channel.port2;
}
