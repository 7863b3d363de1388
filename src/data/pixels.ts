/** @file Pixels as the models see them: scaled by MNIST's usual mean and deviation. */

const MEAN = 0.1307;
const DEVIATION = 0.3081;

/** The value of each byte: (byte / 255 - 0.1307) / 0.3081, as PyTorch's MNIST example has it. */
export const SCALED_PIXEL = Float32Array.from(
  { length: 256 },
  (_, byte) => (byte / 255 - MEAN) / DEVIATION,
);

/** Bytes to model input, element by element. */
export function encodeImages(pixels: Uint8Array): Float32Array {
  return Float32Array.from(pixels, (byte) => SCALED_PIXEL[byte] ?? 0);
}

/** Model input back to bytes, element by element. */
export function decodeImages(values: Float32Array): Uint8Array {
  return Uint8Array.from(values, (value) => Math.round((value * DEVIATION + MEAN) * 255));
}
