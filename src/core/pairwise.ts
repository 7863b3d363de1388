/** @file Exchange between pairs of ranks: what recursive doubling is made of. */
import type { Message, Schedule } from './collective.ts';

/**
 * One step in which ranks r and r xor `distance` send each other their vector; afterwards a rank's
 * output is its partner's input. Throws RangeError unless the distance is a power of two and every
 * rank has a partner.
 */
export function pairwiseExchange(worldSize: number, distance: number): Schedule {
  const isPower = distance >= 1 && (distance & (distance - 1)) === 0;
  if (!isPower || worldSize % (2 * distance) !== 0) {
    throw new RangeError(
      `pairwise exchange of ${worldSize} ranks over a distance of ${distance}: a power of two is ` +
        'needed, twice of which divides the ranks',
    );
  }
  const messages = Array.from({ length: worldSize }, (_, rank): Message => {
    return { from: rank, to: rank ^ distance, chunk: 0, op: 'copy' };
  });
  return { name: `pairwise-${distance}`, worldSize, chunks: 1, steps: [messages] };
}
