/** @file Schedules that transports are tested with. */
import type { Message, Schedule } from '#core/collective';

/** A valid schedule drawn from `seed`: swaps, forks and several sums into one chunk included. */
export function randomSchedule(seed: number, worldSize: number): Schedule {
  let state = seed | 0;
  const below = (n: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return (state >>> 10) % n;
  };
  const chunks = 1 + below(5);
  const message = (): Message => {
    const from = below(worldSize);
    const to = (from + 1 + below(worldSize - 1)) % worldSize;
    return { from, to, chunk: below(chunks), op: below(2) === 0 ? 'sum' : 'copy' };
  };
  const steps = Array.from({ length: worldSize > 1 ? 1 + below(6) : 0 }, () =>
    Array.from({ length: below(2 * worldSize + 1) }, message),
  );
  return { name: `random ${seed}`, worldSize, chunks, steps };
}

/** All-reduce by recursive doubling: every pair swaps the same chunk, and both overwrite it. */
export function recursiveDoubling(worldSize: number): Schedule {
  const steps: Message[][] = [];
  for (let distance = 1; distance < worldSize; distance *= 2) {
    steps.push(
      Array.from({ length: worldSize }, (_, rank) => ({
        from: rank,
        to: rank ^ distance,
        chunk: 0,
        op: 'sum' as const,
      })),
    );
  }
  return { name: 'recursive doubling', worldSize, chunks: 1, steps };
}
