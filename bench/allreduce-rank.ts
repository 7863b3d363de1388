/** @file One rank of the all-reduce benchmark. */
import { expose } from 'comlink';
import { ringAllReduce } from '#core/ring';
import { createEndpoint, type EndpointSetup } from '#transport/create';
import type { Endpoint } from '#transport/endpoint';

/** Milliseconds since the epoch, comparable between workers. */
export interface Span {
  readonly began: number;
  readonly ended: number;
}

let endpoint: Endpoint | null = null;
let naive = new Float32Array();

function now(): number {
  return performance.timeOrigin + performance.now();
}

const rank = {
  /** Fastest memory copy of a vector, in milliseconds. */
  copy(length: number, rounds: number): number {
    const from = new Float32Array(length).fill(1);
    const to = new Float32Array(length);
    let fastest = Number.POSITIVE_INFINITY;
    for (let round = 0; round < rounds; round++) {
      const began = performance.now();
      to.set(from);
      fastest = Math.min(fastest, performance.now() - began);
    }
    return fastest;
  },

  prepare(setup: EndpointSetup): void {
    endpoint?.close();
    endpoint = createEndpoint(setup);
    endpoint.input.fill(setup.rank + 1);
  },

  /** All-reduces the whole vector `rounds` times; a small collective before each lines ranks up. */
  async allReduce(rounds: number): Promise<Span[]> {
    if (!endpoint) throw new Error('prepare first');
    const ring = ringAllReduce(endpoint.worldSize);
    const whole = { start: 0, end: endpoint.input.length };
    const barrier = { start: 0, end: endpoint.worldSize };
    const spans: Span[] = [];
    for (let round = 0; round < rounds; round++) {
      await endpoint.run(ring, barrier);
      const began = now();
      await endpoint.run(ring, whole);
      spans.push({ began, ended: now() });
    }
    const sum = (endpoint.worldSize * (endpoint.worldSize + 1)) / 2;
    if (!endpoint.output.every((value) => value === sum)) throw new Error('wrong sum');
    return spans;
  },

  prepareNaive(length: number, value: number): void {
    naive = new Float32Array(length).fill(value);
  },
  /** A copy of the gradient, as plain comlink sends it. */
  gradient(): Float32Array {
    return naive;
  },
  accept(mean: Float32Array<ArrayBuffer>): void {
    naive = mean;
  },
  release(): void {
    endpoint?.close();
    endpoint = null;
    naive = new Float32Array();
  },
};

export type BenchRank = typeof rank;
expose(rank);
