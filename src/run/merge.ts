/**
 * @file Brings the ranks' reports together in one order that depends on steps alone, never on
 * when a message arrived: each rank's reports form a queue, and the heads are taken in lockstep.
 */
import type { EvalReport, ReplicaReport, StepReport } from '#protocol/replica';

export type Merged =
  | { readonly type: 'step'; readonly perRank: readonly StepReport[] }
  | { readonly type: 'eval'; readonly perRank: readonly EvalReport[] }
  | { readonly type: 'nonFinite'; readonly step: number; readonly ranks: readonly number[] }
  | {
      readonly type: 'fallback';
      readonly rank: number;
      readonly step: number;
      readonly from: string;
      readonly to: string;
      readonly reason: string;
    }
  | { readonly type: 'exhausted'; readonly rank: number; readonly step: number }
  | {
      readonly type: 'failed';
      readonly rank: number;
      readonly step: number;
      readonly reason: string;
    };

export interface Merger {
  /** Adds what one rank reported; returns what is now complete, in log order. */
  add(rank: number, reports: readonly ReplicaReport[]): Merged[];
}

/** A merger of `worldSize` queues. Throws when two ranks disagree about what comes next. */
export function createMerger(worldSize: number): Merger {
  const queues: ReplicaReport[][] = Array.from({ length: worldSize }, () => []);
  return {
    add(rank, reports) {
      queues[rank]?.push(...reports);
      const merged: Merged[] = [];
      for (let next = take(queues); next !== null; next = take(queues)) merged.push(next);
      return merged;
    },
  };
}

/** The next entry of the log, or null while a rank it needs is still silent. */
function take(queues: ReplicaReport[][]): Merged | null {
  for (const [rank, queue] of queues.entries()) {
    const head = queue[0];
    if (head?.type === 'fallback' || head?.type === 'failed' || head?.type === 'exhausted') {
      queue.shift();
      return { ...head, rank };
    }
  }
  const heads: ReplicaReport[] = [];
  for (const queue of queues) {
    const head = queue[0];
    if (head === undefined) return null;
    heads.push(head);
  }
  for (const queue of queues) queue.shift();
  return join(heads);
}

function join(heads: readonly ReplicaReport[]): Merged {
  const first = heads[0];
  switch (first?.type) {
    case 'step': {
      const perRank = heads.map((head) => same(head, 'step').report);
      requireOneStep(perRank.map((report) => report.step));
      return { type: 'step', perRank };
    }
    case 'eval': {
      const perRank = heads.map((head) => same(head, 'eval').report);
      requireOneStep(perRank.map((report) => report.step));
      return { type: 'eval', perRank };
    }
    case 'nonFinite': {
      const perRank = heads.map((head) => same(head, 'nonFinite'));
      requireOneStep(perRank.map((report) => report.step));
      const ranks = perRank.flatMap((report, rank) => (report.own === null ? [] : [rank]));
      return { type: 'nonFinite', step: first.step, ranks };
    }
    default:
      throw new Error(`a rank reported "${String(first?.type)}", which no rank shares with others`);
  }
}

function same<T extends ReplicaReport['type']>(
  report: ReplicaReport,
  type: T,
): Extract<ReplicaReport, { type: T }> {
  if (report.type !== type) {
    throw new Error(`ranks are out of step: one reported "${type}", another "${report.type}"`);
  }
  return report as Extract<ReplicaReport, { type: T }>;
}

function requireOneStep(steps: readonly number[]): void {
  if (steps.some((step) => step !== steps[0])) {
    throw new Error(`ranks are out of step: they reported steps ${steps.join(', ')}`);
  }
}
