/** @file Broadcast from rank 0 along a chain of ranks, as a schedule. */
import type { Message, Schedule } from './collective.ts';

/** Enough for a chain of 16 to be busy half of the time, few enough for latency not to count. */
const DEFAULT_CHUNKS = 16;

/**
 * Rank 0's vector goes 0 -> 1 -> ... -> N-1 in `chunks` pieces, so that the links work at the same
 * time: rank r sends chunk c in step r + c (NCCL's ring broadcast, src/device/broadcast.h).
 * A world of one has no steps. Throws RangeError unless both are positive integers.
 */
export function ringBroadcast(worldSize: number, chunks: number = DEFAULT_CHUNKS): Schedule {
  if (!(Number.isInteger(worldSize) && worldSize >= 1 && Number.isInteger(chunks) && chunks >= 1)) {
    throw new RangeError(
      `ringBroadcast: world size ${worldSize}, ${chunks} chunks; positive integers are allowed`,
    );
  }
  const steps: Message[][] = [];
  if (worldSize > 1) {
    for (let s = 0; s < chunks + worldSize - 2; s++) steps.push(chainStep(worldSize, chunks, s));
  }
  return { name: 'ring broadcast', worldSize, chunks, steps };
}

function chainStep(worldSize: number, chunks: number, step: number): Message[] {
  const messages: Message[] = [];
  for (let from = 0; from < worldSize - 1; from++) {
    const chunk = step - from;
    if (chunk >= 0 && chunk < chunks) messages.push({ from, to: from + 1, chunk, op: 'copy' });
  }
  return messages;
}
