/** @file One replica: its training loop, and the calls it answers in between two steps. */
import { ringBroadcast } from '#core/broadcast';
import type { Plan } from '#core/plan';
import { hasBatch } from '#core/sampler';
import { hasServer } from '#core/sync-rules';
import { type Batcher, createBatcher } from '#data/batches';
import type { Engine } from '#engine/engine';
import type { EvalShare, ReplicaService, ReplicaSetup } from '#protocol/replica';
import { vectorLengthOf } from '#transport/channel';
import { createEndpoint } from '#transport/create';
import { CollectiveAbortedError, type Endpoint } from '#transport/endpoint';
import { createBackend, type ReplicaBackend } from './backend.ts';
import { broadcastMemory, type Commits, createCommits, restoreMemory } from './memory.ts';
import { probeModel } from './probe.ts';
import { sampleBatch } from './sample-batch.ts';
import { createServerTraining } from './server-training.ts';
import { createTelemetry, type Telemetry } from './telemetry.ts';
import { createTraining, type Training } from './training.ts';
import { createTurns } from './turns.ts';

/** Wall ms of steps between two looks at the worker's messages. */
const TURN_MS = 12;

interface Session {
  readonly setup: ReplicaSetup;
  readonly plan: Plan;
  readonly endpoint: Endpoint;
  readonly batcher: Batcher;
  readonly backend: ReplicaBackend;
  readonly training: Training;
  readonly commits: Commits;
  readonly telemetry: Telemetry;
  completed: number;
  limit: number;
  /** Pending while the loop runs. */
  looping: Promise<void> | null;
  ended: boolean;
}

export function createReplica(): ReplicaService {
  const now = (): number => performance.now();
  const nextTurn = createTurns();
  let session: Session | null = null;
  /** Calls that want the engine wait here for the step under way to end. */
  let visits: (() => Promise<void>)[] = [];

  const required = (): Session => {
    if (session === null) throw new Error('the replica has not been prepared');
    return session;
  };

  const receiveVisits = async (): Promise<void> => {
    while (visits.length > 0) {
      const waiting = visits;
      visits = [];
      for (const visit of waiting) await visit();
    }
  };

  /** Runs `work` between two steps, so that it sees whole weights and has the engine to itself. */
  const visit = <T>(work: (present: Session) => Promise<T>): Promise<T> => {
    const present = required();
    const done = new Promise<T>((resolve, reject) => {
      visits.push(() => work(present).then(resolve, reject));
    });
    if (present.looping === null) startLoop(present);
    return done;
  };

  const startLoop = (present: Session): void => {
    present.looping = loop(present);
  };

  const loop = async (present: Session): Promise<void> => {
    try {
      await receiveVisits();
      await runSteps(present);
    } catch (error) {
      present.ended = true;
      if (!(error instanceof CollectiveAbortedError)) reportFailure(present, error);
    }
    present.telemetry.activity('idle');
    present.telemetry.flush();
    present.looping = null;
    if (visits.length > 0) startLoop(present);
  };

  const runSteps = async (present: Session): Promise<void> => {
    let turnMs = now();
    while (present.completed < present.limit && !present.ended) {
      await oneStep(present);
      const nowMs = now();
      present.telemetry.tick(nowMs);
      if (nowMs - turnMs >= TURN_MS) {
        await nextTurn();
        await receiveVisits();
        turnMs = now();
      }
    }
  };

  return {
    async prepare(setup) {
      const backend = createReplicaBackend(setup, now, required);
      session = createSession(setup, backend, now);
    },
    timeBackend: (backend) => required().backend.time(backend),
    useBackend: (backend) => required().backend.use(backend),
    async broadcastWeights() {
      const { endpoint, training, plan } = required();
      commitAt(required(), 0);
      if (plan.mistakes.noBroadcast) return training.weightsHash();
      endpoint.input.set(training.weights);
      const whole = { start: 0, end: plan.model.parameterCount };
      await endpoint.run(ringBroadcast(plan.worldSize), whole);
      training.setWeights(endpoint.output.subarray(0, whole.end));
      if (plan.model.bufferCount > 0) await training.shareBuffers();
      commitAt(required(), 0);
      return training.weightsHash();
    },
    async grant(limit) {
      const present = required();
      present.limit = limit;
      if (present.looping === null) startLoop(present);
    },
    probe: () =>
      visit(async ({ plan, setup, training, backend, completed }) => {
        const { weights, buffers } = training;
        const source = { plan, data: setup.data, weights, buffers, step: completed };
        return backend.withEngine((engine) => probeModel(engine, source));
      }),
    sampleBatch: () =>
      visit(async ({ batcher, completed, plan, setup, training }) => {
        const step = Math.min(completed, plan.totalSteps - 1);
        const batch = batcher.batchAt(training.batchIndex(step));
        return sampleBatch(batch, step, plan.model.task, setup.data.alphabet);
      }),
    state: () =>
      visit(async ({ training: { weights, buffers } }) => {
        return { weights: weights.slice(), buffers: buffers.slice() };
      }),
    commits: async () => required().commits.steps(),
    async rejoin({ step, ...place }) {
      const old = required();
      old.ended = true;
      old.endpoint.abort();
      await old.looping;
      const { memory } = old.commits.find(step);
      const next = createSession({ ...old.setup, ...place }, old.backend, now);
      restoreMemory(next.training, memory);
      next.completed = step;
      next.telemetry.completed(step);
      commitAt(next, step);
      session = next;
    },
    async shareState() {
      const present = required();
      const { training, endpoint, plan } = present;
      const bytesSent = await broadcastMemory(training, endpoint);
      // A newcomer has no commit to come from: it begins where the others went back to.
      present.completed = plan.resumed?.step ?? 0;
      present.telemetry.completed(present.completed);
      commitAt(present, present.completed);
      return { weightsHash: training.weightsHash(), bytesSent };
    },
    async abort() {
      const present = required();
      present.ended = true;
      present.endpoint.abort();
    },
  };
}

/** The engine of a worker. It outlives the groups that its rank belongs to: the model stays. */
function createReplicaBackend(
  { plan }: ReplicaSetup,
  now: () => number,
  session: () => Session,
): ReplicaBackend {
  return createBackend({
    plan,
    now,
    sampleBatch: () => session().batcher.batchAt(0),
    sampleWeights: () => session().training.weights,
    report: (event) => {
      const { telemetry, completed } = session();
      telemetry.report({ ...event, step: completed });
    },
  });
}

function createSession(setup: ReplicaSetup, backend: ReplicaBackend, now: () => number): Session {
  const { plan, rank, data } = setup;
  const { worldSize } = plan;
  const vectorLength = vectorLengthOf(plan);
  const telemetry = createTelemetry(setup, setup.telemetry, now);
  const onLongWait = (): void => telemetry.dwell();
  const endpoint = createEndpoint({ rank, worldSize, vectorLength, link: setup.link, onLongWait });
  const batcher = createBatcher({ data, plan, rank });
  const create = hasServer(plan.sync) ? createServerTraining : createTraining;
  const training = create({
    plan,
    endpoint,
    initialState: setup.initialState,
    batchAt: (step) => batcher.batchAt(step),
    augmentation: () => batcher.augmentation(),
    gradient: backend.gradient,
    now,
    activity: (activity) => telemetry.activity(activity),
  });
  return {
    setup,
    plan,
    endpoint,
    batcher,
    backend,
    training,
    commits: createCommits(training),
    telemetry,
    completed: 0,
    limit: 0,
    looping: null,
    ended: false,
  };
}

/** What was recorded until then is sent first: whoever goes back to a commit has it in the log. */
function commitAt({ plan, commits, telemetry }: Session, step: number): void {
  if (plan.recovery.commitEvery === 0) return;
  if (step > 0) telemetry.flush();
  commits.take(step);
}

async function oneStep(session: Session): Promise<void> {
  const { plan, training, telemetry } = session;
  const step = session.completed;
  if (plan.mistakes.unequalBatches && !hasBatch(step, session.setup.rank, plan)) {
    telemetry.report({ type: 'exhausted', step });
    telemetry.activity('idle');
    telemetry.dwell();
    session.ended = true;
    return;
  }
  const outcome = await training.step(step);
  if (!outcome.finite) {
    telemetry.report({ type: 'nonFinite', step, own: outcome.own });
    session.ended = true;
    return;
  }
  if (outcome.report !== null) telemetry.report({ type: 'step', report: outcome.report });
  const done = step + 1;
  if (plan.testCount > 0 && (done % plan.evalEvery === 0 || done === plan.totalSteps)) {
    telemetry.activity('evaluating');
    const test = await evaluateShare(session, 'test');
    const train = await evaluateShare(session, 'train');
    telemetry.report({ type: 'eval', report: { step: done, test, train } });
  }
  session.completed = done;
  telemetry.completed(done);
  if (done % plan.recovery.commitEvery === 0) commitAt(session, done);
}

/** Sums over this rank's share of a split; no sample is counted twice by two ranks. */
async function evaluateShare(session: Session, split: 'test' | 'train'): Promise<EvalShare> {
  const { backend, batcher, training, telemetry } = session;
  const sum = { lossSum: 0, correct: 0, count: 0 };
  for (const batch of batcher.evaluationBatches(split)) {
    const part = await backend.withEngine((engine: Engine) =>
      engine.evaluate(training.weights, training.buffers, batch),
    );
    sum.lossSum += part.lossSum;
    sum.correct += part.correct;
    sum.count += part.count;
    telemetry.tick(performance.now());
  }
  return sum;
}

function reportFailure({ telemetry, completed }: Session, error: unknown): void {
  const reason = error instanceof Error ? error.message : String(error);
  telemetry.report({ type: 'failed', step: completed, reason });
}
