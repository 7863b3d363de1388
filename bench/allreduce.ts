/** @file All-reduce of 4 M floats at N = 4, three ways, against a memory copy of the vector. */
import { type Remote, transfer, wrap } from 'comlink';
import { createArena } from '#transport/arena';
import type { Links } from '#transport/create';
import { connectPorts } from '#transport/ports';
import type { BenchRank, Span } from './allreduce-rank.ts';
import type { Measurement } from './measurement.ts';

const WORLD_SIZE = 4;
const LENGTH = 4 * 1024 * 1024;
/** Each way is measured in several passes, so that a busy moment of the machine hits all alike. */
const PASSES = 5;
const ROUNDS = 20;
const NAIVE_ROUNDS = 2;
const WAYS = ['copy', 'shared', 'ports', 'naive'] as const;

async function measure(): Promise<Measurement[]> {
  const workers = Array.from(
    { length: WORLD_SIZE },
    () => new Worker(new URL('./allreduce-rank.ts', import.meta.url), { type: 'module' }),
  );
  const ranks = workers.map((worker) => wrap<BenchRank>(worker));
  const fastest = { copy: Infinity, shared: Infinity, ports: Infinity, naive: Infinity };
  for (let pass = 0; pass < PASSES; pass++) {
    const copy = await (ranks[0] as Remote<BenchRank>).copy(LENGTH, ROUNDS);
    const arena = createArena(WORLD_SIZE, LENGTH);
    const shared = await timeTransport(ranks, () => ({ transport: 'shared', arena }));
    const rows = connectPorts(WORLD_SIZE);
    const ports = await timeTransport(ranks, (rank) => ({
      transport: 'ports',
      ports: rows[rank] ?? [],
    }));
    const times = { copy, shared, ports, naive: await timeNaive(ranks) };
    for (const way of WAYS) fastest[way] = Math.min(fastest[way], times[way]);
  }
  for (const worker of workers) worker.terminate();

  const line = (name: string, ms: number, atMost: number | null): Measurement => ({
    name,
    unit: 'copies',
    value: ms / fastest.copy,
    goal: atMost === null ? null : { atMost },
    detail: `${ms.toFixed(2)} ms, a copy ${fastest.copy.toFixed(2)} ms`,
  });
  return [
    line('all-reduce 4 M floats, N = 4, shared memory', fastest.shared, 15),
    line('all-reduce 4 M floats, N = 4, ports', fastest.ports, 220),
    line('all-reduce 4 M floats, N = 4, through the page (plain comlink)', fastest.naive, null),
  ];
}

/** Fastest round, from the first rank's start to the last rank's end; milliseconds. */
async function timeTransport(
  ranks: readonly Remote<BenchRank>[],
  linksOf: (rank: number) => Links,
): Promise<number> {
  await Promise.all(
    ranks.map((remote, rank) => {
      const link = linksOf(rank);
      const setup = { rank, worldSize: WORLD_SIZE, vectorLength: LENGTH, link };
      const ports = link.transport === 'ports' ? link.ports.filter((port) => port !== null) : [];
      return remote.prepare(transfer(setup, ports));
    }),
  );
  const spans = await Promise.all(ranks.map((remote) => remote.allReduce(ROUNDS)));
  await Promise.all(ranks.map((remote) => remote.release()));
  return Math.min(...Array.from({ length: ROUNDS }, (_, round) => roundMs(spans, round)));
}

function roundMs(spans: readonly Span[][], round: number): number {
  const began = Math.min(...spans.map((list) => list[round]?.began ?? Number.NaN));
  const ended = Math.max(...spans.map((list) => list[round]?.ended ?? Number.NaN));
  return ended - began;
}

/** Every gradient to the page by structured clone, averaged there, and the mean sent back. */
async function timeNaive(ranks: readonly Remote<BenchRank>[]): Promise<number> {
  await Promise.all(ranks.map((remote, rank) => remote.prepareNaive(LENGTH, rank + 1)));
  let fastest = Number.POSITIVE_INFINITY;
  for (let round = 0; round < NAIVE_ROUNDS; round++) {
    const began = performance.now();
    const gradients = await Promise.all(ranks.map((remote) => remote.gradient()));
    const mean = new Float32Array(LENGTH);
    for (const gradient of gradients) {
      for (let i = 0; i < LENGTH; i++) {
        mean[i] = (mean[i] as number) + (gradient[i] as number) / WORLD_SIZE;
      }
    }
    await Promise.all(ranks.map((remote) => remote.accept(mean)));
    fastest = Math.min(fastest, performance.now() - began);
  }
  await Promise.all(ranks.map((remote) => remote.release()));
  return fastest;
}

window.measure = measure;
