/** @file What a rank needs to go on from a step: kept in memory as commits, handed on to newcomers. */
import { ringBroadcast } from '#core/broadcast';
import type { Endpoint } from '#transport/endpoint';
import type { Training } from './training.ts';

/** Vectors are those that training works on: read them to keep, write them to restore. */
export interface TrainingMemory {
  /** Weights, buffers, optimizer moments: the same on all ranks that agree. */
  readonly shared: readonly Float32Array[];
  /** What the rank's compressor keeps back. */
  readonly own: readonly Float32Array[];
  /** Counters and scale, each exact in float32. */
  readonly numbers: readonly number[];
}

/** A copy of a rank's memory after so many steps [Horovod's state.commit()]. */
export interface Commit {
  readonly step: number;
  readonly memory: TrainingMemory;
}

export interface Commits {
  /** Keeps a copy; the older of two makes room for it. */
  take(step: number): void;
  /** Completed steps at the commits that are kept. */
  steps(): number[];
  /** The commit of `step`, to be carried into another training. Throws RangeError if it is not kept. */
  find(step: number): Commit;
}

/**
 * The last two commits of a training. Two, because a rank may have passed a commit that its peers
 * will not reach: the one before is common to all.
 */
export function createCommits(training: Training): Commits {
  const kept: Commit[] = [];
  const find = (step: number): Commit => {
    const commit = kept.find((one) => one.step === step);
    if (commit !== undefined) return commit;
    throw new RangeError(
      `no commit of step ${step}; kept are ${kept.map((one) => one.step).join(', ')}`,
    );
  };
  return {
    take(step) {
      const spare = kept.length < 2 ? null : kept.shift();
      kept.push({ step, memory: copyOf(training.memory(), spare?.memory ?? null) });
    },
    steps: () => kept.map(({ step }) => step),
    find,
  };
}

/** Writes a kept memory into a training of the same model, optimizer and compressor. */
export function restoreMemory(training: Training, { shared, own, numbers }: TrainingMemory): void {
  const live = training.memory();
  live.shared.forEach((vector, i) => {
    vector.set(shared[i] ?? vector);
  });
  live.own.forEach((vector, i) => {
    vector.set(own[i] ?? vector);
  });
  training.setNumbers(numbers);
}

/** Copies into `spare` where there is one, so that commits allocate nothing after the first two. */
function copyOf(memory: TrainingMemory, spare: TrainingMemory | null): TrainingMemory {
  const copies = (from: readonly Float32Array[], to: readonly Float32Array[]): Float32Array[] =>
    from.map((vector, i) => {
      const target = to[i];
      if (target?.length !== vector.length) return vector.slice();
      target.set(vector);
      return target;
    });
  return {
    shared: copies(memory.shared, spare?.shared ?? []),
    own: copies(memory.own, spare?.own ?? []),
    numbers: memory.numbers,
  };
}

/**
 * Rank 0 hands its memory, but for what is a rank's own, to all others, vector by vector over the
 * ring; resolves with the bytes this rank sent. Every rank calls it at once.
 */
export async function broadcastMemory(training: Training, endpoint: Endpoint): Promise<number> {
  const { shared, numbers } = training.memory();
  const all = Float32Array.from(numbers);
  let bytesSent = 0;
  for (const vector of [...shared, all]) {
    for (let start = 0; start < vector.length; start += endpoint.input.length) {
      const part = vector.subarray(start, start + endpoint.input.length);
      endpoint.input.set(part);
      const schedule = ringBroadcast(endpoint.worldSize);
      const report = await endpoint.run(schedule, { start: 0, end: part.length });
      bytesSent += report.bytesSent;
      part.set(endpoint.output.subarray(0, part.length));
    }
  }
  training.setNumbers(Array.from(all));
  return bytesSent;
}
