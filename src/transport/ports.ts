/** @file The port transport: a MessagePort a link, vectors travel in transferred buffers. */
import type { Range, Schedule } from '#core/collective';
import { type Bound, rememberBound } from './bound.ts';
import { BufferPool } from './buffer-pool.ts';
import { type Elements, sumElements, viewAs } from './elements.ts';
import {
  CollectiveAbortedError,
  type CollectiveReport,
  type Endpoint,
  LONG_WAIT_MS,
  type RunOptions,
} from './endpoint.ts';
import { Link, type Packet } from './link.ts';
import { type BoundReceive, bindPorts, type PortsProgram } from './ports-program.ts';

/**
 * One port to every other rank, for every rank: [rank][peer], null for itself. Both ends of a link
 * are here, so each row may be transferred to its worker. One set of ports is one epoch.
 */
export function connectPorts(worldSize: number): (MessagePort | null)[][] {
  const ports = Array.from({ length: worldSize }, () =>
    new Array<MessagePort | null>(worldSize).fill(null),
  );
  ports.forEach((row, rank) => {
    for (let peer = rank + 1; peer < worldSize; peer++) {
      const { port1, port2 } = new MessageChannel();
      row[peer] = port1;
      (ports[peer] as (MessagePort | null)[])[rank] = port2;
    }
  });
  return ports;
}

/**
 * Rank `rank`'s end of a set of ports; it takes them over. Messages of another `epoch` are dropped.
 * Throws RangeError where a peer has no port.
 */
export function portsEndpoint(
  rank: number,
  worldSize: number,
  vectorLength: number,
  ports: readonly (MessagePort | null)[],
  epoch = 0,
  onLongWait: () => void = () => undefined,
): Endpoint {
  return new PortsEndpoint(rank, worldSize, vectorLength, ports, epoch, onLongWait);
}

/** What a packet says of itself. */
type Label = Omit<Packet, 'buffer'>;

/** Stands where a collective's number does in a vector sent from one rank to another. */
const NO_COLLECTIVE = -1;

class PortsEndpoint implements Endpoint {
  readonly transport = 'ports';
  readonly rank: number;
  readonly worldSize: number;
  readonly input: Float32Array;
  readonly output: Float32Array;
  readonly #links: readonly (Link | null)[];
  readonly #onLongWait: () => void;
  readonly #buffers = new BufferPool();
  readonly #bound: Bound<PortsProgram>;
  /** Collectives begun. */
  #collective = 0;
  /** Single vectors sent to and received from each peer. */
  readonly #mailSent: number[] = [];
  readonly #mailReceived: number[] = [];
  /** Collectives run one after the other, in the order of the calls. */
  #last: Promise<unknown> = Promise.resolve();
  #over = false;

  constructor(
    rank: number,
    worldSize: number,
    vectorLength: number,
    ports: readonly (MessagePort | null)[],
    epoch: number,
    onLongWait: () => void,
  ) {
    this.rank = rank;
    this.worldSize = worldSize;
    this.#onLongWait = onLongWait;
    this.input = new Float32Array(vectorLength);
    this.output = new Float32Array(vectorLength);
    this.#links = Array.from({ length: worldSize }, (_, peer) => {
      if (peer === rank) return null;
      const port = ports[peer];
      if (!port) throw new RangeError(`rank ${rank} has no port to rank ${peer}`);
      return new Link(port, peer, epoch, () => this.abort());
    });
    this.#bound = rememberBound(worldSize, vectorLength, (call) =>
      bindPorts(call, rank, this.input, this.output),
    );
  }

  run(schedule: Schedule, range: Range, options?: RunOptions): Promise<CollectiveReport> {
    return this.#inTurn(async () => {
      const program = this.#bound(schedule, range, options);
      return this.#orAbort(() => this.#impatiently(program, this.#collective++));
    });
  }

  send(to: number, values: Float32Array): Promise<CollectiveReport> {
    return this.#inTurn(() => this.#orAbort(async () => this.#post(to, values)));
  }

  receive(from: number, into: Float32Array): Promise<void> {
    return this.#inTurn(() => this.#orAbort(() => this.#fetch(from, into)));
  }

  abort(): void {
    if (this.#over) return;
    this.#over = true;
    for (const link of this.#links) link?.abort();
  }

  close(): void {
    this.#over = true;
    for (const link of this.#links) link?.close();
  }

  /** Calls are carried out one after the other, in their order. */
  #inTurn<T>(call: () => Promise<T>): Promise<T> {
    const result = this.#last.then(call);
    this.#last = result.catch(() => {});
    return result;
  }

  async #orAbort<T>(exchange: () => Promise<T>): Promise<T> {
    if (this.#over) throw new CollectiveAbortedError();
    try {
      return await exchange();
    } catch (error) {
      // Peers would wait for ever for what this rank no longer sends.
      this.abort();
      throw error;
    }
  }

  async #impatiently(program: PortsProgram, collective: number): Promise<CollectiveReport> {
    const timer = setTimeout(this.#onLongWait, LONG_WAIT_MS);
    try {
      return await this.#runSteps(program, collective);
    } finally {
      clearTimeout(timer);
    }
  }

  #post(to: number, values: Float32Array): CollectiveReport {
    const buffer = this.#buffers.take(values.byteLength);
    new Float32Array(buffer, 0, values.length).set(values);
    this.#link(to).send({ ...mailLabel(this.#mailSent, to), buffer });
    return { bytesSent: values.byteLength, messagesSent: 1 };
  }

  async #fetch(from: number, into: Float32Array): Promise<void> {
    const link = this.#link(from);
    const packet = link.take() ?? (await link.next());
    this.#check(packet, from, mailLabel(this.#mailReceived, from), into.byteLength);
    into.set(new Float32Array(packet.buffer, 0, into.length));
    this.#buffers.give(packet.buffer);
  }

  async #runSteps(program: PortsProgram, collective: number): Promise<CollectiveReport> {
    let bytesSent = 0;
    let messagesSent = 0;
    for (const [step, { sends, receives }] of program.steps.entries()) {
      for (const { to, chunk, values } of sends) {
        const buffer = this.#buffers.take(program.capacity);
        viewAs(program.elements, buffer, 0, values.length).set(values);
        this.#link(to).send({ collective, step, chunk, buffer });
        bytesSent += values.byteLength;
        messagesSent++;
      }
      for (const receive of receives) {
        const link = this.#link(receive.from);
        const packet = link.take() ?? (await link.next());
        const label = { collective, step, chunk: receive.chunk };
        this.#check(packet, receive.from, label, program.capacity);
        this.#combine(program.elements, packet.buffer, receive);
      }
    }
    for (const { from, to } of program.untouched) to.set(from);
    return { bytesSent, messagesSent };
  }

  #link(peer: number): Link {
    const link = this.#links[peer];
    if (!link) throw new RangeError(`rank ${this.rank} has no link to rank ${peer}`);
    return link;
  }

  #check(packet: Packet, from: number, label: Label, bytes: number): void {
    const expected = packetName(label, bytes);
    const found = packetName(packet, packet.buffer.byteLength);
    if (found === expected) return;
    throw new Error(
      `Rank ${this.rank} waited for ${expected} from rank ${from} and got ${found}: ` +
        'all ranks must run the same collectives in the same order.',
    );
  }

  #combine(elements: Elements, buffer: ArrayBuffer, { op, target, own }: BoundReceive): void {
    const values = viewAs(elements, buffer, 0, target.length);
    if (op === 'sum') sumElements(elements, target, own, values);
    else target.set(values);
    this.#buffers.give(buffer);
  }
}

/** Single vectors are numbered a link and a direction. */
function mailLabel(counts: number[], peer: number): Label {
  const step = counts[peer] ?? 0;
  counts[peer] = step + 1;
  return { collective: NO_COLLECTIVE, step, chunk: 0 };
}

function packetName({ collective, step, chunk }: Label, bytes: number): string {
  return `collective ${collective}, step ${step}, chunk ${chunk} (${bytes} bytes)`;
}
