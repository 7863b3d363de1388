/** @file For tests: a few images in place of MNIST, from a server that is not there. */
import { hashBytes } from '#core/hash';

const PIXELS = 28 * 28;
const DIGITS = 10;

/** `count` images in the packed format: a bright square whose place tells the digit. */
function packedDigits(count: number): Uint8Array<ArrayBuffer> {
  const content = new Uint8Array(16 + count * (1 + PIXELS));
  content.set(new TextEncoder().encode('RSIM'));
  const header = new DataView(content.buffer);
  [1, count, PIXELS].forEach((value, i) => {
    header.setUint32(4 + 4 * i, value, true);
  });
  for (let i = 0; i < count; i++) {
    const digit = i % DIGITS;
    content[16 + i] = digit;
    for (let pixel = 0; pixel < 16; pixel++) {
      const row = 4 + 14 * Math.floor(digit / 5) + Math.floor(pixel / 4);
      const column = 2 + 5 * (digit % 5) + (pixel % 4);
      content[16 + count + i * PIXELS + 28 * row + column] = 255;
    }
  }
  return content;
}

/** A `fetch` that serves 160 training and 20 test images, and their manifest. */
export function serveDigits(): (url: string) => Promise<Response> {
  const files = { 'a.bin': packedDigits(80), 'b.bin': packedDigits(80), 't.bin': packedDigits(20) };
  const entry = (name: keyof typeof files) => {
    const bytes = files[name];
    const count = (bytes.length - 16) / (1 + PIXELS);
    return { name, bytes: bytes.length, count, checksum: hashBytes(bytes) };
  };
  const mnist = { train: [entry('a.bin'), entry('b.bin')], test: [entry('t.bin')] };
  const manifest = new TextEncoder().encode(JSON.stringify({ format: 1, data: { mnist } }));
  const served = new Map<string, Uint8Array<ArrayBuffer>>(Object.entries(files));
  served.set('manifest.json', manifest);
  return async (url) => new Response(served.get(url.split('/').at(-1) ?? ''));
}
