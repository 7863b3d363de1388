/** @file What a rank sends in a collective. */
import type { Call } from './bound.ts';
import { elementBytes } from './elements.ts';
import type { CollectiveReport } from './endpoint.ts';

/** Payload that rank `rank` sends; a message about an empty chunk is none. */
export function payload({ schedule, elements, chunks }: Call, rank: number): CollectiveReport {
  const lengths = chunks.map(({ start, end }) => end - start);
  let bytesSent = 0;
  let messagesSent = 0;
  for (const { from, chunk } of schedule.steps.flat()) {
    const length = lengths[chunk] ?? 0;
    if (from !== rank || length === 0) continue;
    bytesSent += length * elementBytes(elements);
    messagesSent++;
  }
  return { bytesSent, messagesSent };
}
