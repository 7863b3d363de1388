/** @file Exact top-k against a sort, each compressor's encode and decode, rounding to fp16. */
import type { Compressor, CompressorState } from '#core/compression/compressor';
import { type CompressionConfig, createCompressor } from '#core/compression/config';
import type { Exchange, Reply } from '#core/compression/exchange';
import { FLOAT_FORMATS, roundFloats } from '#core/float-formats';
import { PURPOSE, randomStream } from '#core/random';
import { selectTopK } from '#core/top-k';
import type { Measurement } from './measurement.ts';
import { bestOf } from './statistics.ts';

const LENGTH = 1_000_000;
const SELECTED = LENGTH / 100;
const MEGABYTES = (4 * LENGTH) / 1e6;
/** What is compared takes turns; the fastest of so many counts. */
const TURNS = 9;
const SORT_TURNS = 3;
const TOP_K_GOAL = 20;
const ROUNDING_GOAL = 4;
/** PowerSGD wants matrices. */
const ROWS = 1000;

const COMPRESSORS: readonly (readonly [string, CompressionConfig])[] = [
  ['cast to fp16', { kind: 'cast', format: 'fp16' }],
  ['cast to bf16', { kind: 'cast', format: 'bf16' }],
  ['top-k 1 %', { kind: 'topK', ratio: 0.01, errorFeedback: true, scope: 'bucket' }],
  [
    'random-k 1 %',
    { kind: 'randomK', ratio: 0.01, errorFeedback: true, scaled: false, scope: 'bucket' },
  ],
  [
    'DGC 1 %',
    {
      kind: 'dgc',
      ratio: 0.01,
      momentum: 0.9,
      nesterov: false,
      clipNorm: 0,
      warmUp: 'none',
      scope: 'bucket',
    },
  ],
  ['QSGD, 4 levels', { kind: 'qsgd', levels: 4, bucketSize: 512, coding: 'fixed' }],
  ['QSGD, 4 levels, Elias', { kind: 'qsgd', levels: 4, bucketSize: 512, coding: 'elias' }],
  ['TernGrad', { kind: 'ternGrad', clipDeviations: 2.5 }],
  ['signSGD', { kind: 'signSgd' }],
  ['EF-signSGD', { kind: 'efSignSgd' }],
  ['1-bit', { kind: 'oneBit', errorFeedback: true }],
  [
    'PowerSGD, rank 4',
    {
      kind: 'powerSgd',
      rank: 4,
      startStep: 2,
      minCompressionRate: 2,
      errorFeedback: true,
      warmStart: true,
    },
  ],
];

/** Wall ms of one call. */
function timed(work: () => void): number {
  const startMs = performance.now();
  work();
  return performance.now() - startMs;
}

/** The fastest of `turns` calls of each, in turns. */
function inTurns(turns: number, ...works: readonly (() => void)[]): number[] {
  const times = works.map((): number[] => []);
  for (let turn = 0; turn < turns; turn++) {
    works.forEach((work, i) => {
      times[i]?.push(timed(work));
    });
  }
  return times.map(bestOf);
}

function gradientLike(): Float32Array {
  const stream = randomStream(0, PURPOSE.pointsTrain);
  return Float32Array.from({ length: LENGTH }, () => 0.01 * stream.normal());
}

function measureSelection(gradient: Float32Array): Measurement {
  const indices = new Uint32Array(SELECTED);
  const magnitudes = new Float32Array(LENGTH);
  const sort = (): void => {
    for (let i = 0; i < LENGTH; i++) magnitudes[i] = Math.abs(gradient[i] ?? 0);
    magnitudes.sort();
  };
  const [select = 0] = inTurns(TURNS, () => selectTopK(gradient, indices));
  const [sorted = 0] = inTurns(SORT_TURNS, sort);
  return {
    name: 'exact top-k, 1 % of 1 M floats',
    unit: 'times as fast as a typed-array sort of the magnitudes',
    value: sorted / select,
    goal: { atLeast: TOP_K_GOAL },
    detail: `${select.toFixed(1)} ms against ${sorted.toFixed(0)} ms`,
  };
}

function answer(exchange: Exchange): Reply {
  return exchange.kind === 'allGather' ? [exchange.payload] : exchange.values;
}

/** One update at world size 1: what is encoded is decoded by the same rank. */
function update(
  compressor: Compressor,
  states: [CompressorState, CompressorState],
  gradient: Float32Array,
  average: Float32Array,
  step: number,
): void {
  const exchanges = compressor.update(states[0], states[1], gradient, average, {
    seed: 0,
    rank: 0,
    worldSize: 1,
    step,
    epoch: 0,
    learningRate: 0.1,
    offset: 0,
  });
  let turn = exchanges.next();
  while (!turn.done) turn = exchanges.next(answer(turn.value));
  states.reverse();
}

function measureCompressor(
  name: string,
  config: CompressionConfig,
  gradient: Float32Array,
): Measurement {
  const matrices = [{ offset: 0, rows: ROWS, columns: LENGTH / ROWS }];
  const compressor = createCompressor(config, matrices);
  const states: [CompressorState, CompressorState] = [
    compressor.init(LENGTH),
    compressor.init(LENGTH),
  ];
  const average = new Float32Array(LENGTH);
  let step = 10;
  const [best = 0] = inTurns(TURNS, () => {
    update(compressor, states, gradient, average, step++);
  });
  return {
    name: `${name}: encode and decode 1 M floats`,
    unit: 'MB/s',
    value: (MEGABYTES * 1000) / best,
    goal: null,
    detail: `${best.toFixed(1)} ms, error feedback included where there is any`,
  };
}

function measureRounding(gradient: Float32Array): Measurement {
  const values = gradient.slice();
  const target = new Float32Array(LENGTH);
  const copy = (): void => {
    for (let i = 0; i < LENGTH; i++) target[i] = gradient[i] ?? 0;
  };
  const tiny = gradient.map((value) => value * 2 ** -12);
  const throughHalves = halvesOf(values);
  const [copied = 1, rounded = 0, subnormal = 0, byPlatform = 0] = inTurns(
    3 * TURNS,
    copy,
    () => roundFloats(FLOAT_FORMATS.fp16, values),
    () => roundFloats(FLOAT_FORMATS.fp16, tiny),
    throughHalves ?? (() => undefined),
  );
  const platform = throughHalves === null ? 'absent' : (byPlatform / copied).toFixed(1);
  return {
    name: 'rounding 1 M floats to fp16, bit operations',
    unit: 'loop copies',
    value: rounded / copied,
    goal: { atMost: ROUNDING_GOAL },
    detail:
      `${(subnormal / copied).toFixed(1)} where nearly all become subnormal; ` +
      `there and back through a Float16Array: ${platform}; a copy is ${copied.toFixed(2)} ms`,
  };
}

/** The way through the browser's own Float16Array, for comparison; null where there is none. */
function halvesOf(values: Float32Array): (() => void) | null {
  const { Float16Array: Halves } = globalThis as {
    readonly Float16Array?: new (length: number) => Float32Array;
  };
  if (Halves === undefined) return null;
  const halves = new Halves(values.length);
  return () => {
    for (let i = 0; i < values.length; i++) halves[i] = values[i] ?? 0;
    for (let i = 0; i < values.length; i++) values[i] = halves[i] ?? 0;
  };
}

window.measure = async (): Promise<Measurement[]> => {
  const gradient = gradientLike();
  return [
    measureSelection(gradient),
    measureRounding(gradient),
    ...COMPRESSORS.map(([name, config]) => measureCompressor(name, config, gradient)),
  ];
};
