import { createRequire } from 'node:module';
import * as tf from '@tensorflow/tfjs-core';
import { describe, test } from 'vitest';
import type { MakeEngine } from './check-support.ts';
import { createEngine } from './create.ts';
import { precisionChecks } from './rounding-checks.ts';
import { checksFor } from './suite.ts';

// Keeps the cpu backend from advertising its native sister on every new instance.
tf.env().set('IS_NODE', false);

const wasmUrl = createRequire(import.meta.url).resolve(
  '@tensorflow/tfjs-backend-wasm/dist/tfjs-backend-wasm-simd.wasm',
);
const make: MakeEngine = (backend, model) => createEngine(backend, model, { wasmUrl });

describe.each(['fused', 'cpu', 'wasm'] as const)('%s', (backend) => {
  for (const check of [...checksFor(backend), ...precisionChecks(backend)]) {
    test(check.name, () => check.run(make, backend));
  }
});
