/**
 * @file Horovod's tensor fusion, an alternative to PyTorch's buckets: each cycle, what has become
 * ready goes together up to a threshold (horovod/common/operations.cc and controller.cc,
 * FuseResponses; docs/tensor-fusion.rst).
 */
import type { Range } from './collective.ts';
import type { Parameter } from './model.ts';

export interface FusionConfig {
  /** Milliseconds between two looks at what is ready; 0 looks whenever something becomes ready. */
  readonly cycleMilliseconds: number;
  /** Bytes that go together at most, but for a tensor that is larger alone; 0 disables fusion. */
  readonly thresholdBytes: number;
}

export const HOROVOD_FUSION: FusionConfig = { cycleMilliseconds: 1, thresholdBytes: 128 * 2 ** 20 };

export interface ReadyTensor {
  readonly bytes: number;
  /** Only tensors of one type go together. */
  readonly type: string;
  /** When the last rank reported it, in milliseconds since cycle 0. */
  readonly readyMilliseconds: number;
}

export interface FusedGroup {
  /** Indices, in the order in which they became ready. */
  readonly tensors: readonly number[];
  readonly bytes: number;
  /** The cycle in which the group is launched. */
  readonly launchMilliseconds: number;
}

/**
 * Which tensors go together, in launch order. Tensors that became ready at the same moment count in
 * order of index.
 */
export function fuse(tensors: readonly ReadyTensor[], config: FusionConfig): FusedGroup[] {
  const order = tensors
    .map((_, index) => index)
    .sort((a, b) => tensors[a].readyMilliseconds - tensors[b].readyMilliseconds || a - b);
  const groups: FusedGroup[] = [];
  for (let start = 0; start < order.length; ) {
    const launch = cycleOf(tensors[order[start]], config);
    let end = start;
    while (end < order.length && cycleOf(tensors[order[end]], config) === launch) end++;
    for (const group of groupsOfCycle(order.slice(start, end), tensors, config.thresholdBytes)) {
      const bytes = group.reduce((sum, index) => sum + tensors[index].bytes, 0);
      groups.push({ tensors: group, bytes, launchMilliseconds: launch });
    }
    start = end;
  }
  return groups;
}

/** The first cycle at or after the moment at which a tensor was ready. */
function cycleOf({ readyMilliseconds }: ReadyTensor, { cycleMilliseconds }: FusionConfig): number {
  if (cycleMilliseconds === 0) return readyMilliseconds;
  return Math.ceil(readyMilliseconds / cycleMilliseconds) * cycleMilliseconds;
}

function groupsOfCycle(
  ready: readonly number[],
  tensors: readonly ReadyTensor[],
  thresholdBytes: number,
): number[][] {
  const groups: number[][] = [];
  let queue = ready;
  while (queue.length > 0) {
    const { group, rest } = takeGroup(queue, tensors, thresholdBytes);
    groups.push(group);
    queue = rest;
  }
  return groups;
}

/**
 * The first of the queue and those that fit with it. Those that do not are skipped, so that mixed
 * types do not break up groups, but only as long as the skipped ones would have fitted too.
 */
function takeGroup(
  queue: readonly number[],
  tensors: readonly ReadyTensor[],
  thresholdBytes: number,
): { group: number[]; rest: number[] } {
  const { type } = tensors[queue[0]];
  const group = [queue[0]];
  const skipped: number[] = [];
  let bytes = tensors[queue[0]].bytes;
  let skippedBytes = 0;
  let next = 1;
  for (; next < queue.length; next++) {
    const candidate = tensors[queue[next]];
    if (candidate.type === type && bytes + candidate.bytes <= thresholdBytes) {
      bytes += candidate.bytes;
      group.push(queue[next]);
      continue;
    }
    skippedBytes += candidate.bytes;
    if (bytes + skippedBytes > thresholdBytes) break;
    skipped.push(queue[next]);
  }
  return { group, rest: [...skipped, ...queue.slice(next)] };
}

/**
 * The ranges of the flat fp32 vector that are reduced together, in launch order;
 * `readyMilliseconds` [parameter]. Of equally ready parameters the last ones go first, as in
 * backward. Throws RangeError where a group is not one piece of the vector.
 */
export function fusionRanges(
  parameters: readonly Parameter[],
  readyMilliseconds: readonly number[],
  config: FusionConfig,
): Range[] {
  const backward = parameters.toReversed();
  const ready = readyMilliseconds.toReversed();
  const tensors = backward.map(({ length }, i): ReadyTensor => {
    return { bytes: 4 * length, type: 'fp32', readyMilliseconds: ready[i] };
  });
  return fuse(tensors, config).map((group) => rangeOf(group.tensors.map((i) => backward[i])));
}

function rangeOf(parameters: readonly Parameter[]): Range {
  const start = Math.min(...parameters.map(({ offset }) => offset));
  const end = Math.max(...parameters.map(({ offset, length }) => offset + length));
  const covered = parameters.reduce((sum, { length }) => sum + length, 0);
  if (covered !== end - start) {
    const names = parameters.map(({ name }) => name).join(', ');
    throw new RangeError(
      `fusionRanges: ${names} lie apart in the vector; gradients must become ready in the order ` +
        'of the vector or in its reverse',
    );
  }
  return { start, end };
}
