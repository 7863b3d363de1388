/** @file Parts that schedules are put together from. */
import type { Message, Schedule } from './collective.ts';

export type Steps = Schedule['steps'];

/** Throws RangeError unless `worldSize` is a positive integer; `where` names who was asked. */
export function requireWorldSize(where: string, worldSize: number): void {
  if (Number.isInteger(worldSize) && worldSize >= 1) return;
  throw new RangeError(`${where}: world size ${worldSize}; a positive integer is allowed`);
}

/** Step lists that start at the same time: step i holds the messages of everybody's step i. */
export function together(...lists: readonly Steps[]): Message[][] {
  const count = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: count }, (_, step) => lists.flatMap((steps) => steps[step] ?? []));
}

/**
 * The way back of a reduction: its messages reversed, last step first, as copies. Where every chunk
 * was summed along a tree of ranks, its total goes down the same tree, so all ranks end equal to
 * the bit.
 */
export function mirrored(steps: Steps): Message[][] {
  return steps
    .toReversed()
    .map((messages) =>
      messages.map(({ from, to, chunk }) => ({ from: to, to: from, chunk, op: 'copy' })),
    );
}

/** `steps` of a small world, played by `ranks` of a larger one on `chunksOf(chunk)` of its chunks. */
export function placed(
  steps: Steps,
  ranks: readonly number[],
  chunksOf: (chunk: number) => readonly number[],
): Message[][] {
  return steps.map((messages) =>
    messages.flatMap(({ from, to, chunk, op }) =>
      chunksOf(chunk).map((each) => ({ from: ranks[from], to: ranks[to], chunk: each, op })),
    ),
  );
}
