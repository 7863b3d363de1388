import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HashState, hashBytes, hashFloats, RollingHash } from './hash.ts';

const fromBits = (...bits: number[]): Float32Array => new Float32Array(new Int32Array(bits).buffer);

/** The definition again, on plain numbers, as docs/SPEC.md has it. */
function reference(words: readonly number[]): string {
  const rotate = (x: number, by: number): number => (x << by) | (x >>> (32 - by));
  const mix = (x: number): string => {
    let h = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
    h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
    return ((h ^ (h >>> 16)) >>> 0).toString(16).padStart(8, '0');
  };
  let a = 0x9e3779b9;
  let b = 0x243f6a88;
  for (const word of words) {
    a = rotate(Math.imul(a ^ word, 0xcc9e2d51), 15);
    b = Math.imul(rotate(b, 13) + word, 0x1b873593);
  }
  return mix(a ^ words.length) + mix(b ^ Math.imul(words.length, 0xcc9e2d51));
}

test('RN-5 a hash is 16 hexadecimal digits and follows its definition', () => {
  const bits = fc.array(fc.integer(), { maxLength: 40 });
  fc.assert(
    fc.property(bits, (words) => {
      const hash = hashFloats(fromBits(...words));
      expect(hash).toMatch(/^[0-9a-f]{16}$/);
      expect(hash).toBe(reference(words));
    }),
  );
});

test('RN-5 signed zeros and NaN payloads count by their bits', () => {
  expect(hashFloats(fromBits(0))).not.toBe(hashFloats(fromBits(0x80000000 | 0)));
  expect(hashFloats(fromBits(0x7fc00000))).toBe(hashFloats(fromBits(0x7fc00000)));
  expect(hashFloats(fromBits(0x7fc00000))).not.toBe(hashFloats(fromBits(0x7fc00001)));
});

test('RN-5 any changed element, any swap and any length shows', () => {
  const values = Float32Array.from({ length: 200 }, (_, i) => Math.fround(i * 0.37));
  const seen = new Set([hashFloats(values)]);
  for (let i = 0; i < values.length; i++) {
    const changed = values.slice();
    changed[i] = -changed[i] || 1e-45;
    seen.add(hashFloats(changed));
  }
  for (let i = 1; i < values.length; i++) {
    const swapped = values.slice();
    [swapped[i - 1], swapped[i]] = [swapped[i], swapped[i - 1]];
    seen.add(hashFloats(swapped));
  }
  for (let length = 0; length < 100; length++) seen.add(hashFloats(new Float32Array(length)));
  expect(seen.size).toBe(1 + 200 + 199 + 100);
});

test('RN-5 100,000 close vectors have 100,000 hashes, and both lanes are spread', () => {
  const pair = new Float32Array(2);
  const seen = new Set<string>();
  const bitCounts = new Uint32Array(64);
  const state = new HashState();
  for (let i = 0; i < 100_000; i++) {
    pair[0] = i % 317;
    pair[1] = Math.floor(i / 317);
    state.reset();
    state.update(pair);
    seen.add(state.toHex());
    for (let bit = 0; bit < 32; bit++) {
      bitCounts[bit] += (state.high() >>> bit) & 1;
      bitCounts[32 + bit] += (state.low() >>> bit) & 1;
    }
  }
  expect(seen.size).toBe(100_000);
  for (const count of bitCounts) expect(Math.abs(count - 50_000)).toBeLessThan(1_000);
});

test('RN-5 views of shared memory at any 4-byte offset hash like a copy', () => {
  const shared = new Float32Array(new SharedArrayBuffer(4 * 20));
  for (let i = 0; i < 20; i++) shared[i] = 1 / (i + 1);
  for (let offset = 0; offset < 8; offset++) {
    const view = shared.subarray(offset, offset + 12);
    expect(hashFloats(view)).toBe(hashFloats(Float32Array.from(view)));
  }
});

test('RN-5 a view hashed again shows its new values', () => {
  const values = new Float32Array(3);
  const before = hashFloats(values);
  values[1] = 1;
  expect(hashFloats(values)).not.toBe(before);
});

test('RN-5 pieces absorbed one after another equal the whole', () => {
  const values = Float32Array.from({ length: 9 }, (_, i) => i);
  const state = new HashState();
  state.update(values.subarray(0, 4));
  state.update(values.subarray(4));
  expect(state.toHex()).toBe(hashFloats(values));
});

test('RN-6 a chain depends on every hash folded into it and on their order', () => {
  const chainOf = (...vectors: number[][]): string => {
    const chain = new HashState();
    const step = new HashState();
    for (const vector of vectors) {
      step.reset();
      step.update(Float32Array.from(vector));
      chain.fold(step);
    }
    return chain.toHex();
  };
  expect(chainOf([1], [2])).toBe(chainOf([1], [2]));
  expect(new Set([chainOf([1], [2]), chainOf([2], [1]), chainOf([1]), chainOf()]).size).toBe(4);
});

test('DA-4 the checksum of bytes is the hash of one word a byte', () => {
  expect(hashBytes(Uint8Array.of(0, 1, 255))).toBe(reference([0, 1, 255]));
  expect(hashBytes(new TextEncoder().encode('ringside'))).toBe('3e18d486871f2232');
});

test('LG-2 the rolling hash knows where one text ends', () => {
  const roll = (...texts: string[]): string => {
    const hash = new RollingHash();
    for (const text of texts) hash.update(text);
    return hash.toHex();
  };
  expect(roll('ab', 'c')).toBe(roll('ab', 'c'));
  expect(new Set([roll('ab', 'c'), roll('a', 'bc'), roll('abc'), roll('abc', '')]).size).toBe(4);
});
