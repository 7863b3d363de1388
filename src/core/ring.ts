/** @file Ring all-reduce as a schedule, with NCCL's indexing (nccl src/device/all_reduce.h). */
import type { Message, ReceiveOp, Schedule } from './collective.ts';

/**
 * Reduce-scatter, then all-gather, on a ring where rank r sends to r + 1. Chunk c is summed in the
 * order c+1, c+2, ..., c, so rank r ends the first half owning chunk r; every chunk is reduced
 * once and then copied, so all ranks end equal to the bit. A world of one has no steps.
 * Throws RangeError unless `worldSize` is a positive integer.
 */
export function ringAllReduce(worldSize: number): Schedule {
  if (!(Number.isInteger(worldSize) && worldSize >= 1)) {
    throw new RangeError(`ringAllReduce: world size ${worldSize}; a positive integer is allowed`);
  }
  const steps: Message[][] = [];
  for (let s = 0; s < worldSize - 1; s++) steps.push(ringStep(worldSize, 'sum', -1 - s));
  for (let s = 0; s < worldSize - 1; s++) steps.push(ringStep(worldSize, 'copy', -s));
  return { name: 'ring all-reduce', worldSize, chunks: worldSize, steps };
}

/** One step: every rank r sends chunk (r + shift) mod N to its successor; -N < shift <= 0. */
function ringStep(worldSize: number, op: ReceiveOp, shift: number): Message[] {
  const messages: Message[] = [];
  for (let rank = 0; rank < worldSize; rank++) {
    const to = rank + 1 === worldSize ? 0 : rank + 1;
    messages.push({ from: rank, to, chunk: (rank + shift + worldSize) % worldSize, op });
  }
  return messages;
}
