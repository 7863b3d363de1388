/**
 * @file All-reduce by recursive vector halving and distance doubling (Rabenseifner; Thakur et al.,
 * IJHPCA 2005), with gloo's order of partners and its binary blocks (gloo docs/algorithms.md).
 */
import type { Message, Schedule } from './collective.ts';
import { mirrored, requireWorldSize, together } from './schedule-build.ts';

/** `size` ranks from `offset` on; `size` is a power of two. */
export interface Block {
  readonly offset: number;
  readonly size: number;
}

/**
 * Reduce-scatter, then its mirror as all-gather. In step i partners at distance 2^i exchange halves
 * of what they still hold, nearest partners the largest ones. Where N is no power of two, ranks
 * form blocks by N's binary digits, the largest first; each block's sums are added to those of the
 * next larger one, and the totals come back the same way. 2 log2 N steps, or 2 (floor(log2 N) + 1).
 * Every chunk is summed at one rank and then copied. Throws RangeError unless `worldSize` is a
 * positive integer.
 */
export function halvingDoublingAllReduce(worldSize: number): Schedule {
  requireWorldSize('halvingDoublingAllReduce', worldSize);
  const blocks = binaryBlocks(worldSize);
  const chunks = blocks[0].size;
  const reduce = together(
    ...blocks.map((block, i) => {
      const halving = halvingSteps(block, chunks);
      const smaller = blocks[i + 1];
      return smaller ? [...halving, betweenBlocks(smaller, block, chunks)] : halving;
    }),
  );
  return {
    name: 'halving-doubling all-reduce',
    worldSize,
    chunks,
    steps: [...reduce, ...mirrored(reduce)],
  };
}

/** The powers of two that add up to `worldSize`, largest first, as blocks of adjacent ranks. */
export function binaryBlocks(worldSize: number): Block[] {
  const blocks: Block[] = [];
  let offset = 0;
  for (let size = 2 ** Math.floor(Math.log2(worldSize)); size >= 1; size /= 2) {
    if ((worldSize & size) === 0) continue;
    blocks.push({ offset, size });
    offset += size;
  }
  return blocks;
}

function halvingSteps({ offset, size }: Block, chunks: number): Message[][] {
  const steps: Message[][] = [];
  for (let bit = 1; bit < size; bit *= 2) {
    const step: Message[] = [];
    for (let rank = 0; rank < size; rank++) {
      const partner = rank ^ bit;
      const kept = chunks / (2 * bit);
      const start = windowStart(partner, 2 * bit, chunks);
      for (let chunk = start; chunk < start + kept; chunk++) {
        step.push({ from: offset + rank, to: offset + partner, chunk, op: 'sum' });
      }
    }
    steps.push(step);
  }
  return steps;
}

/** Each chunk goes from its owner in one block to its owner in the next larger one. */
function betweenBlocks(smaller: Block, larger: Block, chunks: number): Message[] {
  return Array.from({ length: chunks }, (_, chunk) => ({
    from: smaller.offset + ownerOf(chunk, smaller.size, chunks),
    to: larger.offset + ownerOf(chunk, larger.size, chunks),
    chunk,
    op: 'sum',
  }));
}

/** First chunk that `rank` still holds once its block fell into groups of `parts` ranks. */
function windowStart(rank: number, parts: number, chunks: number): number {
  return (reversedBits(rank % parts, parts) * chunks) / parts;
}

/** The rank of a block of `size` that ends its halving with `chunk`. */
function ownerOf(chunk: number, size: number, chunks: number): number {
  return reversedBits(Math.floor((chunk * size) / chunks), size);
}

/** `value`'s binary digits in reverse, as many as numbers below the power of two `bound` have. */
function reversedBits(value: number, bound: number): number {
  let reversed = 0;
  let rest = value;
  for (let bit = 1; bit < bound; bit *= 2) {
    reversed = 2 * reversed + (rest & 1);
    rest >>= 1;
  }
  return reversed;
}
