/**
 * @file Rounding to a narrow format as a kernel of its own on every backend: the integer steps of
 * core's float formats, on the host for cpu and wasm, as shaders for webgl and webgpu.
 */
import * as tf from '@tensorflow/tfjs-core';
import {
  FLOAT_FORMATS,
  type FloatFormat,
  type FloatFormatName,
  roundFloats,
} from '#core/float-formats';
import type { TfjsBackendName } from './device.ts';

export const ROUND_KERNEL = 'RoundToFormat';

const QUIET_NAN = 0x7fc00000;

type RoundOn<Backend> = (backend: Backend, x: tf.TensorInfo, format: FloatFormat) => tf.TensorInfo;

/** Registers the kernel for a backend, once a realm. */
export function registerRounding<Backend>(
  backendName: TfjsBackendName,
  round: RoundOn<Backend>,
): void {
  if (tf.getKernel(ROUND_KERNEL, backendName) !== undefined) return;
  tf.registerKernel({
    kernelName: ROUND_KERNEL,
    backendName,
    kernelFunc: ({ inputs, attrs, backend }) => {
      const { x } = inputs as { x: tf.TensorInfo };
      const { format } = attrs as { format: FloatFormatName };
      return round(backend as Backend, x, FLOAT_FORMATS[format]);
    },
  });
}

/** A copy of `values`, rounded. */
export function rounded(values: Float32Array, format: FloatFormat): Float32Array {
  const copy = values.slice();
  roundFloats(format, copy);
  return copy;
}

/** What differs between GLSL and WGSL. */
export interface ShaderDialect {
  readonly uint: string;
  readonly int: string;
  readonly declare: (type: string, name: string, value: string) => string;
}

const hex = (word: number): string => `0x${word.toString(16)}u`;

/**
 * The steps of `roundFloats` in the integer arithmetic that both shading languages have: statements
 * that turn the float32 bits `w` into the rounded bits `r`.
 */
export function roundingSource(format: FloatFormat, dialect: ShaderDialect): string {
  const { droppedBits, minExponent, limitWord, overflowWord } = format;
  const { uint, int, declare } = dialect;
  const overflow = overflowWord === QUIET_NAN ? hex(QUIET_NAN) : 's | 0x7f800000u';
  return `
    ${declare(uint, 'm', 'w & 0x7fffffffu')}
    ${declare(uint, 's', 'w & 0x80000000u')}
    ${declare(uint, 'r', 's')}
    ${declare(int, 'below', `max(${minExponent} - ${int}(m >> 23u), 0)`)}
    ${declare(uint, 'shift', `${droppedBits}u + ${uint}(below)`)}
    if (m > 0x7f800000u) {
      r = ${hex(QUIET_NAN)};
    } else if (m > ${hex(limitWord)}) {
      r = ${overflow};
    } else if (shift == 24u && (m & 0x7fffffu) != 0u) {
      r = s | ((m & 0x7f800000u) + 0x800000u);
    } else if (shift < 24u) {
      ${declare(uint, 'odd', '(m >> shift) & 1u')}
      if (shift == 23u) { odd = 1u; }
      r = s | (((m + (1u << (shift - 1u)) - 1u + odd) >> shift) << shift);
    }`;
}
