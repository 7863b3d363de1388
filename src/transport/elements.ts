/** @file What a collective's vectors hold: float32, 16-bit codes summed in their format, or bytes. */
import { decodeFloats, encodeFloats, FLOAT_FORMATS } from '#core/float-formats';
import { addVectors } from './vectors.ts';

/** Codes of fp16 and bf16 are added in that format, rounded after every sum; bytes are only copied. */
export type Elements = 'fp32' | 'fp16' | 'bf16' | 'bytes';

export type ElementArray = Float32Array | Uint16Array | Uint8Array;

const SIZES: Readonly<Record<Elements, number>> = { fp32: 4, fp16: 2, bf16: 2, bytes: 1 };

export const elementBytes = (elements: Elements): number => SIZES[elements];

/** Memory as `length` elements of this kind. */
export function viewAs(
  elements: Elements,
  buffer: ArrayBufferLike,
  byteOffset: number,
  length: number,
): ElementArray {
  switch (elements) {
    case 'fp32':
      return new Float32Array(buffer, byteOffset, length);
    case 'fp16':
    case 'bf16':
      return new Uint16Array(buffer, byteOffset, length);
    case 'bytes':
      return new Uint8Array(buffer, byteOffset, length);
  }
}

/** All of `vector`'s memory as elements of this kind. */
export function elementsOf(elements: Elements, vector: Float32Array): ElementArray {
  if (elements === 'fp32') return vector;
  const length = vector.byteLength / elementBytes(elements);
  return viewAs(elements, vector.buffer, vector.byteOffset, length);
}

/** target = own + source in the elements' arithmetic; all of one kind and length, `target` may be `own`. */
export function sumElements(
  elements: Elements,
  target: ElementArray,
  own: ElementArray,
  source: ElementArray,
): void {
  if (elements === 'bytes') throw new TypeError('Bytes cannot be added; only copies are allowed.');
  if (
    target instanceof Float32Array &&
    own instanceof Float32Array &&
    source instanceof Float32Array
  ) {
    addVectors(target, own, source);
  } else if (elements !== 'fp32') sumCodes(elements, target, own, source);
}

/** Small enough to stay in the first-level cache. */
const BLOCK = 2048;
const left = new Float32Array(BLOCK);
const right = new Float32Array(BLOCK);

function sumCodes(
  format: 'fp16' | 'bf16',
  target: ElementArray,
  own: ElementArray,
  source: ElementArray,
): void {
  const codes = FLOAT_FORMATS[format];
  for (let start = 0; start < target.length; start += BLOCK) {
    const end = Math.min(target.length, start + BLOCK);
    const sum = left.subarray(0, end - start);
    const other = right.subarray(0, end - start);
    decodeFloats(codes, own.subarray(start, end) as Uint16Array, sum);
    decodeFloats(codes, source.subarray(start, end) as Uint16Array, other);
    addVectors(sum, sum, other);
    encodeFloats(codes, sum, target.subarray(start, end) as Uint16Array);
  }
}
