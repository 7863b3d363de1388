/** @file One rank of the transport tests: runs collectives as told, in a Web Worker or a thread. */
import type { Range, Schedule } from '#core/collective';
import { createEndpoint, type EndpointSetup } from '#transport/create';
import type { CollectiveReport, Endpoint } from '#transport/endpoint';

export interface Call {
  readonly schedule: Schedule;
  readonly range: Range;
}

export interface RankJob {
  readonly setup: EndpointSetup;
  /** Collectives of one round, in order. */
  readonly calls: readonly Call[];
  readonly rounds: number;
  readonly seed: number;
  /** Longest pause before a collective, milliseconds; 0 for none. */
  readonly pauseMs: number;
  /** Takes the links but never runs anything. */
  readonly withhold: boolean;
}

export type RankRequest =
  | { readonly type: 'job'; readonly job: RankJob }
  | { readonly type: 'abort' };

export interface RankAnswer {
  readonly rank: number;
  /** [round][call]: the whole output after each collective. */
  readonly outputs: readonly (readonly Float32Array[])[];
  /** [call], of the last round. */
  readonly reports: readonly CollectiveReport[];
  /** Name and text of what `run` threw. */
  readonly error: string | null;
  /** Whether every input was as it had been filled once its collectives were over. */
  readonly inputIntact: boolean;
  /** Buffers of 1 kB or more that were allocated in the second half of the rounds. */
  readonly allocated: number;
  /** Milliseconds since the epoch when the job ended. */
  readonly ended: number;
}

/** The input of a rank in a round: values with all bits in use, so that the order of sums shows. */
export function fillInput(input: Float32Array, seed: number, rank: number, round: number): void {
  let state = (seed * 7919 + rank * 104_729 + round * 1_299_709 + 1) | 0;
  for (let i = 0; i < input.length; i++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    input[i] = state / 0x40000000;
  }
}

let allocated = 0;

/** Counts allocations that go through the constructor; a received buffer does not. */
function countAllocations(): void {
  const Original = globalThis.ArrayBuffer;
  globalThis.ArrayBuffer = new Proxy(Original, {
    construct(target, [bytes]: [number]) {
      if (bytes >= 1024) allocated++;
      return new target(bytes);
    },
  });
}

/** Answers requests until the worker ends. */
export function serveRank(
  listen: (handle: (request: RankRequest) => void) => void,
  answer: (result: RankAnswer | 'ready') => void,
): void {
  countAllocations();
  let endpoint: Endpoint | null = null;
  listen((request) => {
    if (request.type === 'abort') {
      endpoint?.abort();
      return;
    }
    endpoint = createEndpoint(request.job.setup);
    answer('ready');
    runJob(endpoint, request.job).then(answer, (error: unknown) => {
      throw error;
    });
  });
}

async function runJob(endpoint: Endpoint, job: RankJob): Promise<RankAnswer> {
  const outputs: Float32Array[][] = [];
  let reports: CollectiveReport[] = [];
  let error: string | null = null;
  let inputIntact = true;
  let allocatedBefore = 0;
  const expected = new Float32Array(endpoint.input.length);
  for (let round = 0; round < job.rounds && !job.withhold && error === null; round++) {
    if (round === job.rounds >> 1) allocatedBefore = allocated;
    fillInput(endpoint.input, job.seed, endpoint.rank, round);
    fillInput(expected, job.seed, endpoint.rank, round);
    reports = [];
    const results: Float32Array[] = [];
    try {
      for (const [index, { schedule, range }] of job.calls.entries()) {
        await pause(pauseOf(job, endpoint.rank, round, index));
        reports.push(await endpoint.run(schedule, range));
        results.push(endpoint.output.slice());
      }
    } catch (thrown) {
      error = String(thrown);
    }
    outputs.push(results);
    inputIntact &&= expected.every((value, i) => value === endpoint.input[i]);
  }
  const ended = performance.timeOrigin + performance.now();
  const { rank } = endpoint;
  if (!job.withhold && error === null) endpoint.close();
  allocated -= allocatedBefore;
  return { rank, outputs, reports, error, inputIntact, allocated, ended };
}

/** Pauses of some ranks before some collectives, repeatable. */
function pauseOf({ pauseMs, seed }: RankJob, rank: number, round: number, call: number): number {
  const draw = Math.imul(seed + 31 * rank + 17 * round + 7 * call + 1, 0x9e3779b1) >>> 0;
  return draw % 3 === 0 ? (draw >>> 8) % (pauseMs + 1) : 0;
}

async function pause(milliseconds: number): Promise<void> {
  if (milliseconds > 0) await new Promise((done) => setTimeout(done, milliseconds));
}
