/** @file The inner loops of a collective. */

/** target = a + b, element by element in fp32; all of one length. `target` may be `a` or `b`. */
export function addVectors(target: Float32Array, a: Float32Array, b: Float32Array): void {
  const length = target.length;
  for (let i = 0; i < length; i++) target[i] = (a[i] as number) + (b[i] as number);
}
