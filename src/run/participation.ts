/** @file What a record says of steps that the ranks do not share alike: dropped, balanced, asynchronous. */
import type { SyncConfig } from '#core/plan';
import type { StepPart, StepReport } from '#protocol/replica';
import type { StepEvent } from './log.ts';

/** Every rank's part, or null where all take part alike. */
export type Parted = readonly StepPart[] | null;

/** The parts of a step's reports. Throws where only some ranks report one. */
export function partsOf(perRank: readonly StepReport[]): Parted {
  const parts = perRank.flatMap(({ part }) => part ?? []);
  if (parts.length === 0) return null;
  if (parts.length === perRank.length) return parts;
  throw new Error(`${parts.length} of ${perRank.length} ranks reported a part; all or none do`);
}

/** Mean of the losses, weighted by the ranks' shares where they have one; NaN without any. */
export function lossOf(perRank: readonly StepReport[]): number {
  let [sum, weights] = [0, 0];
  for (const { loss, part } of perRank) {
    if (loss === null) continue;
    const weight = part?.share ?? 1;
    sum += weight === 1 ? loss : weight * loss;
    weights += weight;
  }
  return sum / weights;
}

/** The fields of a step's record that only this kind of synchronisation has. */
export function participationOf(
  sync: SyncConfig,
  parts: readonly StepPart[],
): Pick<StepEvent, 'kept' | 'dropped' | 'sharePerRank' | 'pushes'> {
  const ranks = [...parts.keys()];
  switch (sync.kind) {
    case 'backup':
      return {
        kept: ranks.filter((rank) => (parts[rank]?.share ?? 0) > 0),
        dropped: ranks.filter((rank) => parts[rank]?.share === 0),
      };
    case 'async':
    case 'ssp':
      return { pushes: parts[0]?.pushes ?? [] };
    default:
      return { sharePerRank: parts.map(({ share }) => share) };
  }
}
