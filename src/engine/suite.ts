/**
 * @file One suite for every backend, in Node and in a browser's worker. Each check throws an Error
 * that says what was off. Rules and tolerances: docs/SPEC.md, EN.
 */
import * as tf from '@tensorflow/tfjs-core';
import type { Model, ModelSpec, TaskShape } from '#core/model';
import { buildModel } from '#core/models';
import {
  type Check,
  GRADIENT_TOLERANCE,
  gradientOf,
  largest,
  type MakeEngine,
  requireClose,
  requireSame,
  someBatch,
  someBuffers,
  someWeights,
  withEngine,
} from './check-support.ts';
import type { BackendName, Batch, Engine } from './engine.ts';
import { normChecks } from './norm-checks.ts';
import { referenceGradient, referenceLoss } from './reference.ts';

interface Case {
  readonly name: string;
  readonly spec: ModelSpec;
  readonly task: TaskShape;
}

const IMAGE: TaskShape = { kind: 'image', height: 6, width: 5, classes: 3 };
const POINTS: TaskShape = { kind: 'points', features: 2, classes: 2 };
const TEXT: TaskShape = { kind: 'text', vocabulary: 5 };
/** One odd batch size nearly everywhere: shaders are compiled for each shape. */
const SIZE = 3;

const DENSE_CASES: readonly Case[] = [
  { name: 'softmax', spec: { kind: 'softmax' }, task: IMAGE },
  ...(['relu', 'tanh', 'gelu'] as const).map((activation): Case => {
    return {
      name: `mlp ${activation}`,
      spec: { kind: 'mlp', hidden: [6, 5], activation },
      task: POINTS,
    };
  }),
];
const CNN: Case = { name: 'cnn', spec: { kind: 'cnn', channels: [3, 4], dense: 5 }, task: IMAGE };
const NORMED: Case = {
  name: 'cnn with batch norm',
  spec: { kind: 'cnn', channels: [3, 4], dense: 5, norm: 'batch' },
  task: IMAGE,
};
const TRANSFORMER: Case = {
  name: 'transformer',
  spec: { kind: 'transformer', width: 4, heads: 2, depth: 1, context: 3 },
  task: TEXT,
};

const SEGMENT_TOLERANCE = 1e-6;

function casesOf(backend: BackendName): readonly Case[] {
  return backend === 'fused' ? DENSE_CASES : [...DENSE_CASES, CNN, NORMED, TRANSFORMER];
}

async function agreesWithDifferences(
  make: MakeEngine,
  backend: BackendName,
  model: Model,
  weights: Float32Array,
  batch: Batch,
): Promise<void> {
  const { loss, gradient } = await withEngine(make, backend, model, (engine) => {
    return gradientOf(engine, weights, batch);
  });
  const tolerance = GRADIENT_TOLERANCE[backend];
  requireClose('loss', [loss], [referenceLoss(model, weights, batch)], tolerance);
  requireClose('gradient', gradient, referenceGradient(model, weights, batch), tolerance);
}

const awkward: readonly { name: string; scale: number; size: number; zero?: boolean }[] = [
  { name: 'a batch of one', scale: 0.5, size: 1 },
  { name: 'an odd batch', scale: 0.5, size: SIZE },
  { name: 'all-zero inputs', scale: 0.5, size: SIZE, zero: true },
];

function gradientChecks(each: Case): Check[] {
  const model = buildModel(each.spec, each.task);
  return awkward.map(({ name, scale, size, zero }) => ({
    name: `EN-2 gradient equals central differences: ${each.name}, ${name}`,
    run: (make, backend) => {
      const batch = someBatch(model, size);
      if (zero === true) batch.x.fill(0);
      return agreesWithDifferences(make, backend, model, someWeights(model, scale), batch);
    },
  }));
}

function agreementCheck(each: Case): Check {
  const model = buildModel(each.spec, each.task);
  return {
    name: `EN-3 gradient, logits and scores agree with the cpu backend: ${each.name}`,
    run: async (make, backend) => {
      const weights = someWeights(model, 0.4);
      const batch = someBatch(model, SIZE);
      const measure = async (engine: Engine) => {
        const { gradient } = await gradientOf(engine, weights, batch);
        const logits = await engine.logits(weights, someBuffers(model), batch.x, batch.size);
        return {
          gradient,
          logits,
          scores: await engine.evaluate(weights, someBuffers(model), batch),
        };
      };
      const ours = await withEngine(make, backend, model, measure);
      const theirs = await withEngine(make, 'cpu', model, measure);
      const tolerance = GRADIENT_TOLERANCE[backend === 'fused' ? 'cpu' : backend];
      requireClose('gradient', ours.gradient, theirs.gradient, tolerance);
      requireClose('logits', ours.logits, theirs.logits, tolerance);
      requireClose('loss sum', [ours.scores.lossSum], [theirs.scores.lossSum], tolerance);
      requireClose('correct', [ours.scores.correct], [theirs.scores.correct], 0);
      requireClose('count', [ours.scores.count], [batch.y.length], 0);
    },
  };
}

function largeLogitsCheck(each: Case): Check {
  const model = buildModel(each.spec, each.task);
  return {
    name: `EN-4 logits in the hundreds give a finite, right loss: ${each.name}`,
    run: (make, backend) => {
      return withEngine(make, backend, model, async (engine) => {
        const weights = someWeights(model, 0.5);
        const last = model.segments[model.segments.length - 1]?.parameters[0];
        const first = last?.offset ?? 0;
        weights.subarray(first, first + (last?.length ?? 0)).forEach((weight, i) => {
          weights[first + i] = weight * 1000;
        });
        const batch = someBatch(model, SIZE);
        const { loss, gradient } = await gradientOf(engine, weights, batch);
        const tolerance = GRADIENT_TOLERANCE[backend];
        requireClose('loss', [loss], [referenceLoss(model, weights, batch)], tolerance);
        if (!gradient.every(Number.isFinite)) throw new Error('the gradient is not finite');
      });
    },
  };
}

/** The gradient by the chain rule, one segment at a time. */
async function chainedGradient(engine: Engine, weights: Float32Array, batch: Batch) {
  const { segments } = engine.model;
  const gradient = new Float32Array(weights.length).fill(Number.NaN);
  const inputs: Batch['x'][] = [batch.x];
  for (let s = 0; s < segments.length; s++) {
    inputs.push(await engine.forward(s, weights, inputs[s] ?? batch.x, batch.size));
  }
  const dLogits = logitGradient(Float32Array.from(inputs.pop() ?? []), batch);
  let dy = dLogits;
  for (let s = segments.length - 1; s >= 0; s--) {
    dy = await engine.backward(s, weights, inputs[s] ?? batch.x, dy, batch.size, gradient);
  }
  return { gradient, inputGradient: dy, dLogits };
}

/** (softmax(logits) - onehot(y)) / n. */
function logitGradient(logits: Float32Array, { y }: Batch): Float32Array {
  const classes = logits.length / y.length;
  return logits.map((_, i) => {
    const row = Math.floor(i / classes);
    const values = Array.from(logits.subarray(row * classes, (row + 1) * classes));
    const top = Math.max(...values);
    const total = values.reduce((sum, value) => sum + Math.exp(value - top), 0);
    const probability = Math.exp((values[i % classes] ?? 0) - top) / total;
    return (probability - (y[row] === i % classes ? 1 : 0)) / y.length;
  });
}

function segmentCheck(each: Case): Check {
  const model = buildModel(each.spec, each.task);
  return {
    name: `EN-5 segment by segment gives the whole gradient: ${each.name}`,
    run: (make, backend) => {
      return withEngine(make, backend, model, async (engine) => {
        const weights = someWeights(model, 0.5);
        const batch = someBatch(model, SIZE);
        const whole = await gradientOf(engine, weights, batch);
        const chained = await chainedGradient(engine, weights, batch);
        // The loss's gradient comes from the host here, in other roundings than the backend's.
        const scale = Math.max(largest(whole.gradient), largest(chained.dLogits));
        requireClose('gradient', chained.gradient, whole.gradient, SEGMENT_TOLERANCE, scale);
        const expected = model.task.kind === 'text' ? 0 : batch.x.length;
        requireClose('input gradient length', [chained.inputGradient.length], [expected], 0);
      });
    },
  };
}

function repeatCheck(each: Case): Check {
  const model = buildModel(each.spec, each.task);
  return {
    name: `EN-6 the same call gives the same bits, in a new engine too: ${each.name}`,
    run: async (make, backend) => {
      const weights = someWeights(model, 0.5);
      const batch = someBatch(model, SIZE);
      const twice = async (engine: Engine) => {
        const first = await gradientOf(engine, weights, batch);
        const second = await gradientOf(engine, weights, batch);
        requireSame('second call', first.gradient, second.gradient);
        return first.gradient;
      };
      const one = await withEngine(make, backend, model, twice);
      requireSame('new engine', one, await withEngine(make, backend, model, twice));
    },
  };
}

function leakCheck(each: Case): Check {
  const model = buildModel(each.spec, each.task);
  return {
    name: `EN-7 no tensor is left behind: ${each.name}`,
    run: (make, backend) => {
      return withEngine(make, backend, model, async (engine) => {
        const weights = someWeights(model, 0.5);
        const batch = someBatch(model, SIZE);
        const count = () => (backend === 'fused' ? 0 : tf.memory().numTensors);
        await gradientOf(engine, weights, batch);
        const before = count();
        for (let i = 0; i < 2; i++) {
          await gradientOf(engine, weights, batch);
          await engine.evaluate(weights, someBuffers(model), batch);
          await chainedGradient(engine, weights, batch);
        }
        requireClose('tensors', [count()], [before], 0);
      });
    },
  };
}

function refusals(): Check {
  const model = buildModel(DENSE_CASES[1]?.spec ?? { kind: 'softmax' }, POINTS);
  return {
    name: 'EN-8 arguments that do not fit are refused by name',
    run: (make, backend) => {
      return withEngine(make, backend, model, async (engine) => {
        const weights = someWeights(model, 0.5);
        const batch = someBatch(model, SIZE);
        const short = { ...batch, x: batch.x.subarray(1) };
        const wrongLabel = { ...batch, y: Int32Array.of(0, 2, 1) };
        await requireRefused(() => gradientOf(engine, weights.subarray(1), batch), 'weights');
        await requireRefused(() => gradientOf(engine, weights, short), 'x of 3 samples');
        await requireRefused(() => gradientOf(engine, weights, wrongLabel), 'label 2: 0 ... 1');
      });
    },
  };
}

async function requireRefused(call: () => Promise<unknown>, text: string): Promise<void> {
  const outcome = await call().catch((error: unknown) => error);
  if (outcome instanceof RangeError && outcome.message.includes(text)) return;
  throw new Error(`expected a RangeError with "${text}", got ${String(outcome)}`);
}

/** Every check that applies to `backend`. */
export function checksFor(backend: BackendName): Check[] {
  const onGpu = backend === 'webgl' || backend === 'webgpu';
  return [
    ...casesOf(backend).flatMap((each) => [
      // An emulated GPU compiles shaders for seconds: there, awkward batches go with the CNN only.
      ...gradientChecks(each).filter(({ name }) => !onGpu || each === CNN || /odd/.test(name)),
      ...(backend === 'cpu' ? [] : [agreementCheck(each)]),
      largeLogitsCheck(each),
      segmentCheck(each),
      ...(onGpu ? [] : [repeatCheck(each)]),
      leakCheck(each),
    ]),
    ...(backend === 'fused' ? [] : normChecks()),
    refusals(),
  ];
}
