/** @file Broadcast from one rank along a chain of ranks, as a schedule. */
import type { Message, Schedule } from './collective.ts';

/** Enough for a chain of 16 to be busy half of the time, few enough for latency not to count. */
const DEFAULT_CHUNKS = 16;

/**
 * The root's vector goes 0 -> 1 -> ... -> N-1, ranks counted from the root on, in `chunks` pieces, so
 * that the links work at the same time: rank r sends chunk c in step r + c (NCCL's ring broadcast,
 * src/device/broadcast.h). A world of one has no steps. Throws RangeError unless world size and chunks
 * are positive integers and the root is a rank.
 */
export function ringBroadcast(
  worldSize: number,
  chunks: number = DEFAULT_CHUNKS,
  root = 0,
): Schedule {
  if (!(Number.isInteger(worldSize) && worldSize >= 1 && Number.isInteger(chunks) && chunks >= 1)) {
    throw new RangeError(
      `ringBroadcast: world size ${worldSize}, ${chunks} chunks; positive integers are allowed`,
    );
  }
  if (!(Number.isInteger(root) && root >= 0 && root < worldSize)) {
    throw new RangeError(`ringBroadcast: root ${root}; 0 ... ${worldSize - 1} is allowed`);
  }
  const rankAt = (place: number): number => (root + place) % worldSize;
  const steps: Message[][] = [];
  if (worldSize > 1) {
    for (let s = 0; s < chunks + worldSize - 2; s++) {
      const messages = chainStep(worldSize, chunks, s);
      steps.push(
        messages.map((each) => ({ ...each, from: rankAt(each.from), to: rankAt(each.to) })),
      );
    }
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
