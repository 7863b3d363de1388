/** @file What a schedule costs, worked out from its messages alone. */
import { chunkRanges } from './chunks.ts';
import type { Message, Schedule } from './collective.ts';
import { elementsSent } from './schedule-check.ts';

const BYTES_PER_ELEMENT = 4;

/** One direction of a NIC or NVLink port. */
export interface LinkCost {
  readonly latencySeconds: number;
  readonly bytesPerSecond: number;
}

/** The link that a message takes. Messages with the same link object share their ranks' ports. */
export type LinkOf = (from: number, to: number) => LinkCost;

/** Payload bytes that each rank sends when `schedule` runs over `length` fp32 elements. */
export function bytesSent(schedule: Schedule, length: number): number[] {
  return elementsSent(schedule, length).map((elements) => BYTES_PER_ELEMENT * elements);
}

/**
 * Latencies that follow each other: messages in the longest chain in which every sender had to wait
 * for the message before. At most `schedule.steps.length`; messages about empty chunks do not count.
 */
export function criticalPath(schedule: Schedule, length: number): number {
  const bytes = chunkBytes(schedule, length);
  const chain = new Array<number>(schedule.worldSize).fill(0);
  for (const messages of schedule.steps) {
    const before = [...chain];
    for (const { from, to, chunk } of messages) {
      if (bytes[chunk] > 0) chain[to] = Math.max(chain[to], before[from] + 1);
    }
  }
  return Math.max(...chain);
}

/**
 * Seconds that `schedule` takes over `length` elements if every step begins when all messages of
 * the step before have arrived. In a step a port passes its messages one after the other, and the
 * last one takes the latency on top: a star costs 2(a + (N-1) S b). Ranks that run ahead can only
 * make it shorter.
 */
export function lockstepSeconds(schedule: Schedule, length: number, linkOf: LinkOf): number {
  const bytes = chunkBytes(schedule, length);
  return schedule.steps.reduce((sum, messages) => sum + stepSeconds(messages, bytes, linkOf), 0);
}

/** Bytes through a rank's ports to one kind of link. */
interface PortLoad {
  sent: number;
  received: number;
}

function stepSeconds(
  messages: readonly Message[],
  bytes: readonly number[],
  linkOf: LinkOf,
): number {
  const loads = new Map<LinkCost, Map<number, PortLoad>>();
  for (const { from, to, chunk } of messages) {
    if (bytes[chunk] === 0) continue;
    const link = linkOf(from, to);
    loadOf(loads, link, from).sent += bytes[chunk];
    loadOf(loads, link, to).received += bytes[chunk];
  }
  let seconds = 0;
  for (const [{ latencySeconds, bytesPerSecond }, ranks] of loads) {
    for (const { sent, received } of ranks.values()) {
      seconds = Math.max(seconds, latencySeconds + Math.max(sent, received) / bytesPerSecond);
    }
  }
  return seconds;
}

function loadOf(
  loads: Map<LinkCost, Map<number, PortLoad>>,
  link: LinkCost,
  rank: number,
): PortLoad {
  const ranks = loads.get(link) ?? new Map<number, PortLoad>();
  loads.set(link, ranks);
  const load = ranks.get(rank) ?? { sent: 0, received: 0 };
  ranks.set(rank, load);
  return load;
}

function chunkBytes(schedule: Schedule, length: number): number[] {
  return chunkRanges({ start: 0, end: length }, schedule.chunks).map(
    ({ start, end }) => BYTES_PER_ELEMENT * (end - start),
  );
}
