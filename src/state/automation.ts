/** @file The page's interface for programs: the command line runs experiments through it. */
import { buildModel } from '#core/models';
import { joinByName } from '#core/named-weights';
import type { Experiment } from '#experiment/experiment';
import { parseExperiment } from '#experiment/parse';
import type { RunClient } from '#run/client';
import { type GivenBatches, parseGivenBatches } from '#run/given';
import type { ConductorService, PageBatch } from '#run/service';
import type { Automation, Fault, GivenRequest, LineSink, RunRequest } from './automation-types.ts';
import { completeWithGiven } from './given-experiment.ts';
import { createLineWriter } from './run-lines.ts';

export interface AutomationOptions {
  readonly client: Pick<RunClient, 'subscribe'> & {
    readonly conductor: Pick<ConductorService, 'start' | 'stop' | 'kill' | 'weights'>;
  };
  /** Where the packed data is served, absolute. */
  readonly dataUrl: string;
  /** The text of a key of the string tables, in English: the command line speaks it. */
  readonly say: (message: string, parameters: Readonly<Record<string, string | number>>) => string;
  /** Wall milliseconds. */
  readonly now: () => number;
}

type Accepted =
  | { readonly ok: true; readonly experiment: Experiment; readonly samples: number | null }
  | { readonly ok: false; readonly faults: readonly Fault[] };

declare global {
  var ringside: Automation | undefined;
  var ringsideLines: LineSink | undefined;
}

/** The interface over a conductor; the same parser and the same conductor as the page uses. */
export function createAutomation(options: AutomationOptions): Automation {
  const { client, say, now } = options;
  return {
    async run(request) {
      const accepted = accept(request, say);
      if (!accepted.ok) return { kind: 'invalid', faults: accepted.faults };
      const writer = createLineWriter(accepted.samples);
      let delivered: Promise<unknown> = Promise.resolve();
      const deliver = (lines: readonly string[]): void => {
        if (lines.length === 0) return;
        const sent = globalThis.ringsideLines?.(lines);
        delivered = delivered.then(() => sent);
      };
      const message = await watch(options, accepted.experiment, request.given, (batch) => {
        deliver(writer.lines(batch, now()));
        return writer.end() !== null;
      });
      deliver([writer.summary(message)]);
      await delivered;
      return { kind: 'ended', reason: writer.end() ?? 'failed', message };
    },
    async stop() {
      await client.conductor.stop();
    },
    kill: (rank) => client.conductor.kill(rank),
    weights: () => client.conductor.weights(),
  };
}

/** Starts a run and hears its news until `take` says that it has ended; resolves with its failure. */
async function watch(
  { client, dataUrl, say }: AutomationOptions,
  experiment: Experiment,
  given: GivenRequest | null,
  take: (batch: PageBatch) => boolean,
): Promise<string> {
  // News may come before `start` has answered with the run's number; older runs' news is not ours.
  const early: PageBatch[] = [];
  let run: number | null = null;
  let unsubscribe = (): void => {};
  const ended = new Promise<string>((resolve) => {
    const hear = (batch: PageBatch): void => {
      if (run === null) early.push(batch);
      else if (batch.run > run) resolve('Another run was started in its place.');
      else if (batch.run === run && take(batch)) {
        resolve(batch.failure === null ? '' : failureText(batch.failure, say));
      }
    };
    unsubscribe = client.subscribe(hear);
    client.conductor.start(experiment, { paused: false, dataUrl, given }).then(
      (started) => {
        run = started;
        for (const batch of early) hear(batch);
      },
      (error: unknown) => resolve(String(error)),
    );
  });
  const message = await ended;
  unsubscribe();
  return message;
}

function failureText(
  failure: NonNullable<PageBatch['failure']>,
  say: AutomationOptions['say'],
): string {
  const text = say(failure.message, failure.parameters);
  return failure.detail === '' || text.includes(failure.detail)
    ? text
    : `${text} (${failure.detail})`;
}

function accept(
  { experiment, given, backend }: RunRequest,
  say: AutomationOptions['say'],
): Accepted {
  const faults: Fault[] = [];
  let input = experiment;
  let batches: GivenBatches | null = null;
  if (given !== null) {
    try {
      batches = parseGivenBatches(given);
    } catch (error) {
      return { ok: false, faults: [faultOf('data', error)] };
    }
    const completed = completeWithGiven(experiment, batches);
    faults.push(...completed.faults);
    input = completed.input;
  }
  if (typeof input === 'object' && input !== null && !Array.isArray(input)) {
    // A program wants every step unless it says otherwise; the page thins fast runs by itself.
    input = { logEvery: 1, ...input, ...(backend === null ? {} : { backend }) };
  }
  const result = parseExperiment(input);
  if (!result.ok) {
    for (const { path, found, message, parameters } of result.problems) {
      faults.push({ path, found, message: say(message, parameters) });
    }
  }
  if (!result.ok || faults.length > 0) return { ok: false, faults };
  if (batches === null) return { ok: true, experiment: result.experiment, samples: null };
  try {
    if (given?.init) joinByName(buildModel(result.experiment.model, batches.task), given.init);
  } catch (error) {
    return { ok: false, faults: [faultOf('init', error)] };
  }
  const samples = batches.steps * batches.worldSize * batches.batchPerRank;
  return { ok: true, experiment: result.experiment, samples };
}

function faultOf(path: string, error: unknown): Fault {
  return { path, found: '', message: error instanceof Error ? error.message : String(error) };
}
