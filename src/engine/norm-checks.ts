/** @file Checks of batch normalisation for every backend, as in suite.ts. Rules: docs/SPEC.md, EN. */
import * as tf from '@tensorflow/tfjs-core';
import type { Model, NormKind } from '#core/model';
import { buildModel } from '#core/models';
import {
  type Check,
  GRADIENT_TOLERANCE,
  gradientOf,
  type MakeEngine,
  requireClose,
  someBatch,
  someBuffers,
  someWeights,
  withEngine,
} from './check-support.ts';
import type { BackendName, Batch, Engine, NormExchange } from './engine.ts';
import { referenceBuffers, referenceLogits } from './reference.ts';

const IMAGE = { kind: 'image', height: 6, width: 5, classes: 3 } as const;
const modelWith = (norm: NormKind): Model =>
  buildModel({ kind: 'cnn', channels: [3, 4], dense: 5, norm }, IMAGE);
const LOCAL = modelWith('batch');
const SYNCHRONISED = modelWith('syncBatch');

/** Buffers after a batch, and logits by running statistics, against the reference. */
function buffersCheck(): Check {
  return {
    name: 'EN-21 running statistics move by a tenth, and evaluation normalises by them',
    run: (make, backend) => {
      return withEngine(make, backend, LOCAL, async (engine) => {
        const weights = someWeights(LOCAL, 0.5);
        const batch = someBatch(LOCAL, 3);
        const before = someBuffers(LOCAL);
        const { buffers } = await gradientOf(engine, weights, batch);
        const tolerance = GRADIENT_TOLERANCE[backend];
        requireClose(
          'buffers',
          buffers,
          referenceBuffers(LOCAL, weights, before, batch),
          tolerance,
        );
        const logits = await engine.logits(weights, before, batch.x, batch.size);
        const expected = referenceLogits(LOCAL, weights, before, batch);
        requireClose('logits', logits, expected, tolerance);
      });
    },
  };
}

/** As many exchanges as there are parts; each waits for all. */
function exchangesInMemory(count: number): NormExchange[] {
  let waiting: { values: Float32Array; resolve: (all: Float32Array[]) => void }[] = [];
  const meet = (rank: number, values: Float32Array): Promise<Float32Array[]> => {
    return new Promise((resolve) => {
      waiting[rank] = { values, resolve };
      if (Object.keys(waiting).length < count) return;
      const all = waiting;
      waiting = [];
      for (const each of all) each.resolve(all.map((other) => other.values.slice()));
    });
  };
  return Array.from({ length: count }, (_, rank) => ({
    gather: (values) => meet(rank, values),
    sum: async (values) => {
      const all = await meet(rank, values);
      return values.map((_, i) => all.reduce((sum, each) => sum + (each[i] ?? 0), 0));
    },
  }));
}

function cut(batch: Batch, start: number, end: number): Batch {
  const inputs = batch.x.length / batch.size;
  const x = batch.x.slice(start * inputs, end * inputs);
  return { size: end - start, x, y: batch.y.slice(start, end) };
}

/** Each part's gradient, computed at once, with and without the exchange. */
async function inParts(
  engines: readonly Engine[],
  weights: Float32Array,
  parts: readonly Batch[],
  exchanges: readonly (NormExchange | undefined)[],
) {
  return Promise.all(
    parts.map(async (part, i) => {
      const gradient = new Float32Array(weights.length);
      const before = someBuffers(SYNCHRONISED);
      const engine = engines[i] as Engine;
      const args = [weights, before, part, gradient, undefined, exchanges[i]] as const;
      const { loss, buffers } = await engine.gradient(...args);
      return { loss, buffers, gradient, size: part.size };
    }),
  );
}

const average = (parts: readonly { gradient: Float32Array }[]): Float32Array =>
  (parts[0]?.gradient ?? new Float32Array()).map(
    (_, i) => parts.reduce((sum, part) => sum + (part.gradient[i] ?? 0), 0) / parts.length,
  );

const engineOf = (make: MakeEngine, backend: BackendName) => make(backend, SYNCHRONISED);

/** Two ranks at once in one realm, over equal parts of a batch. */
function togetherCheck(): Check {
  return {
    name: 'EN-22 synchronised, the mean gradient of parts is that of the whole batch; alone it is not',
    run: async (make, backend) => {
      const engines = [await engineOf(make, backend), await engineOf(make, backend)];
      const [engine] = engines as [Engine];
      try {
        const weights = someWeights(SYNCHRONISED, 0.5);
        const batch = someBatch(SYNCHRONISED, 4);
        const halves = [cut(batch, 0, 2), cut(batch, 2, 4)];
        const whole = await gradientOf(engine, weights, batch);
        const before = tf.memory().numTensors;
        const together = await inParts(engines, weights, halves, exchangesInMemory(2));
        requireClose('tensors', [tf.memory().numTensors], [before], 0);
        const tolerance = 10 * GRADIENT_TOLERANCE[backend];
        requireClose('gradient', average(together), whole.gradient, tolerance);
        const loss = together.reduce((sum, part) => sum + part.loss / 2, 0);
        requireClose('loss', [loss], [whole.loss], tolerance);
        for (const { buffers } of together) {
          requireClose('buffers', buffers, whole.buffers, tolerance);
        }
        const local = await inParts(engines, weights, halves, []);
        requireFar(average(local), whole.gradient);
      } finally {
        for (const each of engines) each.dispose();
      }
    },
  };
}

/** What one rank says of three values must count thrice against another's one. */
function unequalCheck(): Check {
  return {
    name: 'EN-22 synchronised, unequal parts count by their size',
    run: async (make, backend) => {
      const engines = [await engineOf(make, backend), await engineOf(make, backend)];
      try {
        const weights = someWeights(SYNCHRONISED, 0.5);
        const batch = someBatch(SYNCHRONISED, 4);
        const parts = [cut(batch, 0, 3), cut(batch, 3, 4)];
        const found = await inParts(engines, weights, parts, exchangesInMemory(2));
        const before = someBuffers(SYNCHRONISED);
        const expected = referenceBuffers(SYNCHRONISED, weights, before, batch);
        for (const { buffers } of found) {
          requireClose('buffers', buffers, expected, GRADIENT_TOLERANCE[backend]);
        }
        const loss = found.reduce((sum, part) => sum + (part.size / 4) * part.loss, 0);
        const whole = await gradientOf(engines[0] as Engine, weights, batch);
        requireClose('loss', [loss], [whole.loss], 10 * GRADIENT_TOLERANCE[backend]);
      } finally {
        for (const each of engines) each.dispose();
      }
    },
  };
}

/** A pass that is given up in the middle leaves nothing, and the next one works. */
function abandonedCheck(): Check {
  return {
    name: 'EN-23 an exchange that fails ends the step with its error and leaves no tensor',
    run: (make, backend) => {
      return withEngine(make, backend, SYNCHRONISED, async (engine) => {
        const weights = someWeights(SYNCHRONISED, 0.5);
        const batch = someBatch(SYNCHRONISED, 3);
        const whole = await gradientOf(engine, weights, batch);
        const before = tf.memory().numTensors;
        const failAfter = (calls: number): NormExchange => {
          let left = calls;
          const answer = <T>(value: T): T => {
            if (left-- > 0) return value;
            throw new Error('given up');
          };
          return { gather: (values) => answer([values]), sum: (values) => answer(values) };
        };
        for (const calls of [0, 1, 2, 3]) {
          const error = await inParts([engine], weights, [batch], [failAfter(calls)]).catch(String);
          if (error !== 'Error: given up') throw new Error(`ended in ${String(error)}`);
          requireClose('tensors', [tf.memory().numTensors], [before], 0);
        }
        const [alone] = await inParts([engine], weights, [batch], [failAfter(4)]);
        const tolerance = GRADIENT_TOLERANCE[backend];
        requireClose('gradient', alone?.gradient ?? [], whole.gradient, tolerance);
      });
    },
  };
}

function requireFar(found: Float32Array, other: Float32Array): void {
  const off = found.reduce(
    (most, value, i) => Math.max(most, Math.abs(value - (other[i] ?? 0))),
    0,
  );
  const scale = other.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  if (off < 0.05 * scale) throw new Error(`local statistics are off by ${off} of ${scale} only`);
}

/** The checks of batch normalisation; every backend but fused has it. */
export function normChecks(): Check[] {
  return [buffersCheck(), togetherCheck(), unequalCheck(), abandonedCheck()];
}
