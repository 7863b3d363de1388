import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BitReader, BitWriter, floatsAt, hasBit, packNegatives, wordsAt } from './bits.ts';

test('CP-2 fields come back as they were written, in as many bytes as their bits need', () => {
  const field = fc
    .integer({ min: 0, max: 24 })
    .chain((width) => fc.tuple(fc.integer({ min: 0, max: 2 ** width - 1 }), fc.constant(width)));
  fc.assert(
    fc.property(fc.array(field), fc.nat(64), (fields, guess) => {
      const writer = new BitWriter(guess);
      let bits = 0;
      for (const [value, width] of fields) {
        writer.write(value, width);
        bits += width;
      }
      const bytes = writer.finish();
      expect(bytes.length).toBe(Math.ceil(bits / 8));
      const reader = new BitReader(bytes);
      for (const [value, width] of fields) expect(reader.read(width)).toBe(value);
    }),
  );
});

test('CP-2 one bit an element says whether it is negative', () => {
  const values = Float32Array.of(-1, 0, -0, 2, Number.NaN, -3, 1, 1, -1e-45);
  const bytes = new Uint8Array(2);
  packNegatives(values, bytes);
  expect([...bytes]).toEqual([0b100001, 1]);
  expect([...values.keys()].filter((i) => hasBit(bytes, i))).toEqual([0, 5, 8]);
});

test('CP-2 numbers are read from a payload at any address', () => {
  const bytes = new Uint8Array(13);
  bytes.set(new Uint8Array(Float32Array.of(1.5, -2).buffer), 3);
  expect([...floatsAt(bytes, 3, 2)]).toEqual([1.5, -2]);
  expect([...floatsAt(bytes.subarray(3), 4, 1)]).toEqual([-2]);
  bytes.set(new Uint8Array(Uint32Array.of(7, 4e9).buffer), 4);
  expect([...wordsAt(bytes, 4, 2)]).toEqual([7, 4e9]);
  expect([...wordsAt(bytes.subarray(1), 3, 2)]).toEqual([7, 4e9]);
});
