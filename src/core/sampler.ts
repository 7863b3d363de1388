/** @file Which sample goes to which rank: torch.randperm and torch's DistributedSampler, exactly. */
import { mt19937 } from './mt19937.ts';

/** 0, 1, ... n-1; a loop, as it is made each epoch and `from` with a callback is ten times slower. */
function identity(n: number): Uint32Array {
  const order = new Uint32Array(n);
  for (let i = 0; i < n; i++) order[i] = i;
  return order;
}

/** A random permutation of 0 ... n-1, equal to `torch.randperm` on the CPU with this seed. */
export function randperm(n: number, seed: number): Uint32Array {
  const order = identity(n);
  const generator = mt19937(seed);
  for (let i = 0; i < n - 1; i++) {
    const j = i + (generator.u32() % (n - i));
    const swapped = order[i];
    order[i] = order[j];
    order[j] = swapped;
  }
  return order;
}

/** The order of `n` samples in an epoch; shuffled with seed + epoch, as after `set_epoch(epoch)`. */
export function epochOrder(n: number, seed: number, epoch: number, shuffle: boolean): Uint32Array {
  return shuffle ? randperm(n, seed + epoch) : identity(n);
}

/** Samples a rank gets in each epoch; all ranks get the same number. */
export function samplesPerRank(n: number, worldSize: number, dropLast: boolean): number {
  if (dropLast && n % worldSize !== 0) return Math.max(0, Math.ceil((n - worldSize) / worldSize));
  return Math.ceil(n / worldSize);
}

/**
 * The indices of one rank: order[rank], order[rank + worldSize], ... over the order padded by
 * repeating it from its start (cyclically, if need be), or cut short when `dropLast`. The first
 * `used` of the order are left out, but for padding: ranks that take over pad as those before them.
 */
export function rankIndices(
  order: Uint32Array,
  worldSize: number,
  rank: number,
  dropLast: boolean,
  used = 0,
): Uint32Array {
  const indices = new Uint32Array(samplesPerRank(order.length - used, worldSize, dropLast));
  for (let i = 0; i < indices.length; i++) {
    indices[i] = order[(used + rank + i * worldSize) % order.length];
  }
  return indices;
}

/**
 * Whether a rank has a batch at `step` where the last rank has one batch less in an epoch: it has
 * none at the epoch's last step, as with a shard that is cut, not padded, and `drop_last`.
 */
export function hasBatch(
  step: number,
  rank: number,
  plan: { readonly worldSize: number; readonly stepsPerEpoch: number },
): boolean {
  const { worldSize, stepsPerEpoch } = plan;
  const isLast = worldSize > 1 && rank === worldSize - 1;
  return !(isLast && (step + 1) % stepsPerEpoch === 0);
}

/** The whole padded order behind the first `used`: the ranks' indices, sample by sample. */
export function paddedOrder(order: Uint32Array, worldSize: number, used = 0): Uint32Array {
  const share = samplesPerRank(order.length - used, worldSize, false);
  const padded = new Uint32Array(worldSize * share);
  for (let i = 0; i < padded.length; i++) padded[i] = order[(used + i) % order.length];
  return padded;
}

/** Steps of an epoch: batches of a rank's padded share, the last one perhaps smaller. */
export function stepsPerEpoch(trainCount: number, worldSize: number, batchPerRank: number): number {
  return Math.ceil(samplesPerRank(trainCount, worldSize, false) / batchPerRank);
}
