/**
 * @file Gradient buckets as PyTorch's reducer makes them (`compute_bucket_assignment_by_size`):
 * parameters in the order their gradients become ready, a bucket closed once it has reached its
 * limit, so that it may exceed it.
 */
import type { Range } from './collective.ts';
import type { Parameter } from './model.ts';
import type { BucketConfig } from './plan.ts';

const BYTES_PER_ELEMENT = 4;

/**
 * Buckets from iteration 1 on, in launch order: ready order is taken as the reverse of
 * registration, so each bucket is one range of the flat vector, the last parameters first.
 */
export function bucketRanges(
  parameters: readonly Parameter[],
  config: BucketConfig,
): readonly Range[] {
  const ranges: Range[] = [];
  let end = elementCount(parameters);
  let limit = config.firstBytes;
  for (const { offset } of parameters.toReversed()) {
    if ((end - offset) * BYTES_PER_ELEMENT < limit && offset > 0) continue;
    ranges.push({ start: offset, end });
    end = offset;
    limit = config.capBytes;
  }
  return ranges;
}

/** Iteration 0 reduces everything in one bucket (DDP's default flags set no limit before it). */
export function firstIterationRanges(parameters: readonly Parameter[]): readonly Range[] {
  const end = elementCount(parameters);
  return end === 0 ? [] : [{ start: 0, end }];
}

function elementCount(parameters: readonly Parameter[]): number {
  const last = parameters.at(-1);
  return last === undefined ? 0 : last.offset + last.length;
}
