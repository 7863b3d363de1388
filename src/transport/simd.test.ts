import fc from 'fast-check';
import { expect, test } from 'vitest';
import { adderFor } from './simd.ts';
import { addVectors } from './vectors.ts';

const memory = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
const LENGTH = 40;

/** Any floats but NaN, whose bits are free. */
const floats = fc.array(fc.float({ noNaN: true }), { minLength: LENGTH, maxLength: LENGTH });

function vectors(buffer: ArrayBufferLike, length: number, offset: number): Float32Array[] {
  return [0, 1, 2].map((i) => new Float32Array(buffer, 4 * (i * 50 + offset), length));
}

test('TR-1 SIMD sums equal plain fp32 sums to the bit, whatever length and offset', () => {
  const add = adderFor(memory);
  fc.assert(
    fc.property(floats, floats, fc.nat(LENGTH), fc.nat(7), (x, y, length, offset) => {
      for (const buffer of [memory.buffer, new ArrayBuffer(4 * 200)]) {
        const [target, a, b] = vectors(buffer, length, offset);
        a.set(x.slice(0, length));
        b.set(y.slice(0, length));
        target.fill(7);
        add(target, a, b);
        const sums = Float32Array.from({ length }, (_, i) => Math.fround(a[i] + b[i]));
        expect(new Uint8Array(target.slice().buffer)).toEqual(new Uint8Array(sums.buffer));
      }
    }),
  );
});

test('an adder writes the target only, and may add in place', () => {
  for (const add of [adderFor(memory), addVectors]) {
    const whole = new Float32Array(memory.buffer, 0, 64).fill(1);
    const target = whole.subarray(3, 30);
    add(target, target, whole.subarray(32, 59));
    const expected = Array.from({ length: 64 }, (_, i) => (i >= 3 && i < 30 ? 2 : 1));
    expect([...whole]).toEqual(expected);
  }
});
