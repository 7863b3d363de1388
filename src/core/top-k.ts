/**
 * @file Exact selection of the k largest magnitudes in O(n), without sorting: a radix descent over
 * the 31 bits of the magnitude (for non-negative floats, order of bits is order of values). NaN
 * stands above infinity, so that it is always selected and nothing hides it.
 */

const MAGNITUDE = 0x7fffffff;

/** Digit widths from the top bit down; fewer passes, but a longer histogram, pay for long vectors. */
const LONG_DIGITS = [16, 15] as const;
const SHORT_DIGITS = [11, 10, 10] as const;
const LONG_VECTOR = 1 << 15;

const counts = new Uint32Array(1 << 16);

/** Counts, by digit, the magnitudes whose higher bits equal `prefix`. */
function countDigits(words: Int32Array, prefix: number, shift: number, width: number): void {
  const mask = (1 << width) - 1;
  const above = shift + width;
  counts.fill(0, 0, mask + 1);
  if (above === 31) {
    for (let i = 0; i < words.length; i++) counts[(words[i] & MAGNITUDE) >>> shift]++;
    return;
  }
  for (let i = 0; i < words.length; i++) {
    const magnitude = words[i] & MAGNITUDE;
    if (magnitude >>> above === prefix) counts[(magnitude >>> shift) & mask]++;
  }
}

interface Threshold {
  /** The k-th largest magnitude, as bits. */
  readonly word: number;
  /** How many elements of exactly that magnitude belong to the k. */
  readonly ties: number;
}

function findThreshold(words: Int32Array, k: number): Threshold {
  const digits = words.length < LONG_VECTOR ? SHORT_DIGITS : LONG_DIGITS;
  let prefix = 0;
  let wanted = k;
  let shift = 31;
  for (const width of digits) {
    shift -= width;
    countDigits(words, prefix, shift, width);
    let digit = (1 << width) - 1;
    while (counts[digit] < wanted) wanted -= counts[digit--];
    prefix = (prefix << width) | digit;
  }
  return { word: prefix, ties: wanted };
}

/**
 * Writes the indices of the `indices.length` largest magnitudes of `values` into `indices`,
 * ascending. Among equal magnitudes the lower index goes first. Allocates nothing that grows.
 * Throws RangeError if there are fewer values than indices.
 */
export function selectTopK(values: Float32Array, indices: Uint32Array): void {
  const k = indices.length;
  if (k > values.length) {
    throw new RangeError(
      `selectTopK: ${k} of ${values.length} values; at most all can be selected`,
    );
  }
  if (k === 0) return;
  const words = new Int32Array(values.buffer, values.byteOffset, values.length);
  const threshold = findThreshold(words, k);
  let { ties } = threshold;
  let found = 0;
  for (let i = 0; found < k; i++) {
    const magnitude = words[i] & MAGNITUDE;
    if (magnitude < threshold.word || (magnitude === threshold.word && ties-- <= 0)) continue;
    indices[found++] = i;
  }
}

/** k of a vector of `length`: `ratio` of it rounded down, but at least 1 [GRACE topk.py]. */
export function topKCount(length: number, ratio: number): number {
  return length === 0 ? 0 : Math.min(length, Math.max(1, Math.floor(ratio * length)));
}
