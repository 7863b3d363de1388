/** @file Runs experiments in an open lab, through the interface that it offers to programs. */
import { readFileSync } from 'node:fs';
import { expect, type Frame, type Page } from '@playwright/test';
import type { EvalEvent, FallbackEvent, LogEvent, RunEvent, StepEvent } from '#run/log';
// Also brings the types of what the page puts on globalThis.
import type {} from '#state/automation';
import type { RunOutcome, RunRequest } from '#state/automation-types';
import type { Summary } from '#state/run-lines';
import { siteUrl } from './sites.ts';

declare global {
  /** The run that `start` has begun: its lines so far, and when each batch of them came. */
  var training:
    | { lines: string[]; batchMs: number[]; outcome: Promise<RunOutcome | undefined> }
    | undefined;
}

export type Line = Exclude<LogEvent, { type: 'end' }> | Summary;

export interface TrainedRun {
  readonly outcome: RunOutcome | undefined;
  readonly run: RunEvent | undefined;
  readonly steps: readonly StepEvent[];
  readonly evals: readonly EvalEvent[];
  readonly fallbacks: readonly FallbackEvent[];
  readonly summary: Summary | undefined;
  readonly lines: readonly Line[];
}

/** As a learner writes it: what is left out takes its default. */
export type ExperimentInput = Readonly<Record<string, unknown>>;
export type Request = Partial<Omit<RunRequest, 'experiment'>>;

export interface Golden {
  readonly init: Readonly<Record<string, unknown>>;
  readonly final: Readonly<Record<string, unknown>>;
  readonly x: readonly number[][][][];
  readonly y: readonly number[][][];
  /** [rank][step]. */
  readonly lossesPerRank: readonly (readonly number[])[];
}

/** Four ranks of PyTorch's DistributedDataParallel over gloo. */
export function readGolden(): Golden {
  return JSON.parse(readFileSync('workers/golden/ddp_allreduce.json', 'utf8'));
}

/** What the golden run was, in our words. */
export const GOLDEN_EXPERIMENT: ExperimentInput = {
  model: { kind: 'mlp', hidden: [16], activation: 'tanh' },
  optimizer: { kind: 'sgd', momentum: 0.9 },
  learningRate: { base: 0.1 },
};

/** A digit classifier small enough for every backend; 10 steps and no more evaluation than one. */
export const SMALL_MLP: ExperimentInput = {
  model: { kind: 'mlp', hidden: [16] },
  batchPerRank: 16,
  duration: { unit: 'steps', count: 10 },
  logEvery: 1,
};

/** Waits until the page has put its interface for programs on globalThis. */
export async function waitForLab(frame: Page | Frame): Promise<void> {
  await expect
    .poll(() => frame.evaluate(() => globalThis.ringside !== undefined), { timeout: 30_000 })
    .toBe(true);
}

/** Opens the built page; `plain` is not isolated, so ports carry the gradients. */
export async function openLab(
  page: Page,
  mode: 'isolated' | 'plain' = 'isolated',
  hash = '',
): Promise<void> {
  // From elsewhere, or another hash would not load the page anew.
  await page.goto('about:blank');
  await page.goto(`${siteUrl('lab', mode)}${hash}`);
  await waitForLab(page);
  expect(await page.evaluate(() => crossOriginIsolated)).toBe(mode === 'isolated');
}

/** Begins a run and does not wait for its end. */
export async function start(
  frame: Page | Frame,
  experiment: ExperimentInput,
  { given = null, backend = null }: Request = {},
): Promise<void> {
  await frame.evaluate(
    (request) => {
      const lines: string[] = [];
      const batchMs: number[] = [];
      globalThis.ringsideLines = (texts) => {
        lines.push(...texts);
        batchMs.push(performance.now());
      };
      const outcome = Promise.resolve(globalThis.ringside?.run(request));
      globalThis.training = { lines, batchMs, outcome };
    },
    { experiment, given, backend },
  );
}

/** The lines of the run under way so far. */
export async function linesSoFar(frame: Page | Frame): Promise<Line[]> {
  const texts = await frame.evaluate(() => globalThis.training?.lines ?? []);
  return texts.map((text) => JSON.parse(text));
}

/** Steps in the log so far, as the page knows it. */
export async function stepsSoFar(frame: Page | Frame): Promise<number> {
  return (await linesSoFar(frame)).filter(({ type }) => type === 'step').length;
}

/** Waits for the end of the run that `start` has begun. */
export async function ended(frame: Page | Frame): Promise<TrainedRun> {
  const outcome = await frame.evaluate(() => globalThis.training?.outcome);
  const lines = await linesSoFar(frame);
  return {
    outcome,
    run: lines.find((line) => line.type === 'run'),
    steps: lines.filter((line) => line.type === 'step'),
    evals: lines.filter((line) => line.type === 'eval'),
    fallbacks: lines.filter((line) => line.type === 'fallback'),
    summary: lines.find((line) => line.type === 'summary'),
    lines,
  };
}

/** Runs an experiment to its end. */
export async function train(
  frame: Page | Frame,
  experiment: ExperimentInput,
  request: Request = {},
): Promise<TrainedRun> {
  await start(frame, experiment, request);
  return ended(frame);
}

/** The run went to its end on the backend asked for, and all ranks agreed in every step. */
export function expectFinished(trained: TrainedRun, backend: string, steps: number): void {
  expect(trained.outcome).toEqual({ kind: 'ended', reason: 'finished', message: '' });
  expect(trained.run?.backend).toBe(backend);
  expect(trained.steps.map(({ step }) => step)).toEqual(Array.from({ length: steps }, (_, i) => i));
  expectAgreement(trained);
}

/** Equal weights after the broadcast and at every synchronisation; losses are numbers. */
export function expectAgreement({ run, steps, lines }: TrainedRun): void {
  const ranks = run?.experiment.replicas;
  const agreed = steps.filter(({ synchronised }) => synchronised);
  for (const hashes of [run?.initialHash, ...agreed.map(({ weightsHash }) => weightsHash)]) {
    expect(hashes).toHaveLength(ranks ?? -1);
    expect(new Set(hashes).size).toBe(1);
  }
  expect(lines.filter(({ type }) => type === 'disagreement')).toEqual([]);
  expect(steps.every(({ loss }) => Number.isFinite(loss))).toBe(true);
}

/** A script that the lab's worker runs before its own, made anew for each worker that starts. */
export type Prelude = (nth: number) => string;

/**
 * Puts a prelude before a worker's script on its way from the server, headers and policy unchanged:
 * so the built lab itself can be met by a browser with other abilities, or by bad luck.
 */
export async function changeWorker(
  page: Page,
  worker: 'conductor' | 'replica',
  prelude: Prelude,
): Promise<void> {
  let started = 0;
  await page.route(new RegExp(`/assets/${worker}-[^/]*\\.js$`), async (route) => {
    const response = await route.fetch();
    const body = `${prelude(started++)}\n${await response.text()}`;
    await route.fulfill({ response, body });
  });
}

/** As in browsers where a worker cannot start workers: the page has to start the replicas. */
export function withoutNestedWorkers(page: Page): Promise<void> {
  return changeWorker(page, 'conductor', () => 'delete globalThis.Worker;');
}

/** The log without what the wall clock or the way of carrying decide. */
export function comparable({ lines }: TrainedRun): unknown[] {
  return lines
    .filter(({ type }) => type !== 'summary')
    .map((line) => {
      const { wallMs, computeMs, communicateMs, updateMs, transport, ...rest } = {
        ...line,
      } as Record<string, unknown>;
      return rest;
    });
}
