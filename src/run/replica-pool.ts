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
  /** As the ranks are numbered now. */
  readonly rank: number;
  /** Of the worker, whatever its rank. */
  readonly id: number;
  readonly service: Remote<ReplicaService>;
  /** Resolves with the reason if the worker crashes; otherwise stays pending. */
  readonly crashed: Promise<string>;
  /**
   * The answer to a call. Throws ReplicaGoneError where the worker is terminated or crashes first:
   * the call itself would then stay without an answer for ever.
   */
  ask<T>(call: (service: Remote<ReplicaService>) => Promise<T>): Promise<T>;
  terminate(): void;
  /** Whether the worker was terminated or crashed. */
  isGone(): boolean;
}

export class ReplicaGoneError extends Error {
  override readonly name = 'ReplicaGoneError';
}

/** A handler of errors that answers `instead` for a worker that is gone; others go on. */
export function unlessGone<T>(instead: T): (error: unknown) => T {
  return (error) => {
    if (error instanceof ReplicaGoneError) return instead;
    throw error;
  };
}

/** Starts one worker a rank, all at once. */
export async function startReplicas(
  worldSize: number,
  spawn: () => Promise<ReplicaWorker>,
): Promise<ReplicaHandle[]> {
  const started = await Promise.all(Array.from({ length: worldSize }, spawn));
  return started.map((worker, rank) => handleOf(worker, rank));
}

let workers = 0;

function handleOf(worker: ReplicaWorker, rank: number): ReplicaHandle {
  const service = remoteService<ReplicaService>(worker.port);
  let isGone = false;
  let end: (error: ReplicaGoneError) => void = () => undefined;
  const gone = new Promise<never>((_, reject) => {
    end = (error) => {
      isGone = true;
      reject(error);
    };
  });
  // It may end while nothing is asked.
  gone.catch(() => undefined);
  const crashed = new Promise<string>((resolve) => worker.onCrash(resolve));
  void crashed.then((reason) => end(new ReplicaGoneError(`the worker of rank ${rank}: ${reason}`)));
  return {
    rank,
    id: workers++,
    service,
    crashed,
    ask: (call) => Promise.race([call(service), gone]),
    terminate() {
      worker.terminate();
      end(new ReplicaGoneError(`the worker of rank ${rank} was ended`));
    },
    isGone: () => isGone,
  };
}

/** The data plane of one epoch: a link set-up a rank, and the way to end what is under way. */
export interface Links {
  readonly setups: readonly LinkSetup[];
  /** Wakes ranks that wait in shared memory; ports are aborted by the ranks themselves. */
  abort(): void;
}

/** `mailboxes`: single vectors go to rank 0 and back, as an asynchronous server needs. */
export function createLinks(
  transport: 'shared' | 'ports',
  worldSize: number,
  vectorLength: number,
  mailboxes: boolean,
): Links {
  if (transport === 'shared') {
    const arena = createArena(worldSize, vectorLength, mailboxes);
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
