/**
 * @file Training under an asynchronous parameter server on rank 0. Every rank walks the same order of
 * events, which depends on the plan alone, and does its own part of it: a rank computes on the weights
 * it took last, pushes its gradient and takes weights; rank 0 does so without sending, and serves.
 */
import { ringBroadcast } from '#core/broadcast';
import { HashState } from '#core/hash';
import { initialBuffers, initialWeights } from '#core/initial-weights';
import { learningRateAt } from '#core/learning-rate';
import type { Plan } from '#core/plan';
import { gradientsAStep, hasServer, stalenessAwareRate } from '#core/sync-rules';
import { equalBatchAt } from '#data/shares';
import type { NonFiniteCause, PrecisionReport, PushedGradient } from '#protocol/replica';
import { createDurations } from '#sim/durations';
import { type Push, type ServerUpdate, serverUpdates } from '#sim/order';
import type { CollectiveReport } from '#transport/endpoint';
import { createGradientStep } from './gradient-step.ts';
import { createBufferBroadcast } from './normalisation.ts';
import { createParameterServer } from './parameter-server.ts';
import { createPrecision } from './precision.ts';
import { createReduction } from './reduction.ts';
import { createStepClock } from './step-clock.ts';
import type { Training, TrainingOptions } from './training.ts';

/** What a rank did in one update. */
interface Done {
  bytesSent: number;
  lossSum: number;
  gradients: number;
  heldBytes: number | null;
  gradientNorm: number | null;
}

/** A step of it is an update of the server. `weights` are the server's, as of the last agreement. */
export function createServerTraining(options: TrainingOptions): Training {
  const { plan, endpoint, activity } = options;
  const { rank, worldSize } = endpoint;
  const { model, totalSteps } = plan;
  const serves = rank === 0;
  /** Rank 0: the server's. Others: those of the last agreement, to be evaluated. */
  const weights = new Float32Array(model.parameterCount);
  weights.set(options.initialState?.weights ?? initialWeights(model, plan.seed));
  /** Those that this rank computes on. */
  const held = new Float32Array(model.parameterCount);
  const arriving = new Float32Array(serves ? model.parameterCount : 0);
  /** Of norms: moved by this rank's own batches, and rank 0's after each agreement. */
  let buffers = options.initialState?.buffers ?? initialBuffers(model);
  const precision = createPrecision(plan.precision, model.parameterCount);
  const reduction = createReduction(plan, endpoint);
  const clock = createStepClock(options.now);
  const gradientOf = createGradientStep({
    ...options,
    exchange: null,
    sabotage: null,
    precision,
    reduction,
    clock,
  });
  const server = createParameterServer(plan, weights, precision);
  const updates = updatesOf(plan);
  const broadcast = ringBroadcast(worldSize);
  const broadcastBuffers = createBufferBroadcast(endpoint);
  const sharesBuffers = model.bufferCount > 0 && worldSize > 1 && !plan.mistakes.noBufferBroadcast;
  const hash = new HashState();
  const chain = new HashState();
  /** Gradients that this rank has made, and of how many samples. */
  let made = 0;
  let samples = 0;
  let ownFault: NonFiniteCause | null = null;

  const hashOf = (vector: Float32Array): string => {
    hash.reset();
    hash.update(vector);
    return hash.toHex();
  };
  const setWeights = (values: Float32Array): void => {
    weights.set(values);
    precision.settle(weights);
    held.set(weights);
  };
  setWeights(weights.slice());

  /** This rank's gradient, into the reduction's. From weights that are no numbers none is made. */
  const compute = async (push: Push, done: Done): Promise<void> => {
    if (Number.isNaN(held[0])) {
      reduction.gradient[0] = Number.NaN;
      return;
    }
    const state = { step: push.computation, weights: held, buffers, learningRate: 0 };
    const computed = await gradientOf({ ...state, reduces: false, weight: 1 });
    buffers = computed.buffers;
    ownFault ??= precision.fault();
    made = push.computation + 1;
    samples += equalBatchAt(plan, push.computation);
    done.lossSum += computed.loss ?? 0;
    done.gradients++;
    done.heldBytes = computed.heldBytes;
  };

  const send = async (to: number, values: Float32Array, done: Done): Promise<void> => {
    activity('communicating');
    const report: CollectiveReport = await endpoint.send(to, values);
    done.bytesSent += report.bytesSent;
    clock.lap('communicateMs');
  };

  const receive = async (from: number, into: Float32Array): Promise<void> => {
    activity('communicating');
    await endpoint.receive(from, into);
    clock.lap('communicateMs');
  };

  /** The gradient of `push` on its way: from its rank to the server. */
  const pass = async (push: Push, share: number, done: Done): Promise<void> => {
    if (push.rank === rank) await compute(push, done);
    if (!serves) {
      if (push.rank === rank) await send(0, reduction.gradient, done);
      return;
    }
    if (push.rank !== 0) await receive(push.rank, arriving);
    server.add(push.rank === 0 ? reduction.gradient : arriving, share);
  };

  /** The server's weights, to the ranks that begin to compute now. */
  const pull = async (ranks: readonly number[], done: Done): Promise<void> => {
    for (const to of ranks) {
      if (serves) {
        if (to === 0) held.set(weights);
        else await send(to, weights, done);
      } else if (to === rank) await receive(0, held);
    }
  };

  const shareBuffers = (): Promise<number> => {
    buffers = buffers.slice();
    return broadcastBuffers(buffers, 0);
  };

  /** All ranks take the server's weights and buffers, to compare and to evaluate them. */
  const agree = async (done: Done): Promise<void> => {
    if (worldSize > 1) {
      activity('communicating');
      if (serves) endpoint.input.set(weights);
      const running = await endpoint.run(broadcast, { start: 0, end: weights.length });
      done.bytesSent += running.bytesSent;
      if (!serves) weights.set(endpoint.output);
      if (sharesBuffers) done.bytesSent += await shareBuffers();
      clock.lap('communicateMs');
    }
    hashOf(weights);
    chain.fold(hash);
  };

  return {
    weights,
    get buffers() {
      return buffers;
    },
    shareBuffers,
    setWeights,
    weightsHash: () => hashOf(weights),
    // Ranks hold weights of different ages: no commit is common to them, and the plan makes none.
    memory: () => ({ shared: [], own: [], numbers: [] }),
    setNumbers: () => undefined,
    batchIndex: () => made,
    async step(step) {
      clock.start();
      const { pushes } = updates.next().value;
      const gradients = pushedAt(plan, step, pushes);
      const rates = gradients.reduce((sum, { learningRate }) => sum + learningRate, 0);
      const done: Done = {
        bytesSent: 0,
        lossSum: 0,
        gradients: 0,
        heldBytes: null,
        gradientNorm: null,
      };
      for (const [index, push] of pushes.entries()) {
        const rate = gradients[index]?.learningRate ?? 0;
        await pass(push, rates > 0 ? rate / rates : 1 / pushes.length, done);
        if (push.applies && serves) {
          activity('updating');
          done.gradientNorm = server.apply(rates / pushes.length);
          clock.lap('updateMs');
        }
        // After the last update all take the weights together.
        if (!(push.applies && step === totalSteps - 1)) await pull(push.pulls, done);
      }
      const synchronised = agreesAfter(plan, step);
      if (synchronised) {
        await agree(done);
        if (Number.isNaN(weights[0])) return { finite: false, own: ownFault };
      }
      const due = (step + 1) % plan.logEvery === 0 || step === totalSteps - 1;
      if (!due) return { finite: true, report: null };
      const weightsHash = hashOf(synchronised || serves ? weights : held);
      clock.lap('updateMs');
      return {
        finite: true,
        report: {
          step,
          loss: done.gradients === 0 ? null : done.lossSum / done.gradients,
          part: { share: done.gradients / pushes.length, samples, pushes: gradients },
          weightsHash,
          hashChain: chain.toHex(),
          synchronised,
          bytesSent: done.bytesSent,
          gatheredBytes: 0,
          residualNorm: null,
          gradientNorm: done.gradientNorm,
          noise: null,
          // The gradients of an update are of different batch numbers: there is nothing to compare.
          augmentation: null,
          heldBytes: done.heldBytes,
          precision: ownPart(precision.report(), done),
          ...clock.take(),
        },
      };
    },
  };
}

/** Without a gradient in this update there is none to count. */
function ownPart(report: PrecisionReport | null, done: Done): PrecisionReport | null {
  return report === null || done.gradients > 0 ? report : { ...report, census: null };
}

function updatesOf(plan: Plan): Generator<ServerUpdate, never> {
  const { sync, seed, worldSize } = plan;
  if (!hasServer(sync)) throw new Error(`no server under ${sync.kind}`);
  const { slowdowns, jitter } = sync;
  return serverUpdates({
    worldSize,
    durationNs: createDurations({ seed, slowdowns, jitter }),
    count: gradientsAStep(sync, worldSize),
    bound: sync.kind === 'ssp' ? sync.bound : null,
  });
}

/** Each gradient's rate: the schedule's at this update, over its staleness where the plan says so. */
function pushedAt(plan: Plan, step: number, pushes: readonly Push[]): readonly PushedGradient[] {
  const { sync, learningRate, totalSteps } = plan;
  const aware = hasServer(sync) && sync.stalenessAware;
  const base = learningRateAt(learningRate, step, totalSteps);
  return pushes.map(({ rank, staleness }) => ({
    rank,
    staleness,
    learningRate: aware ? stalenessAwareRate(base, staleness) : base,
  }));
}

/** The ranks agree at the end, and where weights are evaluated. */
function agreesAfter({ testCount, evalEvery, totalSteps }: Plan, step: number): boolean {
  return step === totalSteps - 1 || (testCount > 0 && (step + 1) % evalEvery === 0);
}
