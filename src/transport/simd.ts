/** @file The inner loop again, four sums an instruction: a few times as fast as V8 on typed arrays. */
import { addVectors } from './vectors.ts';

/** target = a + b; see addVectors. */
export type AddVectors = typeof addVectors;

const LANES = 4;

/**
 * A WebAssembly module that imports memory "m" "m" (shared, at most 65,536 pages) and exports
 * "a" (target, a, b, end: i32), byte offsets: adds four floats a turn until target reaches end.
 * Sums are IEEE 754 binary32, so they equal the plain loop's to the bit.
 */
// biome-ignore format: one section or instruction a line
const MODULE = new Uint8Array([
  0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00,
  0x01, 0x08, 0x01, 0x60, 0x04, 0x7f, 0x7f, 0x7f, 0x7f, 0x00, // type: (i32, i32, i32, i32) -> ()
  0x02, 0x0b, 0x01, 0x01, 0x6d, 0x01, 0x6d, 0x02, 0x03, 0x00, 0x80, 0x80, 0x04, // import memory
  0x03, 0x02, 0x01, 0x00, // one function
  0x07, 0x05, 0x01, 0x01, 0x61, 0x00, 0x00, // export it
  0x0a, 0x36, 0x01, 0x34, 0x00, // its code
  0x03, 0x40, // loop
  0x20, 0x00, // target
  0x20, 0x01, 0xfd, 0x00, 0x00, 0x00, // v128.load a
  0x20, 0x02, 0xfd, 0x00, 0x00, 0x00, // v128.load b
  0xfd, 0xe4, 0x01, // f32x4.add
  0xfd, 0x0b, 0x00, 0x00, // v128.store
  0x20, 0x01, 0x41, 0x10, 0x6a, 0x21, 0x01, // a += 16
  0x20, 0x02, 0x41, 0x10, 0x6a, 0x21, 0x02, // b += 16
  0x20, 0x00, 0x41, 0x10, 0x6a, 0x22, 0x00, // target += 16
  0x20, 0x03, 0x49, // < end
  0x0d, 0x00, // again
  0x0b, 0x0b,
]);

/**
 * A function that adds vectors lying in the shared `memory`, and others by the plain loop; the
 * plain loop for all where the machine has no SIMD.
 */
export function adderFor(memory: WebAssembly.Memory): AddVectors {
  const addFours = instantiate(memory);
  if (!addFours) return addVectors;
  const { buffer } = memory;
  return (target, a, b) => {
    if (target.buffer !== buffer || a.buffer !== buffer || b.buffer !== buffer) {
      addVectors(target, a, b);
      return;
    }
    const inFours = target.length - (target.length % LANES);
    const end = target.byteOffset + inFours * Float32Array.BYTES_PER_ELEMENT;
    if (inFours > 0) addFours(target.byteOffset, a.byteOffset, b.byteOffset, end);
    for (let i = inFours; i < target.length; i++) target[i] = (a[i] as number) + (b[i] as number);
  };
}

type AddFours = (target: number, a: number, b: number, end: number) => void;

function instantiate(memory: WebAssembly.Memory): AddFours | null {
  if (!WebAssembly.validate(MODULE)) return null;
  const instance = new WebAssembly.Instance(new WebAssembly.Module(MODULE), { m: { m: memory } });
  return instance.exports.a as AddFours;
}
