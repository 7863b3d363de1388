/** @file Algorithm and bus bandwidth as nccl-tests reports them (doc/PERFORMANCE.md). */

export type CollectiveKind =
  | 'all-reduce'
  | 'all-gather'
  | 'reduce-scatter'
  | 'all-to-all'
  | 'broadcast'
  | 'reduce';

/** S/t in bytes a second; for all-gather and reduce-scatter S is the total of all ranks. */
export function algorithmBandwidth(bytes: number, seconds: number): number {
  return bytes / seconds;
}

/** Algorithm bandwidth times the collective's factor: comparable with a link's bandwidth for any N. */
export function busBandwidth(
  kind: CollectiveKind,
  worldSize: number,
  bytes: number,
  seconds: number,
): number {
  return algorithmBandwidth(bytes, seconds) * busBandwidthFactor(kind, worldSize);
}

/** Share of S that passes each rank's link: 2(n-1)/n, (n-1)/n or 1. */
export function busBandwidthFactor(kind: CollectiveKind, worldSize: number): number {
  const share = (worldSize - 1) / worldSize;
  switch (kind) {
    case 'all-reduce':
      return 2 * share;
    case 'all-gather':
    case 'reduce-scatter':
    case 'all-to-all':
      return share;
    case 'broadcast':
    case 'reduce':
      return 1;
  }
}
