/** @file A team of ranks, and what must be true of their collectives. Used by threads and browsers. */
import { simulate } from '#core/schedule-check';
import { abortArena, createArena } from '#transport/arena';
import type { Links } from '#transport/create';
import { connectPorts } from '#transport/ports';
import { type Call, fillInput, type RankAnswer, type RankRequest } from './transport-rank.ts';

/** A worker of either kind. */
export interface RankWorker {
  post(request: RankRequest, transferred: MessagePort[]): void;
  /** Called with every answer. */
  listen(handle: (answer: RankAnswer | 'ready') => void): void;
}

export interface TeamJob {
  readonly transport: 'shared' | 'ports';
  readonly length: number;
  readonly calls: readonly Call[];
  readonly rounds: number;
  readonly seed: number;
  readonly pauseMs: number;
  /** Ranks that do not take part, so that the others wait for ever. */
  readonly withheld: readonly number[];
}

/** A job under way on every rank. */
export interface Running {
  readonly answers: Promise<RankAnswer[]>;
  /** All ranks have their links. */
  readonly ready: Promise<void>;
  abort(): void;
}

/** Starts `job` on a new epoch of links. */
export function startJob(workers: readonly RankWorker[], job: TeamJob): Running {
  const worldSize = workers.length;
  const arena = job.transport === 'shared' ? createArena(worldSize, job.length) : null;
  const rows = job.transport === 'ports' ? connectPorts(worldSize) : [];
  let waiting = worldSize;
  let setReady = () => {};
  const ready = new Promise<void>((done) => {
    setReady = done;
  });
  const answers = workers.map(
    (worker, rank) =>
      new Promise<RankAnswer>((done) => {
        worker.listen((answer) => {
          if (answer !== 'ready') done(answer);
          else if (--waiting === 0) setReady();
        });
        const ports = rows[rank] ?? [];
        const link: Links = arena ? { transport: 'shared', arena } : { transport: 'ports', ports };
        const setup = { rank, worldSize, vectorLength: job.length, link };
        const { calls, rounds, seed, pauseMs } = job;
        const withhold = job.withheld.includes(rank);
        worker.post(
          { type: 'job', job: { setup, calls, rounds, seed, pauseMs, withhold } },
          ports.filter((port) => port !== null),
        );
      }),
  );
  const abort = () => {
    if (arena) abortArena(arena);
    else for (const worker of workers) worker.post({ type: 'abort' }, []);
  };
  return { answers: Promise.all(answers), ready, abort };
}

/** Everything about finished `answers` that is not as the simulation has it; empty if all is well. */
export function faultsOf(job: TeamJob, answers: readonly RankAnswer[]): string[] {
  const faults: string[] = [];
  const outputs = answers.map(() => new Float32Array(job.length));
  for (const { rank, error, inputIntact } of answers) {
    if (error !== null) faults.push(`rank ${rank} threw ${error}`);
    if (!inputIntact) faults.push(`rank ${rank}'s input was changed`);
  }
  for (let round = 0; round < job.rounds; round++) {
    const inputs = answers.map(({ rank }) => {
      const input = new Float32Array(job.length);
      fillInput(input, job.seed, rank, round);
      return input;
    });
    for (const [call, { schedule, range }] of job.calls.entries()) {
      simulate(schedule, inputs, range).forEach((result, rank) => {
        const expected = outputs[rank] ?? result;
        expected.set(result.subarray(range.start, range.end), range.start);
        const found = answers[rank]?.outputs[round]?.[call];
        if (!found || !sameBits(found, expected)) {
          faults.push(`round ${round}, ${schedule.name} (call ${call}): rank ${rank} differs`);
        }
      });
    }
  }
  return faults;
}

function sameBits(a: Float32Array, b: Float32Array): boolean {
  return a.length === b.length && a.every((value, i) => Object.is(value, b[i]));
}

/** Aborts `job`, in which some rank is withheld, and tells what the others did not do right. */
export async function faultsOfAbort(
  workers: readonly RankWorker[],
  job: TeamJob,
): Promise<{ faults: string[]; milliseconds: number }> {
  const running = startJob(workers, job);
  await running.ready;
  await new Promise((done) => setTimeout(done, 50));
  const aborted = performance.timeOrigin + performance.now();
  running.abort();
  const answers = await running.answers;
  const others = answers.filter(({ rank }) => !job.withheld.includes(rank));
  const faults = others.flatMap(({ rank, error, inputIntact }) => [
    ...(error?.startsWith('CollectiveAbortedError') ? [] : [`rank ${rank} threw ${error}`]),
    ...(inputIntact ? [] : [`rank ${rank}'s input was changed`]),
  ]);
  return { faults, milliseconds: Math.max(...others.map(({ ended }) => ended)) - aborted };
}
