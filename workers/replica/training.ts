/** @file One rank's training state and one step of it: gradient, reduction, update, agreement, hash. */
import { clipGradientNorm } from '#core/clip';
import { learningRateOfStep } from '#core/course';
import { HashState } from '#core/hash';
import { initialWeights } from '#core/initial-weights';
import type { Parameter } from '#core/model';
import { createOptimizer } from '#core/optimizers';
import type { Plan } from '#core/plan';
import type { Batch } from '#engine/engine';
import type { Activity, NonFiniteCause, StepReport } from '#protocol/replica';
import type { Endpoint } from '#transport/endpoint';
import { type ComputeGradient, createGradientStep, type StepGradient } from './gradient-step.ts';
import type { TrainingMemory } from './memory.ts';
import { createPrecision } from './precision.ts';
import { createReduction } from './reduction.ts';
import { createSabotage } from './sabotage.ts';
import { createStepClock } from './step-clock.ts';
import { createSynchronisation } from './synchronisation.ts';

export interface TrainingOptions {
  readonly plan: Plan;
  readonly endpoint: Endpoint;
  readonly initialWeights: Float32Array | null;
  readonly batchAt: (step: number) => Batch;
  readonly gradient: ComputeGradient;
  readonly now: () => number;
  readonly activity: (activity: Activity) => void;
}

export type StepOutcome =
  | { readonly finite: true; readonly report: StepReport | null }
  | { readonly finite: false; readonly own: NonFiniteCause | null };

export interface Training {
  readonly weights: Float32Array;
  readonly buffers: Float32Array;
  /** Takes over weights that arrived from rank 0. */
  setWeights(weights: Float32Array): void;
  weightsHash(): string;
  /** Everything that a rank needs to go on from here, as it lives; see memory.ts. */
  memory(): TrainingMemory;
  /** Takes over the numbers of a memory; its vectors are written where they live. */
  setNumbers(numbers: readonly number[]): void;
  /** Runs step `step`; the report is null where no record is due. */
  step(step: number): Promise<StepOutcome>;
}

/** What the record of a step says beside its hash and its times. */
type StepFacts = Pick<
  StepReport,
  'step' | 'loss' | 'bytesSent' | 'heldBytes' | 'gatheredBytes' | 'gradientNorm' | 'synchronised'
>;

export function createTraining(options: TrainingOptions): Training {
  const { plan, endpoint, now } = options;
  const { model, worldSize } = plan;
  const weights = new Float32Array(model.parameterCount);
  weights.set(options.initialWeights ?? initialWeights(model, seedOf(plan, endpoint.rank)));
  let buffers: Float32Array = new Float32Array(model.bufferCount);
  const precision = createPrecision(plan.precision, model.parameterCount);
  precision.settle(weights);
  const optimizer = createOptimizer(plan.optimizer, model.parameters.map(rangeOf));
  const optimizerState = optimizer.init(model.parameterCount);
  const reduction = createReduction(plan, endpoint);
  const synchronisation = createSynchronisation(plan, endpoint);
  const clock = createStepClock(now);
  const sabotage = createSabotage(plan, endpoint.rank);
  const gradientOf = createGradientStep({ ...options, precision, reduction, clock, sabotage });
  const clip = createClipping(plan);
  const hash = new HashState();
  const chain = new HashState();
  /** Set in a step of its own; the others hear of it when they agree next. */
  let ownFault: NonFiniteCause | null = null;

  const hashWeights = (): void => {
    hash.reset();
    hash.update(weights);
  };
  const report = (facts: StepFacts): StepReport => ({
    ...facts,
    residualNorm: reduction.residualNorm(),
    precision: precision.report(),
    weightsHash: hash.toHex(),
    hashChain: chain.toHex(),
    ...clock.take(),
  });

  /** The update of a step; null where the gradient is no number, else the norm that was clipped. */
  const update = (
    computed: StepGradient,
    learningRate: number,
  ): { readonly gradientNorm: number | null } | null => {
    const reduced = precision.receive(computed.gradient);
    if (reduced.kind === 'nonFinite') return null;
    buffers = computed.buffers;
    if (reduced.kind === 'skip') return { gradientNorm: null };
    reduction.commit();
    const { gradient, norm } = clip(reduced.gradient);
    optimizer.update(optimizerState, weights, gradient, learningRate);
    precision.settle(weights);
    return { gradientNorm: norm };
  };

  return {
    weights,
    get buffers() {
      return buffers;
    },
    setWeights(values) {
      weights.set(values);
      precision.settle(weights);
    },
    weightsHash() {
      hashWeights();
      return hash.toHex();
    },
    memory: () => ({
      shared: [weights, buffers, ...optimizerState.moments],
      own: reduction.memory(),
      numbers: [optimizerState.step, ...precision.memory()],
    }),
    setNumbers([step = 0, ...scaler]) {
      optimizerState.step = step;
      precision.setMemory(scaler);
    },
    async step(step) {
      clock.start();
      if (step === 0) synchronisation.begin(weights);
      const learningRate = learningRateOfStep(plan, step);
      const reduces = synchronisation.reducesGradients(step);
      const computing = gradientOf({ step, weights, buffers, learningRate, reduces });
      const computed = computing instanceof Promise ? await computing : computing;
      const updated = update(computed, learningRate);
      ownFault ??= updated === null ? precision.fault() : null;
      if (updated === null) {
        if (reduces || worldSize === 1) return { finite: false, own: ownFault };
        weights[0] = Number.NaN;
      }
      const synchronised = synchronisation.agreesAfter(step);
      let weightBytes = 0;
      if (synchronisation.averagesWeights(step)) {
        clock.lap('updateMs');
        weightBytes = await synchronisation.run(weights);
        if (Number.isNaN(weights[0])) return { finite: false, own: ownFault };
        precision.settle(weights);
        clock.lap('communicateMs');
      }
      sabotage?.flipsBit(step, weights);
      hashWeights();
      if (synchronised) chain.fold(hash);
      clock.lap('updateMs');
      const due = (step + 1) % plan.logEvery === 0 || step === plan.totalSteps - 1;
      if (!due) return { finite: true, report: null };
      const { loss, bytes, heldBytes } = computed;
      const bytesSent = bytes.allReduce + bytes.allGather + weightBytes;
      const gradientNorm = updated?.gradientNorm ?? null;
      const gatheredBytes = bytes.allGather;
      return {
        finite: true,
        report: report({
          step,
          loss,
          bytesSent,
          heldBytes,
          gatheredBytes,
          gradientNorm,
          synchronised,
        }),
      };
    },
  };
}

/** The same on every rank, for rank 0's weights are broadcast anyway; unless that is left out. */
function seedOf({ seed, mistakes }: Plan, rank: number): number {
  return mistakes.noBroadcast ? (seed + rank) >>> 0 : seed;
}

const rangeOf = ({ offset, length }: Parameter) => ({ start: offset, end: offset + length });

/** Clipping to the plan's norm, on a copy, for peers may still read the average. */
function createClipping({ clipNorm, model }: Plan) {
  const clipped = new Float32Array(clipNorm > 0 ? model.parameterCount : 0);
  return (gradient: Float32Array): { gradient: Float32Array; norm: number | null } => {
    if (clipNorm === 0) return { gradient, norm: null };
    clipped.set(gradient);
    return { gradient: clipped, norm: clipGradientNorm(clipped, clipNorm) };
  };
}
