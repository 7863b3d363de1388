/** @file How a range of elements is cut into the chunks that a schedule moves. */
import type { Range } from './collective.ts';

/**
 * Range of chunk `chunk` when `range` is cut into `chunks` parts: the first (length mod chunks)
 * get one element more, and chunks may be empty. Throws RangeError for a chunk that is not there.
 */
export function chunkRange(range: Range, chunks: number, chunk: number): Range {
  if (!(chunk >= 0 && chunk < chunks)) {
    throw new RangeError(`chunkRange: chunk ${chunk}; 0 ... ${chunks - 1} is allowed`);
  }
  const length = range.end - range.start;
  const size = Math.floor(length / chunks);
  const longer = length % chunks;
  const start = range.start + chunk * size + Math.min(chunk, longer);
  return { start, end: start + size + (chunk < longer ? 1 : 0) };
}

/** All chunks of `range`, in order; together they cover it exactly. */
export function chunkRanges(range: Range, chunks: number): Range[] {
  return Array.from({ length: chunks }, (_, chunk) => chunkRange(range, chunks, chunk));
}
