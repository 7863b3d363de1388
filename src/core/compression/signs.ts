/** @file One bit an element: signSGD, EF-signSGD and 1-bit SGD are three ways to decode it. */
import { floatsAt, hasBit, packNegatives } from './bits.ts';
import type { Codec } from './codec.ts';

/** What an element of each sign is decoded to. */
interface SignValues {
  readonly negative: number;
  readonly positive: number;
}

/** The payload: `header` float32 numbers, then the signs. */
function signCodec(
  header: (values: Float32Array) => readonly number[],
  meaning: (header: Float32Array) => SignValues,
): Codec {
  return {
    encode: (values) => {
      const numbers = Float32Array.from(header(values));
      const payload = new Uint8Array(numbers.byteLength + Math.ceil(values.length / 8));
      payload.set(new Uint8Array(numbers.buffer));
      packNegatives(values, payload.subarray(numbers.byteLength));
      return payload;
    },
    decodeInto: (payload, target, factor) => {
      const headerBytes = payload.byteLength - Math.ceil(target.length / 8);
      const { negative, positive } = meaning(floatsAt(payload, 0, headerBytes / 4));
      const signs = payload.subarray(headerBytes);
      for (let i = 0; i < target.length; i++) {
        target[i] += factor * (hasBit(signs, i) ? negative : positive);
      }
    },
  };
}

/** signSGD [Bernstein et al. 2018]: the sign alone, 0 as positive [GRACE]; no header. */
export const signSgdCodec: Codec = signCodec(
  () => [],
  () => ({ negative: -1, positive: 1 }),
);

/** EF-signSGD [Karimireddy et al. 2019]: sign times the mean magnitude |p|_1 / d. */
export const meanSignCodec: Codec = signCodec(
  (values) => {
    let sum = 0;
    for (const value of values) sum += Math.abs(value);
    return [values.length === 0 ? 0 : sum / values.length];
  },
  ([mean]) => ({ negative: -mean, positive: mean }),
);

/** 1-bit SGD [Seide et al. 2014]: the mean of the negatives, or of the others [GRACE onebit.py]. */
export const oneBitCodec: Codec = signCodec(
  (values) => {
    let [negatives, negativeSum, otherSum] = [0, 0, 0];
    for (const value of values) {
      if (value < 0) {
        negatives++;
        negativeSum += value;
      } else {
        otherSum += value;
      }
    }
    const others = values.length - negatives;
    return [negativeSum / Math.max(1, negatives), otherSum / Math.max(1, others)];
  },
  ([negative, positive]) => ({ negative, positive }),
);
