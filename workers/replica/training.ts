/** @file One rank's training state and one step of it: gradient, all-reduce, update, hash. */
import { bucketRanges, firstIterationRanges } from '#core/buckets';
import type { Range, Schedule } from '#core/collective';
import { HashState } from '#core/hash';
import { initialWeights } from '#core/initial-weights';
import { learningRateAt } from '#core/learning-rate';
import { createOptimizer } from '#core/optimizers';
import type { Plan } from '#core/plan';
import { ringAllReduce } from '#core/ring';
import type { Batch, GradientResult, Precision } from '#engine/engine';
import type { Activity, NonFiniteCause, StepReport } from '#protocol/replica';
import type { Endpoint } from '#transport/endpoint';
import { createPrecision } from './precision.ts';

/** Computes gradients; the engine behind it may change when a device is lost. */
export type ComputeGradient = (
  weights: Float32Array,
  buffers: Float32Array,
  batch: Batch,
  gradient: Float32Array,
  precision: Precision,
) => GradientResult | Promise<GradientResult>;

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
  /** Runs step `step`; the report is null where no record is due. */
  step(step: number): Promise<StepOutcome>;
}

export function createTraining(options: TrainingOptions): Training {
  const { plan, endpoint, now, activity } = options;
  const { model } = plan;
  const weights = new Float32Array(model.parameterCount);
  weights.set(options.initialWeights ?? initialWeights(model, plan.seed));
  let buffers: Float32Array = new Float32Array(model.bufferCount);
  const precision = createPrecision(plan.precision, model.parameterCount);
  precision.settle(weights);
  const optimizer = createOptimizer(plan.optimizer);
  const optimizerState = optimizer.init(model.parameterCount);
  const reduce = createReduction(plan, endpoint);
  const local = plan.worldSize === 1;
  const hash = new HashState();
  const chain = new HashState();
  const sinceRecord = { computeMs: 0, communicateMs: 0, updateMs: 0 };

  const report = (step: number, loss: number, bytesSent: number): StepReport => {
    const result = {
      step,
      loss,
      bytesSent,
      precision: precision.report(),
      weightsHash: hash.toHex(),
      ...sinceRecord,
    };
    Object.assign(sinceRecord, { computeMs: 0, communicateMs: 0, updateMs: 0 });
    return { ...result, hashChain: chain.toHex() };
  };
  const hashWeights = (): void => {
    hash.reset();
    hash.update(weights);
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
    async step(step) {
      const startMs = now();
      activity('computing');
      const batch = options.batchAt(step);
      const numbers = precision.begin();
      const computed = options.gradient(weights, buffers, batch, endpoint.input, numbers);
      const result = computed instanceof Promise ? await computed : computed;
      const loss = Math.fround(result.loss);
      precision.observe(result);
      averageOver(endpoint.input, plan.worldSize);
      precision.mark(endpoint.input, loss);
      const computedMs = now();

      let bytesSent = 0;
      if (!local) {
        activity('communicating');
        bytesSent = await reduce(step);
      }
      const reduced = precision.receive(local ? endpoint.input : endpoint.output);
      const reducedMs = now();
      if (reduced.kind === 'nonFinite') return { finite: false, own: precision.fault() };

      buffers = result.buffers;
      const rate = learningRateAt(plan.learningRate, step, plan.totalSteps);
      if (reduced.kind === 'usable') {
        optimizer.update(optimizerState, weights, reduced.gradient, rate);
        precision.settle(weights);
      }
      hashWeights();
      chain.fold(hash);
      sinceRecord.computeMs += computedMs - startMs;
      sinceRecord.communicateMs += reducedMs - computedMs;
      sinceRecord.updateMs += now() - reducedMs;
      const due = (step + 1) % plan.logEvery === 0 || step === plan.totalSteps - 1;
      return { finite: true, report: due ? report(step, loss, bytesSent) : null };
    },
  };
}

/** DDP multiplies by 1/N before it sums (reducer.cpp). */
function averageOver(gradient: Float32Array, worldSize: number): void {
  if (worldSize === 1) return;
  const share = Math.fround(1 / worldSize);
  for (let i = 0; i < gradient.length; i++) gradient[i] = (gradient[i] ?? 0) * share;
}

/** The all-reduce of a step's buckets, in launch order; resolves with the bytes this rank sent. */
function createReduction(plan: Plan, endpoint: Endpoint): (step: number) => Promise<number> {
  const schedule: Schedule = ringAllReduce(plan.worldSize);
  const first: readonly Range[] = firstIterationRanges(plan.model.parameters);
  const later: readonly Range[] = bucketRanges(plan.model.parameters, plan.buckets);
  return async (step) => {
    let bytes = 0;
    for (const range of step === 0 ? first : later) {
      const running = endpoint.run(schedule, range);
      bytes += (running instanceof Promise ? await running : running).bytesSent;
    }
    return bytes;
  };
}
