/** @file What the command line and the page's automation interface say to each other. */

/** One thing wrong with what was asked for. */
export interface Fault {
  /** "optimizer.momentum", or "" for the whole. */
  readonly path: string;
  /** What was found, as short JSON text; empty where `message` says it. */
  readonly found: string;
  readonly message: string;
}

/** Batches from outside, and perhaps initial weights, as in golden/ddp_allreduce.json. */
export interface GivenRequest {
  readonly init: Readonly<Record<string, unknown>> | null;
  readonly x: unknown;
  readonly y: unknown;
}

export interface RunRequest {
  /** Anything; it is parsed as the page parses it. */
  readonly experiment: unknown;
  readonly given: GivenRequest | null;
  /** Replaces the experiment's backend; null leaves it. */
  readonly backend: string | null;
}

export type RunOutcome =
  | { readonly kind: 'invalid'; readonly faults: readonly Fault[] }
  | { readonly kind: 'ended'; readonly reason: EndReason; readonly message: string };

export type EndReason = 'finished' | 'stopped' | 'nonFinite' | 'hang' | 'failed';

/** Put on `globalThis.ringside` by the page. */
export interface Automation {
  /** Runs one experiment; its JSON lines go to `globalThis.ringsideLines`, where there is one. */
  run(request: RunRequest): Promise<RunOutcome>;
  /** Ends the run under way; `run` then resolves with "stopped". */
  stop(): Promise<void>;
  /** Terminates a rank's worker in the run under way; false where there is none. */
  kill(rank: number): Promise<boolean>;
  /** Rank 0's weights by parameter name; matrices as [out][in]. */
  weights(): Promise<Readonly<Record<string, unknown>>>;
}

/** What the page looks for on `globalThis`: takes JSON texts, one a line, in order. */
export type LineSink = (lines: readonly string[]) => unknown;
