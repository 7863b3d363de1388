/** @file What the learner sees of the model now: predictions, a decision boundary, text. */
import type { Plan } from '#core/plan';
import { PURPOSE, type RandomStream, randomStream } from '#core/random';
import { encodeImages } from '#data/pixels';
import type { Engine } from '#engine/engine';
import type { Probe, ReplicaData } from '#protocol/replica';

const DIGITS = 24;
const GRID = 48;
const GRID_EXTENT = 1.25;
const TEXT_LENGTH = 120;
const PROMPT = 'The whale ';

export interface ProbeSource {
  readonly plan: Plan;
  readonly data: ReplicaData;
  readonly weights: Float32Array;
  readonly buffers: Float32Array;
  /** Completed steps; names the random stream of generated text. */
  readonly step: number;
}

/** Looks at the model with rank 0's weights; it changes nothing that training uses. */
export async function probeModel(engine: Engine, source: ProbeSource): Promise<Probe | null> {
  switch (source.plan.model.task.kind) {
    case 'image':
      return probeDigits(engine, source);
    case 'points':
      return probeBoundary(engine, source);
    case 'text':
      return probeText(engine, source);
  }
}

async function probeDigits(engine: Engine, source: ProbeSource): Promise<Probe | null> {
  const { test } = source.data;
  if (test.kind !== 'labelled' || !(test.x instanceof Uint8Array)) return null;
  const count = Math.min(DIGITS, test.count);
  const pixels = test.x.length / Math.max(1, test.count);
  const images = test.x.slice(0, count * pixels);
  const x = encodeImages(images);
  const logits = await engine.logits(source.weights, source.buffers, x, count);
  const predictions = Uint8Array.from(rows(logits, count), indexOfLargest);
  return { kind: 'digits', images, labels: test.y.slice(0, count), predictions };
}

async function probeBoundary(engine: Engine, source: ProbeSource): Promise<Probe | null> {
  const { task } = source.plan.model;
  if (task.kind !== 'points' || task.features !== 2) return null;
  const points = new Float32Array(GRID * GRID * 2);
  for (let row = 0; row < GRID; row++) {
    for (let column = 0; column < GRID; column++) {
      const at = (row * GRID + column) * 2;
      points[at] = GRID_EXTENT * ((2 * (column + 0.5)) / GRID - 1);
      points[at + 1] = GRID_EXTENT * (1 - (2 * (row + 0.5)) / GRID);
    }
  }
  const count = GRID * GRID;
  const logits = await engine.logits(source.weights, source.buffers, points, count);
  const all = rows(logits, count);
  const winner = Uint8Array.from(all, indexOfLargest);
  const probability = Float32Array.from(all, (row, i) => {
    const [, second] = softmax(row);
    return task.classes === 2 ? (second ?? 0) : (softmax(row)[winner[i] ?? 0] ?? 0);
  });
  const { classes } = task;
  return { kind: 'boundary', size: GRID, extent: GRID_EXTENT, classes, winner, probability };
}

/** Samples characters one after another, each from the window of the last `context` ones. */
async function probeText(engine: Engine, source: ProbeSource): Promise<Probe | null> {
  const { spec } = source.plan.model;
  const alphabet = [...(source.data.alphabet ?? '')];
  if (spec.kind !== 'transformer' || alphabet.length === 0) return null;
  const stream = randomStream(source.plan.seed, PURPOSE.generation, 0, source.step);
  const tokens = [...PROMPT].map((character) => Math.max(0, alphabet.indexOf(character)));
  for (let i = 0; i < TEXT_LENGTH; i++) {
    tokens.push(await nextToken(engine, source, tokens, spec.context, stream));
  }
  const text = tokens.slice(PROMPT.length).map((token) => alphabet[token] ?? '');
  return { kind: 'text', prompt: PROMPT, text: text.join('') };
}

async function nextToken(
  engine: Engine,
  source: ProbeSource,
  tokens: readonly number[],
  context: number,
  stream: RandomStream,
): Promise<number> {
  const recent = tokens.slice(-context);
  const window = new Int32Array(context);
  window.set(recent);
  const logits = await engine.logits(source.weights, source.buffers, window, 1);
  const row = rows(logits, context)[recent.length - 1];
  return row === undefined ? 0 : draw(softmax(row), stream.uniform());
}

function draw(probabilities: Float32Array, uniform: number): number {
  let cumulative = 0;
  for (const [token, probability] of probabilities.entries()) {
    cumulative += probability;
    if (uniform < cumulative) return token;
  }
  return probabilities.length - 1;
}

function rows(flat: Float32Array, count: number): Float32Array[] {
  const length = flat.length / count;
  return Array.from({ length: count }, (_, i) => flat.subarray(i * length, (i + 1) * length));
}

function softmax(row: Float32Array): Float32Array {
  const largest = row.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
  const powers = row.map((value) => Math.exp(value - largest));
  const sum = powers.reduce((total, power) => total + power, 0);
  return powers.map((power) => power / sum);
}

function indexOfLargest(row: Float32Array): number {
  let best = 0;
  for (const [index, value] of row.entries()) if (value > (row[best] ?? value)) best = index;
  return best;
}
