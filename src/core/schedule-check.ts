/**
 * @file What a schedule does, worked out on plain arrays: the oracle of every executor, and the
 * source of the inspector's "which ranks does this chunk contain".
 */
import { chunkRanges } from './chunks.ts';
import type { Message, Range, Schedule } from './collective.ts';

/** Ranks whose values are in a chunk, ascending; a rank summed in twice is there twice. */
export type Contributors = readonly number[];

/** [rank][chunk]. */
export type Holdings = readonly (readonly Contributors[])[];

/** Faults that make a schedule impossible to execute, each in plain words; empty if there are none. */
export function scheduleFaults(schedule: Schedule): string[] {
  const faults: string[] = [];
  schedule.steps.forEach((messages, step) => {
    messages.forEach((message, index) => {
      const fault = messageFault(schedule, message);
      if (fault) faults.push(`step ${step}, message ${index}: ${fault}`);
    });
  });
  return faults;
}

function messageFault(schedule: Schedule, { from, to, chunk }: Message): string | null {
  const { worldSize, chunks } = schedule;
  if (!isIndex(from, worldSize)) return `from rank ${from}; 0 ... ${worldSize - 1} is allowed`;
  if (!isIndex(to, worldSize)) return `to rank ${to}; 0 ... ${worldSize - 1} is allowed`;
  if (from === to) return `rank ${from} sends to itself; ranks must differ`;
  if (!isIndex(chunk, chunks)) return `chunk ${chunk}; 0 ... ${chunks - 1} is allowed`;
  return null;
}

function isIndex(value: number, length: number): boolean {
  return Number.isInteger(value) && value >= 0 && value < length;
}

/** Holdings before the first step and after each: `steps.length + 1` entries. */
export function contributions(schedule: Schedule): Holdings[] {
  const start = Array.from({ length: schedule.worldSize }, (_, rank) =>
    Array.from({ length: schedule.chunks }, (): Contributors => [rank]),
  );
  const history: Holdings[] = [start];
  let before: Holdings = start;
  for (const messages of schedule.steps) {
    const after = before.map((chunks) => [...chunks]);
    for (const { from, to, chunk, op } of messages) {
      const sent = before[from][chunk];
      after[to][chunk] = op === 'sum' ? merge(after[to][chunk], sent) : sent;
    }
    history.push(after);
    before = after;
  }
  return history;
}

function merge(a: Contributors, b: Contributors): Contributors {
  return [...a, ...b].sort((x, y) => x - y);
}

/** Whether every rank ends with every chunk holding each rank exactly once. */
export function isAllReduce(schedule: Schedule): boolean {
  const last = contributions(schedule)[schedule.steps.length];
  return last.every((chunks) =>
    chunks.every(
      (ranks) => ranks.length === schedule.worldSize && ranks.every((rank, i) => rank === i),
    ),
  );
}

/** Elements that each rank sends when `schedule` runs over `length` elements. */
export function elementsSent(schedule: Schedule, length: number): number[] {
  const ranges = chunkRanges({ start: 0, end: length }, schedule.chunks);
  const sent = new Array<number>(schedule.worldSize).fill(0);
  for (const { from, chunk } of schedule.steps.flat()) {
    sent[from] += ranges[chunk].end - ranges[chunk].start;
  }
  return sent;
}

/**
 * Every rank's result of `schedule` over `range` (by default the whole vector), with fp32 sums;
 * `vectors` [rank][element] stay as they are, and elements outside the range are copied.
 * Messages into one chunk in one step apply in the order in which the schedule lists them.
 */
export function simulate(
  schedule: Schedule,
  vectors: readonly Float32Array[],
  range: Range = { start: 0, end: vectors[0].length },
): Float32Array[] {
  const ranges = chunkRanges(range, schedule.chunks);
  const results = vectors.map((vector) => vector.slice());
  for (const messages of schedule.steps) {
    const sent = messages.map(({ from, chunk }) =>
      results[from].slice(ranges[chunk].start, ranges[chunk].end),
    );
    messages.forEach(({ to, chunk, op }, index) => {
      const target = results[to].subarray(ranges[chunk].start, ranges[chunk].end);
      receive(target, sent[index], op);
    });
  }
  return results;
}

function receive(target: Float32Array, values: Float32Array, op: Message['op']): void {
  if (op === 'copy') target.set(values);
  else for (let i = 0; i < target.length; i++) target[i] += values[i];
}
