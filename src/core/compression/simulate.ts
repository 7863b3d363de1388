/** @file All ranks of a compressed all-reduce in one thread, in lock step: the oracle of a run. */
import type { Compressor, CompressorState, UpdateContext } from './compressor.ts';
import {
  addOnWire,
  type Exchange,
  exchangeBytes,
  type Reply,
  type WireFormat,
} from './exchange.ts';

export interface CompressedStep {
  /** The averaged gradient, the same on every rank. */
  readonly average: Float32Array;
  /** New states by rank. */
  readonly states: readonly CompressorState[];
  /** Payload bytes that each rank gave to the collectives. */
  readonly bytes: readonly number[];
  /** Number of exchanges one after the other. */
  readonly rounds: number;
}

/** How an all-reduce sums the ranks' vectors. */
export type RankSum = (vectors: readonly Float32Array[], format: WireFormat) => Float32Array;

/** In rank order, every partial sum in the wire's format. */
const inRankOrder: RankSum = ([first, ...others], format) => {
  const total = first.slice();
  for (const values of others) addOnWire(total, values, format);
  return total;
};

/**
 * One update of every rank. Throws Error where ranks ask for different exchanges or end with
 * different bits.
 */
export function simulateStep(
  compressor: Compressor,
  states: readonly CompressorState[],
  gradients: readonly Float32Array[],
  context: Omit<UpdateContext, 'rank' | 'worldSize'>,
  sum: RankSum = inRankOrder,
): CompressedStep {
  const worldSize = gradients.length;
  const length = gradients[0].length;
  const next = states.map(() => compressor.init(length));
  const averages = gradients.map(() => new Float32Array(length));
  const ranks = gradients.map((gradient, rank) =>
    compressor.update(states[rank], next[rank], gradient, averages[rank], {
      ...context,
      rank,
      worldSize,
    }),
  );
  const bytes = new Array<number>(worldSize).fill(0);
  let rounds = 0;
  let turns = ranks.map((rank) => rank.next());
  while (!turns[0].done) {
    const exchanges = turns.flatMap((turn) => (turn.done ? [] : [turn.value]));
    exchanges.forEach((exchange, rank) => {
      bytes[rank] += exchangeBytes(exchange);
    });
    rounds++;
    const reply = answer(exchanges, worldSize, sum);
    turns = ranks.map((rank) => rank.next(reply));
  }
  requireAgreement(averages);
  return { average: averages[0], states: next, bytes, rounds };
}

function answer(exchanges: readonly Exchange[], worldSize: number, sum: RankSum): Reply {
  const payloads = exchanges.flatMap((e) => (e.kind === 'allGather' ? [e.payload] : []));
  if (payloads.length === worldSize) return payloads;
  const sums = exchanges.flatMap((e) => (e.kind === 'allReduce' ? [e] : []));
  if (sums.length !== worldSize) throw new Error('Ranks ask for different exchanges.');
  return sum(
    sums.map(({ values }) => values),
    sums[0].format,
  );
}

function requireAgreement(averages: readonly Float32Array[]): void {
  const words = averages.map((average) => new Int32Array(average.buffer));
  for (const [rank, mine] of words.entries()) {
    const index = mine.findIndex((word, i) => word !== words[0][i]);
    if (index >= 0) throw new Error(`Rank ${rank} differs from rank 0 at element ${index}.`);
  }
}
