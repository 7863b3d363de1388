/** @file The few matrix products of PowerSGD, row-major, accumulated in float64. */

export interface Matrix {
  readonly values: Float32Array;
  readonly rows: number;
  readonly columns: number;
}

/** out [n, r] = a [n, m] b [m, r]. */
export function multiply(a: Matrix, b: Matrix, out: Matrix): void {
  const { rows, columns } = a;
  const width = b.columns;
  for (let i = 0; i < rows; i++) {
    for (let k = 0; k < width; k++) {
      let sum = 0;
      for (let j = 0; j < columns; j++) sum += a.values[i * columns + j] * b.values[j * width + k];
      out.values[i * width + k] = sum;
    }
  }
}

/** out [m, r] = a^T b with a [n, m], b [n, r]. */
export function multiplyTransposed(a: Matrix, b: Matrix, out: Matrix): void {
  const { rows, columns } = a;
  const width = b.columns;
  const sums = new Float64Array(columns * width);
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) {
      const factor = a.values[i * columns + j];
      for (let k = 0; k < width; k++) sums[j * width + k] += factor * b.values[i * width + k];
    }
  }
  out.values.set(sums);
}

/** out [n, m] = p q^T with p [n, r], q [m, r]. */
export function multiplyOuter(p: Matrix, q: Matrix, out: Matrix): void {
  const width = p.columns;
  for (let i = 0; i < p.rows; i++) {
    for (let j = 0; j < q.rows; j++) {
      let sum = 0;
      for (let k = 0; k < width; k++) sum += p.values[i * width + k] * q.values[j * width + k];
      out.values[i * q.rows + j] = sum;
    }
  }
}

/** Keeps a vanishing column from a division by zero [PyTorch _orthogonalize]. */
const EPSILON = 1e-8;

/** Makes the columns orthonormal, in place, by modified Gram-Schmidt. */
export function orthogonalise({ values, rows, columns }: Matrix): void {
  for (let k = 0; k < columns; k++) {
    const norm = Math.sqrt(columnProduct(values, rows, columns, k, k)) + EPSILON;
    for (let i = 0; i < rows; i++) values[i * columns + k] /= norm;
    for (let later = k + 1; later < columns; later++) {
      const overlap = columnProduct(values, rows, columns, k, later);
      for (let i = 0; i < rows; i++) {
        values[i * columns + later] -= overlap * values[i * columns + k];
      }
    }
  }
}

function columnProduct(values: Float32Array, rows: number, columns: number, a: number, b: number) {
  let sum = 0;
  for (let i = 0; i < rows; i++) sum += values[i * columns + a] * values[i * columns + b];
  return sum;
}
