/**
 * @file PowerSGD [Vogels et al. 2019; PyTorch powerSGD_hook.py]: each gradient matrix M [n, m] is
 * sent as P Q^T of rank r by one step of power iteration: two small all-reduces.
 */
import {
  type Compressor,
  type CompressorState,
  divide,
  sharedStream,
  type UpdateContext,
} from './compressor.ts';
import { allReduce, type Exchanges } from './exchange.ts';
import {
  type Matrix,
  multiply,
  multiplyOuter,
  multiplyTransposed,
  orthogonalise,
} from './matrix.ts';

export interface PowerSgdOptions {
  /** r; a smaller matrix has the rank of its smaller side. */
  readonly rank: number;
  /** Steps of plain all-reduce before; PyTorch: 10, and never below 2. */
  readonly startStep: number;
  /** Compress only where n m / ((n + m) r) exceeds this; PyTorch: 2. */
  readonly minCompressionRate: number;
  readonly errorFeedback: boolean;
  /** Start from the last step's Q instead of a random one. */
  readonly warmStart: boolean;
}

/** A parameter seen as a row-major matrix: elements [offset, offset + rows * columns) of the range. */
export interface MatrixShape {
  readonly offset: number;
  readonly rows: number;
  readonly columns: number;
}

/** A matrix that is compressed, and where its factors stand in the packed P and Q. */
interface Factored extends MatrixShape {
  readonly rank: number;
  readonly pOffset: number;
  readonly qOffset: number;
}

interface Layout {
  readonly factored: readonly Factored[];
  /** Ranges that travel uncompressed, with the Ps. */
  readonly rest: readonly { readonly start: number; readonly end: number }[];
  readonly pLength: number;
  readonly qLength: number;
  readonly restLength: number;
}

/** Whether (n + m) r minRate < n m [PyTorch _should_compress]. */
export function worthCompressing(
  rows: number,
  columns: number,
  rank: number,
  minRate: number,
): boolean {
  return (rows + columns) * rank * minRate < rows * columns;
}

/** Which matrices are worth compressing, and where everything goes; `matrices` ascend by offset. */
export function powerSgdLayout(
  matrices: readonly MatrixShape[],
  length: number,
  { rank: wanted, minCompressionRate }: Pick<PowerSgdOptions, 'rank' | 'minCompressionRate'>,
): Layout {
  const factored: Factored[] = [];
  const rest: { start: number; end: number }[] = [];
  let [pLength, qLength, covered] = [0, 0, 0];
  for (const { offset, rows, columns } of matrices) {
    const rank = Math.min(rows, columns, wanted);
    if (!worthCompressing(rows, columns, rank, minCompressionRate)) continue;
    factored.push({ offset, rows, columns, rank, pOffset: pLength, qOffset: qLength });
    if (offset > covered) rest.push({ start: covered, end: offset });
    covered = offset + rows * columns;
    pLength += rows * rank;
    qLength += columns * rank;
  }
  if (covered < length) rest.push({ start: covered, end: length });
  const restLength = rest.reduce((sum, { start, end }) => sum + end - start, 0);
  return { factored, rest, pLength, qLength, restLength };
}

/** Packed matrices: the Ps or the Qs of all factored parameters. */
const factorOf = (packed: Float32Array, offset: number, rows: number, columns: number): Matrix => ({
  values: packed.subarray(offset, offset + rows * columns),
  rows,
  columns,
});
const pOf = (packed: Float32Array, f: Factored): Matrix =>
  factorOf(packed, f.pOffset, f.rows, f.rank);
const qOf = (packed: Float32Array, f: Factored): Matrix =>
  factorOf(packed, f.qOffset, f.columns, f.rank);
const matrixOf = (vector: Float32Array, { offset, rows, columns }: Factored): Matrix =>
  factorOf(vector, offset, rows, columns);

/**
 * Q of the last step; where there is none (all zeros are a start, or a reset) random and the same
 * on every rank. Columns are orthonormal.
 */
function startQ(
  layout: Layout,
  previous: Float32Array | null,
  context: UpdateContext,
): Float32Array {
  const warm = previous?.some((value) => value !== 0) ? previous : null;
  const q = warm?.slice() ?? new Float32Array(layout.qLength);
  if (warm === null) {
    const stream = sharedStream(context);
    for (let i = 0; i < q.length; i++) q[i] = stream.normal();
  }
  for (const f of layout.factored) orthogonalise(qOf(q, f));
  return q;
}

/**
 * PowerSGD over the matrices of a range. P = M Q summed and orthogonalised, Q = M^T P averaged, the
 * gradient becomes P Q^T; what is not worth compressing rides along with the Ps. The residual is
 * the rank's input less the common result, 0 for what travels whole (PyTorch keeps differences
 * there that cancel out over the ranks). Throws RangeError for a start below 2 or a rank below 1.
 */
export function powerSgd(options: PowerSgdOptions, matrices: readonly MatrixShape[]): Compressor {
  checkOptions(options);
  const { startStep, errorFeedback, warmStart } = options;
  const layouts = new Map<number, Layout>();
  const layoutOf = (length: number): Layout => {
    const layout = layouts.get(length) ?? powerSgdLayout(matrices, length, options);
    layouts.set(length, layout);
    return layout;
  };

  function* update(
    state: CompressorState,
    next: CompressorState,
    gradient: Float32Array,
    average: Float32Array,
    context: UpdateContext,
  ): Exchanges {
    for (const [name, vector] of Object.entries(next.vectors)) vector.set(state.vectors[name]);
    if (context.step < startStep) {
      const values = gradient.map((value) => value * Math.fround(1 / context.worldSize));
      average.set(yield* allReduce(values));
      return;
    }
    const layout = layoutOf(gradient.length);
    const input = gradient.slice();
    const { residual } = state.vectors;
    if (errorFeedback) for (let i = 0; i < input.length; i++) input[i] += residual[i];
    const q = startQ(layout, warmStart ? state.vectors.q : null, context);
    yield* factorise(layout, input, q, average, context.worldSize);
    if (warmStart) next.vectors.q.set(q);
    if (errorFeedback) remember(layout, input, average, next.vectors.residual);
  }

  return {
    collective: 'allReduce',
    residual: errorFeedback ? 'residual' : null,
    init: (length) => ({
      vectors: {
        ...(errorFeedback && { residual: new Float32Array(length) }),
        ...(warmStart && { q: new Float32Array(layoutOf(length).qLength) }),
      },
    }),
    update,
  };
}

function checkOptions({ rank, startStep }: PowerSgdOptions): void {
  if (!(startStep >= 2)) {
    throw new RangeError(
      `PowerSGD: start step ${startStep}; 2 or more is allowed, for DDP rebuilds its buckets after ` +
        'the first step (PyTorch: 10)',
    );
  }
  if (!(rank >= 1)) throw new RangeError(`PowerSGD: rank ${rank}; 1 or more is allowed`);
}

/** The two all-reduces; leaves the new Q in `q` and the result in `average`. */
function* factorise(
  layout: Layout,
  input: Float32Array,
  q: Float32Array,
  average: Float32Array,
  worldSize: number,
): Exchanges {
  const { factored, rest, pLength, restLength } = layout;
  const first = new Float32Array(pLength + restLength);
  for (const f of factored) multiply(matrixOf(input, f), qOf(q, f), pOf(first, f));
  let cursor = pLength;
  for (const { start, end } of rest) {
    first.set(input.subarray(start, end), cursor);
    cursor += end - start;
  }
  const p = (yield* allReduce(first)).slice();
  for (const f of factored) {
    orthogonalise(pOf(p, f));
    multiplyTransposed(matrixOf(input, f), pOf(p, f), qOf(q, f));
  }
  q.set(yield* allReduce(q.slice()));
  divide(q, worldSize);
  for (const f of factored) multiplyOuter(pOf(p, f), qOf(q, f), matrixOf(average, f));
  cursor = pLength;
  for (const { start, end } of rest) {
    average.set(p.subarray(cursor, cursor + end - start), start);
    divide(average.subarray(start, end), worldSize);
    cursor += end - start;
  }
}

function remember(
  layout: Layout,
  input: Float32Array,
  average: Float32Array,
  residual: Float32Array,
): void {
  for (let i = 0; i < input.length; i++) residual[i] = input[i] - average[i];
  for (const { start, end } of layout.rest) residual.fill(0, start, end);
}
