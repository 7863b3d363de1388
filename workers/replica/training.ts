/** @file One rank's training state and one step of it: gradient, reduction, update, agreement, hash. */
import { learningRateOfStep } from '#core/course';
import { HashState } from '#core/hash';
import { initialBuffers, initialWeights } from '#core/initial-weights';
import type { ModelState } from '#core/named-weights';
import type { Plan } from '#core/plan';
import type { Batch } from '#engine/engine';
import type { Activity, NonFiniteCause, StepReport } from '#protocol/replica';
import type { ChannelBytes } from '#transport/channel';
import type { Endpoint } from '#transport/endpoint';
import { type ComputeGradient, createGradientStep, type StepGradient } from './gradient-step.ts';
import type { TrainingMemory } from './memory.ts';
import { createNoiseMeter } from './noise-meter.ts';
import { createBufferBroadcast, createNormExchange } from './normalisation.ts';
import { createParticipation } from './participation.ts';
import { createPrecision } from './precision.ts';
import { createReduction } from './reduction.ts';
import { createSabotage } from './sabotage.ts';
import { createStepClock } from './step-clock.ts';
import { createSynchronisation } from './synchronisation.ts';
import { createUpdate } from './update.ts';

export interface TrainingOptions {
  readonly plan: Plan;
  readonly endpoint: Endpoint;
  readonly initialState: ModelState | null;
  readonly batchAt: (step: number) => Batch;
  /** Hash of the augmentation of the batch read last; null where there is none. */
  readonly augmentation: () => string | null;
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
  /** Makes the buffers those of rank 0; resolves with the bytes sent. */
  shareBuffers(): Promise<number>;
  /** Takes over weights that arrived from rank 0. */
  setWeights(weights: Float32Array): void;
  weightsHash(): string;
  /** Everything that a rank needs to go on from here, as it lives; see memory.ts. */
  memory(): TrainingMemory;
  /** Takes over the numbers of a memory; its vectors are written where they live. */
  setNumbers(numbers: readonly number[]): void;
  /** Which of its batches this rank works on once `step` steps are done. */
  batchIndex(step: number): number;
  /** Runs step `step`; the report is null where no record is due. */
  step(step: number): Promise<StepOutcome>;
}

const NO_BYTES: ChannelBytes = { allReduce: 0, allGather: 0 };

/** What the record of a step says beside its hash and its times. */
type StepFacts = Pick<
  StepReport,
  'step' | 'loss' | 'bytesSent' | 'heldBytes' | 'gatheredBytes' | 'gradientNorm' | 'synchronised'
>;

export function createTraining(options: TrainingOptions): Training {
  const { plan, endpoint, now } = options;
  const { model, worldSize } = plan;
  const weights = new Float32Array(model.parameterCount);
  weights.set(options.initialState?.weights ?? initialWeights(model, seedOf(plan, endpoint.rank)));
  let buffers = options.initialState?.buffers ?? initialBuffers(model);
  const precision = createPrecision(plan.precision, model.parameterCount);
  precision.settle(weights);
  const { update, state: optimizerState } = createUpdate(plan, precision);
  const reduction = createReduction(plan, endpoint);
  const synchronisation = createSynchronisation(plan, endpoint);
  const participation = createParticipation(plan, endpoint.rank);
  const clock = createStepClock(now);
  const sabotage = createSabotage(plan, endpoint.rank);
  const exchange = createNormExchange(plan, endpoint, { clock, activity: options.activity });
  const gradientOf = createGradientStep({
    ...options,
    exchange,
    precision,
    reduction,
    clock,
    sabotage,
  });
  const sharesBuffers = model.bufferCount > 0 && worldSize > 1 && !plan.mistakes.noBufferBroadcast;
  const noise = createNoiseMeter();
  const hash = new HashState();
  const chain = new HashState();
  /** Set in a step of its own; the others hear of it when they agree next. */
  let ownFault: NonFiniteCause | null = null;

  const broadcastBuffers = createBufferBroadcast(endpoint);
  const shareBuffers = (root: number): Promise<number> => {
    buffers = buffers.slice();
    return broadcastBuffers(buffers, root);
  };
  const hashWeights = (): void => {
    hash.reset();
    hash.update(weights);
  };
  const report = (facts: StepFacts): StepReport => ({
    ...facts,
    ...(participation !== null && { part: participation.part() }),
    residualNorm: reduction.residualNorm(),
    noise: noise.average(),
    augmentation: facts.loss === null ? null : options.augmentation(),
    precision: precision.report(),
    weightsHash: hash.toHex(),
    hashChain: chain.toHex(),
    ...clock.take(),
  });

  /** The update of a step; null where the gradient is no number, else the norm that was clipped. */
  const finish = (
    computed: StepGradient,
    learningRate: number,
    reduced: boolean,
  ): { readonly gradientNorm: number | null } | null => {
    const done = update(weights, computed.gradient, learningRate);
    if (done.kind === 'nonFinite') return null;
    buffers = computed.buffers;
    if (done.kind === 'skip') return { gradientNorm: null };
    if (reduced) {
      reduction.commit();
      noise.observe(reduction.norms(), computed.samples, precision.lossScale());
    }
    return { gradientNorm: done.gradientNorm };
  };

  return {
    weights,
    get buffers() {
      return buffers;
    },
    shareBuffers: () => shareBuffers(0),
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
    batchIndex: (step) => step,
    async step(step) {
      clock.start();
      if (step === 0) synchronisation.begin(weights);
      const learningRate = learningRateOfStep(plan, step);
      const reduces = synchronisation.reducesGradients(step);
      const weight = participation === null ? 1 : participation.enter(step);
      const computing = gradientOf({ step, weights, buffers, learningRate, reduces, weight });
      const computed = computing instanceof Promise ? await computing : computing;
      const updated = finish(computed, learningRate, reduces);
      ownFault ??= updated === null ? precision.fault() : null;
      if (updated === null) {
        if (reduces || worldSize === 1) return { finite: false, own: ownFault };
        weights[0] = Number.NaN;
      }
      const synchronised = synchronisation.agreesAfter(step);
      const normBytes = exchange === null ? NO_BYTES : exchange.takeBytes();
      let weightBytes = 0;
      let bufferBytes = 0;
      const averages = synchronisation.averagesWeights(step);
      if (averages) {
        clock.lap('updateMs');
        weightBytes = await synchronisation.run(weights);
        if (Number.isNaN(weights[0])) return { finite: false, own: ownFault };
        precision.settle(weights);
        clock.lap('communicateMs');
      }
      if (sharesBuffers && (reduces || averages)) {
        clock.lap('updateMs');
        bufferBytes = await shareBuffers(participation?.bufferSource() ?? 0);
        clock.lap('communicateMs');
      }
      sabotage?.flipsBit(step, weights);
      hashWeights();
      if (synchronised) chain.fold(hash);
      clock.lap('updateMs');
      const due = (step + 1) % plan.logEvery === 0 || step === plan.totalSteps - 1;
      if (!due) return { finite: true, report: null };
      const { loss, bytes, heldBytes } = computed;
      const gatheredBytes = bytes.allGather + normBytes.allGather;
      const summedBytes = bytes.allReduce + normBytes.allReduce;
      const bytesSent = summedBytes + gatheredBytes + weightBytes + bufferBytes;
      const gradientNorm = updated?.gradientNorm ?? null;
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
