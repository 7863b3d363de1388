import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ringBroadcast } from '#core/broadcast';
import { chunkRanges } from '#core/chunks';
import type { Message, Range, Schedule } from '#core/collective';
import { ringAllReduce } from '#core/ring';
import { simulate } from '#core/schedule-check';
import { arenaLayout, createArena } from './arena.ts';
import type { Call } from './bound.ts';
import { compile, type Wait } from './program.ts';
import { type BoundProgram, bindProgram } from './shared-program.ts';

const LENGTH = 13;

/** Any schedule of up to five ranks: swaps, forks, repeats and gathers of one chunk included. */
const anySchedule: fc.Arbitrary<Schedule> = fc
  .record({ worldSize: fc.integer({ min: 2, max: 5 }), chunks: fc.integer({ min: 1, max: 3 }) })
  .chain(({ worldSize, chunks }) => {
    const message: fc.Arbitrary<Message> = fc
      .record({
        from: fc.nat(worldSize - 1),
        hop: fc.integer({ min: 1, max: worldSize - 1 }),
        chunk: fc.nat(chunks - 1),
        op: fc.constantFrom('sum' as const, 'copy' as const),
      })
      .map(({ from, hop, chunk, op }) => ({ from, to: (from + hop) % worldSize, chunk, op }));
    const steps = fc.array(fc.array(message, { maxLength: 2 * worldSize }), { maxLength: 6 });
    return steps.map((list): Schedule => ({ name: 'any', worldSize, chunks, steps: list }));
  });

const anyRange: fc.Arbitrary<Range> = fc
  .tuple(fc.nat(LENGTH), fc.nat(LENGTH))
  .map(([a, b]) => ({ start: Math.min(a, b), end: Math.max(a, b) }));

const floats = (schedule: Schedule, range: Range): Call => ({
  schedule,
  elements: 'fp32',
  chunks: chunkRanges(range, schedule.chunks),
});

/** One rank going through `programs`, one operation a move. */
class Walker {
  private readonly programs: readonly BoundProgram[];
  private readonly rank: number;
  private readonly progress: number[];
  private readonly refill: (collective: number) => void;
  private readonly base: number[];
  #collective = -1;
  #operation = 0;

  constructor(
    programs: readonly BoundProgram[],
    rank: number,
    progress: number[],
    refill: (collective: number) => void,
  ) {
    this.programs = programs;
    this.rank = rank;
    this.progress = progress;
    this.refill = refill;
    this.base = progress.map(() => 0);
  }

  get done(): boolean {
    return this.#collective === this.programs.length;
  }

  /** Makes the next move if its waits allow it. */
  move(): boolean {
    if (this.done) return false;
    const program = this.programs[this.#collective];
    const operation = program?.operations[this.#operation];
    if (!program || !operation) return this.#next(program);
    if (this.#operation === 0 && !this.#met(this.#previousReaders(), this.#previousBase())) {
      return false;
    }
    if (!this.#met(operation.waits, this.base)) return false;
    const { op, target, own, source } = operation;
    target.forEach((_, i) => {
      target[i] = op === 'sum' ? (own[i] as number) + (source[i] as number) : (source[i] as number);
    });
    this.#operation++;
    this.#tick();
    return true;
  }

  /** Leaves a collective once nobody reads its input, and enters the next with a new input. */
  #next(program: BoundProgram | undefined): boolean {
    if (program) {
      if (program.operations.length === 0) {
        if (!this.#met(this.#previousReaders(), this.#previousBase())) return false;
      }
      if (!this.#met(program.inputReaders, this.base)) return false;
      for (const { from, to } of program.untouched) to.set(from);
      program.counts.forEach((count, rank) => {
        this.base[rank] = (this.base[rank] as number) + count;
      });
    }
    this.#collective++;
    this.#operation = 0;
    if (this.done) return true;
    this.refill(this.#collective);
    this.#tick();
    return true;
  }

  #previousReaders(): readonly Wait[] {
    return this.programs[this.#collective - 1]?.outputReaders ?? [];
  }

  #previousBase(): number[] {
    const counts = this.programs[this.#collective - 1]?.counts ?? [];
    return this.base.map((base, rank) => base - (counts[rank] ?? 0));
  }

  #tick(): void {
    this.progress[this.rank] = (this.progress[this.rank] as number) + 1;
  }

  #met(waits: readonly Wait[], base: readonly number[]): boolean {
    return waits.every(
      ({ rank, count }) => (this.progress[rank] as number) >= (base[rank] as number) + count,
    );
  }
}

/** The input of a rank in a collective: thirds, so that the order of sums shows. */
function inputOf(rank: number, collective: number): Float32Array {
  return Float32Array.from({ length: LENGTH }, (_, i) => (rank * 31 + collective * 7 + i + 1) / 3);
}

/** Runs `calls` one after the other, ranks interleaved as `pick` says; results by [rank]. */
function interleave(
  worldSize: number,
  calls: readonly { schedule: Schedule; range: Range }[],
  pick: (choices: number) => number,
): Float32Array[] {
  const layout = arenaLayout(createArena(worldSize, LENGTH));
  const progress = new Array<number>(worldSize).fill(0);
  const walkers = layout.inputs.map((input, rank) => {
    const programs = calls.map(({ schedule, range }) =>
      bindProgram(layout, rank, floats(schedule, range)),
    );
    const refill = (collective: number) => input.set(inputOf(rank, collective));
    return new Walker(programs, rank, progress, refill);
  });
  while (walkers.some((walker) => !walker.done)) {
    const order = walkers.map((_, i) => i);
    let moved = false;
    while (!moved && order.length > 0) {
      const [index] = order.splice(pick(order.length), 1);
      moved = walkers[index as number]?.move() ?? false;
    }
    if (!moved) throw new Error('deadlock');
  }
  return [...layout.outputs];
}

test('TR-1 any schedule, ranks interleaved in any way, gives the result of the simulation', () => {
  fc.assert(
    fc.property(
      anySchedule,
      anyRange,
      fc.infiniteStream(fc.nat(1000)),
      (schedule, range, picks) => {
        const pick = (choices: number) => (picks.next().value as number) % choices;
        const results = interleave(schedule.worldSize, [{ schedule, range }], pick);
        const vectors = results.map((_, rank) => inputOf(rank, 0));
        const expected = simulate(schedule, vectors, range);
        results.forEach((result, rank) => {
          expect(result.subarray(range.start, range.end)).toEqual(
            expected[rank]?.subarray(range.start, range.end),
          );
          expect(result.subarray(0, range.start).every((value) => value === 0)).toBe(true);
          expect(result.subarray(range.end).every((value) => value === 0)).toBe(true);
        });
      },
    ),
    { numRuns: 400 },
  );
});

test('TR-2 a later collective never disturbs an earlier one, whoever runs ahead', () => {
  const range = { start: 0, end: LENGTH };
  fc.assert(
    fc.property(anySchedule, fc.infiniteStream(fc.nat(1000)), (schedule, picks) => {
      const pick = (choices: number) => (picks.next().value as number) % choices;
      const ring = ringAllReduce(schedule.worldSize);
      const broadcast = ringBroadcast(schedule.worldSize, 2);
      const calls = [ring, schedule, broadcast, schedule, ring, broadcast, ring, schedule].map(
        (each) => ({ schedule: each, range }),
      );
      const results = interleave(schedule.worldSize, calls, pick);
      const vectors = results.map((_, rank) => inputOf(rank, calls.length - 1));
      expect(results).toEqual(simulate(schedule, vectors));
    }),
    { numRuns: 200 },
  );
});

test('TR-8 in a ring a rank waits for its predecessor only, once a step', () => {
  const { ranks } = compile(ringAllReduce(5));
  ranks.forEach(({ operations, inputReaders, untouched }, rank) => {
    const predecessor = (rank + 4) % 5;
    expect(operations.map(({ waits }) => waits)).toEqual(
      operations.map((_, step) => [{ rank: predecessor, count: step + 1 }]),
    );
    expect(inputReaders).toEqual([]);
    expect(untouched).toEqual([]);
  });
});

test('TR-2 rank 0 of a broadcast stays until its input has been read', () => {
  const { ranks } = compile(ringBroadcast(3, 2));
  expect(ranks[0]?.inputReaders).toEqual([{ rank: 1, count: 3 }]);
  expect(ranks[0]?.untouched).toEqual([0, 1]);
});
