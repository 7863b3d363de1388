/** @file What crosses between the page and the conductor worker. */
import type { Experiment } from '#experiment/experiment';
import type { Activity, BackendTiming, BatchSample, Probe } from '#protocol/replica';
import type { LogEvent, WallRecord } from './log.ts';

export type RunStatus =
  | 'idle'
  | 'preparing'
  | 'running'
  | 'paused'
  | 'finished'
  | 'stopped'
  | 'failed';

export interface Preparation {
  readonly stage: 'data' | 'replicas' | 'backends' | 'broadcast';
  /** Parts done (files loaded, backends timed) of `total`; null where there is nothing to count. */
  readonly progress: { readonly done: number; readonly total: number } | null;
  /** The backend that is being timed or started. */
  readonly backend: string | null;
}

/** What went wrong, where, and what to do. */
export interface Failure {
  /** Key of a message in the string tables, with parameters. */
  readonly message: string;
  readonly parameters: Readonly<Record<string, string | number>>;
  /** The technical text, for the curious. */
  readonly detail: string;
}

/** One message from the conductor to the page; at most one a frame, and one unanswered at a time. */
export interface PageBatch {
  readonly run: number;
  readonly status: RunStatus;
  readonly preparation: Preparation | null;
  readonly failure: Failure | null;
  readonly timings: readonly BackendTiming[];
  readonly completed: number;
  readonly totalSteps: number;
  /** Wall time, over the last second. */
  readonly samplesPerSecond: number;
  readonly activity: readonly Activity[];
  readonly events: readonly LogEvent[];
  readonly wall: readonly WallRecord[];
  /** Set once the run has ended: the rolling hash of the whole log. */
  readonly logHash: string | null;
}

/** Weights and batches from outside, in the format of golden/ddp_allreduce.json. */
export interface GivenInputs {
  /** By parameter name; matrices as [out][in], as PyTorch has them. */
  readonly init: Readonly<Record<string, unknown>> | null;
  readonly x: unknown;
  readonly y: unknown;
}

/** What the page does for the conductor. Crosses as a callback object. */
export interface PageHost {
  /** Resolves once the page has taken the batch; until then no other is sent. */
  receive(batch: PageBatch): Promise<void>;
  /** Starts a replica worker; `onCrash` hears why, should it die of an error nobody caught. */
  spawnReplica(
    onCrash: (reason: string) => void,
  ): Promise<{ readonly id: number; readonly port: MessagePort }>;
  terminateReplica(id: number): Promise<void>;
}

/** Exposed by the conductor worker over comlink. One run at a time; a new one replaces the old. */
export interface ConductorService {
  /** Once, before anything else. `nestedWorkers` false: the page starts the replicas. */
  connect(host: PageHost, nestedWorkers: boolean): Promise<void>;
  /** Prepares and runs; resolves when preparation has begun. `paused` stops before step 0. */
  start(experiment: Experiment, options: StartOptions): Promise<number>;
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Exactly one step, then paused. */
  step(): Promise<void>;
  /** Ends the run within half a second, whatever is under way; the log stays. */
  stop(): Promise<void>;
  /**
   * Terminates a rank's worker, whatever it does. False where there is no such rank, or it is gone
   * already.
   */
  kill(rank: number): Promise<boolean>;
  probe(): Promise<Probe | null>;
  sampleBatches(): Promise<readonly BatchSample[]>;
  /** Rank 0's weights and buffers by name; matrices as [out][in]. */
  weights(): Promise<Readonly<Record<string, unknown>>>;
}

export interface StartOptions {
  readonly paused: boolean;
  /** Where the packed data is served, absolute. */
  readonly dataUrl: string;
  readonly given: GivenInputs | null;
}
