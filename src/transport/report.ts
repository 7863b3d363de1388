/** @file What a rank sends in a collective. */
import { chunkRanges } from '#core/chunks';
import type { Range, Schedule } from '#core/collective';
import type { CollectiveReport } from './endpoint.ts';

/** Payload that rank `rank` sends; a message about an empty chunk is none. */
export function payload(schedule: Schedule, range: Range, rank: number): CollectiveReport {
  const lengths = chunkRanges(range, schedule.chunks).map(({ start, end }) => end - start);
  let bytesSent = 0;
  let messagesSent = 0;
  for (const { from, chunk } of schedule.steps.flat()) {
    const length = lengths[chunk] ?? 0;
    if (from !== rank || length === 0) continue;
    bytesSent += length * Float32Array.BYTES_PER_ELEMENT;
    messagesSent++;
  }
  return { bytesSent, messagesSent };
}
