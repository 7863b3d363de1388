/** @file Checks what `run` is called with, and remembers what was made for it. */
import { chunkRanges } from '#core/chunks';
import type { Range, Schedule } from '#core/collective';
import { scheduleFaults } from '#core/schedule-check';
import { type Elements, elementBytes } from './elements.ts';
import type { RunOptions } from './endpoint.ts';

/** One call of `run`, checked: which elements, and where each chunk of the schedule lies. */
export interface Call {
  readonly schedule: Schedule;
  readonly elements: Elements;
  readonly chunks: readonly Range[];
}

interface Entry<T> {
  readonly start: number;
  readonly end: number;
  readonly elements: Elements;
  readonly value: T;
}

export type Bound<T> = (schedule: Schedule, range: Range, options?: RunOptions) => T;

/**
 * `make`, once for every (schedule, range, elements): a bucket plan repeats every step, and must
 * then cost nothing. Chunks given one by one differ from call to call and are made each time. Throws
 * RangeError for a schedule, range or chunks that this endpoint cannot run.
 */
export function rememberBound<T>(
  worldSize: number,
  vectorLength: number,
  make: (call: Call) => T,
): Bound<T> {
  const known = new WeakMap<Schedule, Entry<T>[]>();
  return (schedule, range, { elements = 'fp32', chunks } = {}) => {
    let entries = known.get(schedule);
    if (!entries) {
      checkSchedule(schedule, worldSize);
      entries = [];
      known.set(schedule, entries);
    }
    if (chunks !== undefined) {
      checkRange(range, (4 * vectorLength) / elementBytes(elements));
      checkChunks(chunks, schedule, range);
      return make({ schedule, elements, chunks });
    }
    const { start, end } = range;
    for (const entry of entries) {
      if (entry.start === start && entry.end === end && entry.elements === elements) {
        return entry.value;
      }
    }
    checkRange(range, (4 * vectorLength) / elementBytes(elements));
    const value = make({ schedule, elements, chunks: chunkRanges(range, schedule.chunks) });
    entries.push({ start, end, elements, value });
    return value;
  };
}

function checkSchedule(schedule: Schedule, worldSize: number): void {
  if (schedule.worldSize !== worldSize) {
    throw new RangeError(
      `${schedule.name} is for ${schedule.worldSize} ranks; this endpoint has ${worldSize}`,
    );
  }
  const faults = scheduleFaults(schedule);
  if (faults.length > 0) throw new RangeError(`${schedule.name}: ${faults.join('; ')}`);
}

function checkRange({ start, end }: Range, length: number): void {
  const valid = Number.isInteger(start) && Number.isInteger(end);
  if (!(valid && start >= 0 && start <= end && end <= length)) {
    throw new RangeError(
      `range [${start}, ${end}); whole numbers with 0 <= start <= end <= ${length} are allowed`,
    );
  }
}

function checkChunks(chunks: readonly Range[], schedule: Schedule, range: Range): void {
  if (chunks.length !== schedule.chunks) {
    throw new RangeError(`${schedule.name} has ${schedule.chunks} chunks, not ${chunks.length}`);
  }
  let end = range.start;
  for (const chunk of chunks) {
    if (!(Number.isInteger(chunk.end) && chunk.start >= end && chunk.end >= chunk.start)) {
      throw new RangeError(
        `chunk [${chunk.start}, ${chunk.end}); it must follow the one before, from ${end} on`,
      );
    }
    end = chunk.end;
  }
  if (end > range.end) throw new RangeError(`chunks end at ${end}, after the range (${range.end})`);
}
