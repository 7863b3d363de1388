/** @file Checks what `run` is called with, and remembers what was made for it. */
import type { Range, Schedule } from '#core/collective';
import { scheduleFaults } from '#core/schedule-check';

interface Entry<T> {
  readonly start: number;
  readonly end: number;
  readonly value: T;
}

/**
 * `make`, once for every (schedule, range): a bucket plan repeats every step, and must then cost
 * nothing. Throws RangeError for a schedule or range that this endpoint cannot run.
 */
export function rememberBound<T>(
  worldSize: number,
  vectorLength: number,
  make: (schedule: Schedule, range: Range) => T,
): (schedule: Schedule, range: Range) => T {
  const known = new WeakMap<Schedule, Entry<T>[]>();
  return (schedule, range) => {
    let entries = known.get(schedule);
    if (!entries) {
      checkSchedule(schedule, worldSize);
      entries = [];
      known.set(schedule, entries);
    }
    for (const entry of entries) {
      if (entry.start === range.start && entry.end === range.end) return entry.value;
    }
    checkRange(range, vectorLength);
    const value = make(schedule, range);
    entries.push({ start: range.start, end: range.end, value });
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

function checkRange({ start, end }: Range, vectorLength: number): void {
  const valid = Number.isInteger(start) && Number.isInteger(end);
  if (!(valid && start >= 0 && start <= end && end <= vectorLength)) {
    throw new RangeError(
      `range [${start}, ${end}); whole numbers with 0 <= start <= end <= ${vectorLength} are allowed`,
    );
  }
}
