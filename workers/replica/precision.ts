/** @file What precision asks of one rank's steps: loss scale, skipped steps, narrow weights. */
import { addCensus, FLOAT_FORMATS, type FloatCensus, roundFloats } from '#core/float-formats';
import { initialScaler, unscale, updateScaler } from '#core/grad-scaler';
import type { PrecisionConfig } from '#core/plan';
import type { GradientResult, Precision } from '#engine/engine';
import type { NonFiniteCause, PrecisionReport } from '#protocol/replica';

/** What became of a step once the gradient was reduced. */
export type ReducedGradient =
  | { readonly kind: 'usable'; readonly gradient: Float32Array }
  /** Some rank's gradient overflowed under scaling: weights stay as they are. */
  | { readonly kind: 'skip' }
  /** A loss was not finite, or a gradient that no scaling answers for. */
  | { readonly kind: 'nonFinite' };

export interface StepPrecision {
  /** Begins a step; returns what the engine computes its gradients in. */
  begin(): Precision;
  /** Takes in what the engine said of a gradient; once for every part of the step's batch. */
  observe(result: GradientResult): void;
  /** Marks the own gradient, before it is reduced, so that all ranks take the same way. */
  mark(gradient: Float32Array, loss: number): void;
  /** Judges the reduced gradient, the same on all ranks, and unscales a copy of it. */
  receive(reduced: Float32Array): ReducedGradient;
  /** What the loss was multiplied by in the step received last. */
  lossScale(): number;
  /** What of this rank's own was not finite in this step, if anything that ends the run. */
  fault(): NonFiniteCause | null;
  /** Rounds the weights after they were set or updated, where there is no fp32 master copy. */
  settle(weights: Float32Array): void;
  /** The scaler's state, as numbers that float32 holds; for commits. */
  memory(): readonly number[];
  setMemory(numbers: readonly number[]): void;
  /** What the record of the step says; null in fp32 without scaling. Resets the skips. */
  report(): PrecisionReport | null;
}

/** The precision of one rank's run over gradients of `length`. */
export function createPrecision(config: PrecisionConfig, length: number): StepPrecision {
  const { format, masterWeights, scaler } = config;
  const scales = scaler.kind !== 'none';
  const isPlain = format === 'fp32' && !scales;
  const narrow = format === 'fp32' || masterWeights ? null : FLOAT_FORMATS[format];
  // Peers may still read what was reduced, so unscaling works on a copy.
  const unscaled = new Float32Array(scales ? length : 0);
  let state = initialScaler(scaler);
  let precision: Precision = { format, lossScale: state.scale };
  let used = state.scale;
  let census: FloatCensus | null = null;
  let fault: NonFiniteCause | null = null;
  let skipped = 0;

  const advance = (finite: boolean): void => {
    used = state.scale;
    state = updateScaler(scaler, state, finite);
    if (state.scale !== precision.lossScale) precision = { format, lossScale: state.scale };
    if (!finite) skipped++;
  };
  /** An entry beyond the format is known from the census; in fp32 it must be looked for. */
  const overflowed = (gradient: Float32Array): boolean => {
    if (census !== null) return census.overflowed + census.nonFinite > 0;
    return scales && !gradient.every(Number.isFinite);
  };

  return {
    begin() {
      census = null;
      fault = null;
      return precision;
    },
    observe(result) {
      census = addCensus(census, result.census);
    },
    mark(gradient, loss) {
      if (!Number.isFinite(loss)) fault = 'loss';
      else if (!overflowed(gradient)) return;
      // +Infinity on every rank that overflowed sums to +Infinity, never to the NaN that ends a run.
      else if (scales) gradient[0] = Number.POSITIVE_INFINITY;
      else fault = 'gradient';
      if (fault !== null) gradient[0] = Number.NaN;
    },
    receive(reduced) {
      if (Number.isNaN(reduced[0])) return { kind: 'nonFinite' };
      if (!scales) return { kind: 'usable', gradient: reduced };
      unscaled.set(reduced);
      const finite = unscale(unscaled, state);
      advance(finite);
      return finite ? { kind: 'usable', gradient: unscaled } : { kind: 'skip' };
    },
    lossScale: () => used,
    fault: () => fault,
    settle(weights) {
      if (narrow !== null) roundFloats(narrow, weights);
    },
    memory: () => [state.scale, state.goodSteps, state.forgiven],
    setMemory([scale = 1, goodSteps = 0, forgiven = 0]) {
      state = { scale, goodSteps, forgiven };
      precision = { format, lossScale: scale };
    },
    report() {
      if (isPlain) return null;
      const result = { lossScale: used, skipped, census };
      skipped = 0;
      return result;
    },
  };
}
