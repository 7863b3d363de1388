/** @file Checks of emulated precision for every backend, as in suite.ts. Rules: docs/SPEC.md, PR. */
import * as tf from '@tensorflow/tfjs-core';
import {
  decodeCode,
  FLOAT_FORMAT_NAMES,
  FLOAT_FORMATS,
  type FloatFormat,
  roundFloats,
} from '#core/float-formats';
import type { Model } from '#core/model';
import { buildModel } from '#core/models';
import { randomStream } from '#core/random';
import { selectBackend } from './backends.ts';
import type { Check, MakeEngine } from './check-support.ts';
import type { BackendName } from './engine.ts';
import { roundTensor } from './rounding.ts';

const SIGN = 0x80000000;
const MIN_NORMAL_WORD = 0x00800000;
const INFINITY_WORD = 0x7f800000;
const RANDOM_WORDS = 20_000;

/** GPUs may flush fp32's subnormals to zero, and which bits a NaN has is theirs to choose. */
const isGpu = (backend: BackendName): boolean => backend === 'webgl' || backend === 'webgpu';

function wordOf(value: number): number {
  return new Uint32Array(Float32Array.of(value).buffer)[0] ?? 0;
}

/** Bits of every number of the format, of every midpoint of two, and of both their neighbours. */
function magnitudes(format: FloatFormat): number[] {
  const words: number[] = [];
  for (let code = 0; code < format.overflowCode; code++) {
    const value = decodeCode(format, code);
    const next = decodeCode(format, code + 1);
    const gap = Number.isFinite(next) ? next - value : value - decodeCode(format, code - 1);
    const middle = wordOf(value + gap / 2);
    words.push(wordOf(value), middle - 1, middle, middle + 1);
  }
  return words.filter((word) => word >= 0 && word < INFINITY_WORD);
}

/** All halfway cases in both signs, infinities, NaN and random bits. */
function awkwardValues(format: FloatFormat, backend: BackendName): Float32Array {
  const random = randomStream(9, 3);
  const words = magnitudes(format).flatMap((word) => [word, (word | SIGN) >>> 0]);
  words.push(0, SIGN, INFINITY_WORD, 0xff800000, 0x7fc00000);
  for (let i = 0; i < RANDOM_WORDS; i++) words.push(random.below(0x7fffffff));
  const kept = isGpu(backend)
    ? words.filter((word) => {
        const magnitude = word & 0x7fffffff;
        return magnitude === 0 || magnitude >= MIN_NORMAL_WORD;
      })
    : words;
  return new Float32Array(Uint32Array.from(kept).buffer);
}

function requireSameNumbers(found: Float32Array, expected: Float32Array, from: Float32Array): void {
  for (let i = 0; i < expected.length; i++) {
    if (Object.is(found[i], expected[i])) continue;
    throw new Error(`${from[i]} was rounded to ${found[i]}, expected ${expected[i]}`);
  }
}

function kernelCheck(format: FloatFormat): Check {
  return {
    name: `PR-10 the rounding kernel equals the integer steps to the bit: ${format.name}`,
    run: async (make, backend) => {
      const engine = await make(backend, MLP);
      try {
        if (backend !== 'fused') selectBackend(backend);
        const values = awkwardValues(format, backend);
        const expected = values.slice();
        roundFloats(format, expected);
        const x = tf.tensor1d(values);
        const y = roundTensor(x, format);
        const found = await y.data<'float32'>();
        x.dispose();
        y.dispose();
        requireSameNumbers(found, expected, values);
      } finally {
        engine.dispose();
      }
    },
  };
}

const MLP = buildModel(
  { kind: 'mlp', hidden: [6, 5], activation: 'tanh' },
  { kind: 'points', features: 2, classes: 2 },
);
const CNN = buildModel(
  { kind: 'cnn', channels: [3, 4], dense: 5 },
  { kind: 'image', height: 6, width: 5, classes: 3 },
);
const NORMED = buildModel(
  { kind: 'cnn', channels: [3, 4], dense: 5, norm: 'batch' },
  { kind: 'image', height: 6, width: 5, classes: 3 },
);
const TRANSFORMER = buildModel(
  { kind: 'transformer', width: 4, heads: 2, depth: 1, context: 3 },
  { kind: 'text', vocabulary: 5 },
);

function batchFor(model: Model) {
  const random = randomStream(8, 2);
  const { task, segments } = model;
  const length = 3 * (segments[0]?.inputShape.reduce((a, b) => a * b, 1) ?? 0);
  if (task.kind === 'text') {
    const tokens = Int32Array.from({ length }, () => random.below(task.vocabulary));
    return { size: 3, x: tokens, y: tokens.slice().reverse() };
  }
  const x = Float32Array.from({ length }, () => random.uniform() * 2 - 1);
  return { size: 3, x, y: Int32Array.of(0, 1, 1) };
}

async function gradientIn(
  make: MakeEngine,
  backend: BackendName,
  model: Model,
  precision: { format: 'fp32' | 'fp16' | 'bf16' | 'e4m3' | 'e5m2'; lossScale: number },
) {
  const random = randomStream(7, 1);
  const length = model.parameterCount;
  const weights = Float32Array.from({ length }, () => random.uniform() - 0.5);
  const gradient = new Float32Array(length);
  const engine = await make(backend, model);
  try {
    const buffers = new Float32Array(model.bufferCount);
    const result = await engine.gradient(weights, buffers, batchFor(model), gradient, precision);
    return { ...result, gradient };
  } finally {
    engine.dispose();
  }
}

const largest = (values: Float32Array): number =>
  values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);

/** A few roundings of the format's relative half step, relative to the largest element. */
const AWAY = { fp16: 2 ** -8, bf16: 2 ** -5, e5m2: 0.7, e4m3: 0.7 } as const;

function modelCheck(name: string, model: Model): Check {
  return {
    name: `PR-11 a gradient in a narrow format is near that in fp32, and of the format: ${name}`,
    run: async (make, backend) => {
      const exact = await gradientIn(make, backend, model, { format: 'fp32', lossScale: 1 });
      if (exact.census !== null) throw new Error('fp32 has a census');
      for (const format of FLOAT_FORMAT_NAMES) {
        const lossScale = 256;
        const found = await gradientIn(make, backend, model, { format, lossScale });
        const of = FLOAT_FORMATS[format === 'e4m3' ? 'e5m2' : format];
        const again = found.gradient.slice();
        roundFloats(of, again);
        requireSameNumbers(again, found.gradient, found.gradient);
        if (found.census?.total !== model.parameterCount) throw new Error('the census is short');
        const allowed = AWAY[format] * largest(exact.gradient);
        found.gradient.forEach((value, i) => {
          const off = Math.abs(value / lossScale - (exact.gradient[i] ?? Number.NaN));
          if (!(off <= allowed)) throw new Error(`${format}, element ${i}: off by ${off}`);
        });
        const lossOff = Math.abs(found.loss - exact.loss);
        if (!(lossOff <= 8 * AWAY[format])) throw new Error(`${format}: loss off by ${lossOff}`);
      }
    },
  };
}

function underflowCheck(): Check {
  return {
    name: 'PR-9 a loss scale keeps gradients that fp16 loses without it',
    run: async (make, backend) => {
      const tiny = await gradientIn(make, backend, MLP, { format: 'fp16', lossScale: 2 ** -22 });
      const scaled = await gradientIn(make, backend, MLP, { format: 'fp16', lossScale: 1024 });
      if (largest(tiny.gradient) > 2 ** -22) throw new Error('hardly anything was lost');
      if (largest(scaled.gradient) < 1) throw new Error('the scale did not reach the gradient');
      const { underflowed = 0 } = scaled.census ?? {};
      if (underflowed > 0) throw new Error(`${underflowed} entries were lost in spite of it`);
    },
  };
}

/** The checks of emulated precision that apply to `backend`. */
export function precisionChecks(backend: BackendName): Check[] {
  const checks = [modelCheck('mlp', MLP), underflowCheck()];
  if (backend === 'fused') return checks;
  const kernels = FLOAT_FORMAT_NAMES.map((name) => kernelCheck(FLOAT_FORMATS[name]));
  return [
    ...kernels,
    ...checks,
    modelCheck('cnn', CNN),
    modelCheck('cnn with batch norm', NORMED),
    modelCheck('transformer', TRANSFORMER),
  ];
}
