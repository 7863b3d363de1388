/**
 * @file Deep gradient compression [Lin et al. 2018; mit-han-lab/deep-gradient-compression
 * memory.py, compression.py]: top-k of locally accumulated velocities. The momentum lives here, so
 * the optimizer after it must have none.
 */
import { selectTopK, topKCount } from '#core/top-k';
import { type Compressor, type CompressorState, divide, type UpdateContext } from './compressor.ts';
import { allGather, type Exchanges } from './exchange.ts';
import { addSparse, createSparse } from './sparse.ts';

export type DgcWarmUp = 'none' | 'paper' | 'code';

export interface DgcOptions {
  /** Share of the elements that is sent after the warm-up. */
  readonly ratio: number;
  readonly momentum: number;
  readonly nesterov: boolean;
  /** Norm to which N ranks' sum may grow: each clips its own at clipNorm / sqrt(N); 0 is off. */
  readonly clipNorm: number;
  readonly warmUp: DgcWarmUp;
}

/** Density by epoch in the paper: sparsity 75, 93.75, 98.4375, 99.6 %, then the ratio. */
const PAPER_DENSITIES = [0.25, 0.0625, 0.015625, 0.004] as const;
/** The code's default warms up over five epochs. */
const CODE_EPOCHS = 5;

/**
 * Share of the elements sent in `epoch` (from 0), never below `ratio`. The paper's schedule and the
 * default of its code differ: the code's is ratio ^ ((epoch + 1) / 6) for five epochs.
 */
export function dgcDensity(warmUp: DgcWarmUp, ratio: number, epoch: number): number {
  if (warmUp === 'paper') return Math.max(ratio, PAPER_DENSITIES[epoch] ?? ratio);
  if (warmUp === 'code' && epoch < CODE_EPOCHS) return ratio ** ((epoch + 1) / (CODE_EPOCHS + 1));
  return ratio;
}

/** Factor that brings the norm of `gradient` down to `limit`; 1 where it is within. */
function clipFactor(gradient: Float32Array, limit: number): number {
  let sum = 0;
  for (const value of gradient) sum += value * value;
  const norm = Math.sqrt(sum);
  return norm > limit ? limit / norm : 1;
}

/** u = m u + g, v += u; Nesterov: u = m (u + g), v += u + g. Into the `next` vectors. */
function accumulate(
  state: CompressorState,
  next: CompressorState,
  gradient: Float32Array,
  { momentum, nesterov }: DgcOptions,
  factor: number,
): void {
  const [u, v] = [state.vectors.velocity, state.vectors.accumulated];
  const [u2, v2] = [next.vectors.velocity, next.vectors.accumulated];
  for (let i = 0; i < gradient.length; i++) {
    const g = Math.fround(factor * gradient[i]);
    u2[i] = nesterov ? momentum * (u[i] + g) : momentum * u[i] + g;
    v2[i] = v[i] + (nesterov ? u2[i] + g : u2[i]);
  }
}

/**
 * DGC: momentum correction, top-k of |v| by exact selection (the code samples a threshold), factor
 * masking (u and v are zeroed where sent), sparse all-gather, mean over ranks.
 */
export function dgc(options: DgcOptions): Compressor {
  function* update(
    state: CompressorState,
    next: CompressorState,
    gradient: Float32Array,
    average: Float32Array,
    { epoch, worldSize }: UpdateContext,
  ): Exchanges {
    const limit = options.clipNorm / Math.sqrt(worldSize);
    const factor = options.clipNorm > 0 ? clipFactor(gradient, limit) : 1;
    accumulate(state, next, gradient, options, factor);
    const { velocity, accumulated } = next.vectors;
    const density = dgcDensity(options.warmUp, options.ratio, epoch);
    const { payload, indices, values } = createSparse(topKCount(gradient.length, density));
    selectTopK(accumulated, indices);
    for (let i = 0; i < indices.length; i++) {
      values[i] = accumulated[indices[i]];
      accumulated[indices[i]] = 0;
      velocity[indices[i]] = 0;
    }
    const payloads = yield* allGather(payload);
    average.fill(0);
    for (const arrived of payloads) addSparse(arrived, average, 1);
    divide(average, worldSize);
  }

  return {
    collective: 'allGather',
    residual: 'accumulated',
    init: (length) => ({
      vectors: { velocity: new Float32Array(length), accumulated: new Float32Array(length) },
    }),
    update,
  };
}
