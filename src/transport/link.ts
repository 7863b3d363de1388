/** @file One rank's end of a link to one peer: an ordered stream of packets over a MessagePort. */
import { CollectiveAbortedError } from './endpoint.ts';

/** One chunk on its way. The buffer may be longer than the chunk. */
export interface Packet {
  readonly collective: number;
  readonly step: number;
  readonly chunk: number;
  readonly buffer: ArrayBuffer;
}

/** What crosses the port. */
type Wire =
  | ({ readonly type: 'chunk'; readonly epoch: number } & Packet)
  | { readonly type: 'abort'; readonly epoch: number };

interface Waiter {
  readonly resolve: (packet: Packet) => void;
  readonly reject: (error: Error) => void;
}

export class Link {
  readonly #port: MessagePort;
  readonly #peer: number;
  readonly #epoch: number;
  readonly #arrived: Packet[] = [];
  #waiter: Waiter | null = null;
  #fault: Error | null = null;

  /** `onAbort` is called when the peer gives the epoch up. */
  constructor(port: MessagePort, peer: number, epoch: number, onAbort: () => void) {
    this.#port = port;
    this.#peer = peer;
    this.#epoch = epoch;
    port.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
      if (!isWire(data)) this.#fail(new Error(`Rank ${peer} sent something that is no chunk.`));
      else if (data.epoch !== epoch) return;
      else if (data.type === 'abort') onAbort();
      else this.#arrive(data);
    });
    port.addEventListener('messageerror', () => {
      this.#fail(new Error(`A message of rank ${peer} could not be read.`));
    });
    port.start();
  }

  send(packet: Packet): void {
    const wire: Wire = { type: 'chunk', epoch: this.#epoch, ...packet };
    this.#port.postMessage(wire, [packet.buffer]);
  }

  /** The next packet if it is here already, else null. */
  take(): Packet | null {
    if (this.#fault) throw this.#fault;
    return this.#arrived.shift() ?? null;
  }

  /** The next packet, when it comes. One call at a time. */
  next(): Promise<Packet> {
    return new Promise((resolve, reject) => {
      if (this.#waiter) throw new Error(`Rank ${this.#peer}'s next chunk is awaited already.`);
      this.#waiter = { resolve, reject };
    });
  }

  /** Ends the link here and tells the peer. */
  abort(): void {
    const wire: Wire = { type: 'abort', epoch: this.#epoch };
    this.#port.postMessage(wire);
    this.#fail(new CollectiveAbortedError());
  }

  /** Ends the link here only. */
  close(): void {
    this.#fail(new CollectiveAbortedError());
    this.#port.close();
  }

  #arrive(packet: Packet): void {
    if (this.#fault) return;
    const waiter = this.#waiter;
    this.#waiter = null;
    if (waiter) waiter.resolve(packet);
    else this.#arrived.push(packet);
  }

  #fail(error: Error): void {
    this.#fault = error;
    this.#arrived.length = 0;
    this.#waiter?.reject(error);
    this.#waiter = null;
  }
}

function isWire(data: unknown): data is Wire {
  if (typeof data !== 'object' || data === null) return false;
  const { type, epoch, collective, step, chunk, buffer } = data as Record<string, unknown>;
  if (typeof epoch !== 'number') return false;
  if (type === 'abort') return true;
  const numbers = [collective, step, chunk].every((value) => typeof value === 'number');
  return type === 'chunk' && numbers && buffer instanceof ArrayBuffer;
}
