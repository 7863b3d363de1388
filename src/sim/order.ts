/**
 * @file The order of events where ranks do not wait for each other: a pure function of durations and
 * the rule, so every rank works it out by itself. Events of one time go by rank.
 */
import { EMPTY_SERVER, firstArrivals, serverPush, sspAdmits } from '#core/sync-rules';
import type { DurationNs } from './durations.ts';

/** A gradient that arrives at the parameter server. */
export interface Push {
  readonly timeNs: number;
  readonly rank: number;
  /** Gradients this rank has made before. */
  readonly computation: number;
  /** Server clock of the weights it was computed from. */
  readonly version: number;
  readonly staleness: number;
  /** The gradients since the last update are averaged and applied now. */
  readonly applies: boolean;
  /** Ranks that take the server's weights right afterwards, ascending: they begin to compute. */
  readonly pulls: readonly number[];
}

/** One update of the server: the gradients it is made of, in order of arrival; the last one applies. */
export interface ServerUpdate {
  readonly pushes: readonly Push[];
}

export interface ServerRule {
  readonly worldSize: number;
  readonly durationNs: DurationNs;
  /** Gradients that make an update. */
  readonly count: number;
  /** SSP's bound; null lets every rank go on at once. */
  readonly bound: number | null;
}

/** The updates of an asynchronous server, without end. Throws RangeError for a rule that cannot be. */
export function* serverUpdates({
  worldSize,
  durationNs,
  count,
  bound,
}: ServerRule): Generator<ServerUpdate, never> {
  const ranks = [...new Array(worldSize).keys()];
  /** Gradients made by each rank: its clock in SSP's sense. */
  const made = ranks.map(() => 0);
  const versions = ranks.map(() => 0);
  /** When each rank's gradient under way will be done; null for a rank that is held back. */
  const doneNs: (number | null)[] = ranks.map((rank) => checkedNs(durationNs, rank, 0));
  const admits = (rank: number): boolean => bound === null || sspAdmits(made, rank, bound);
  let server = EMPTY_SERVER;
  let pushes: Push[] = [];
  for (;;) {
    const { rank, timeNs } = earliest(doneNs);
    const computation = made[rank]++;
    const version = versions[rank];
    doneNs[rank] = null;
    const { state, staleness, applies } = serverPush(server, version, count);
    server = state;
    const pulls = ranks.filter((each) => doneNs[each] === null && admits(each));
    for (const each of pulls) {
      versions[each] = server.clock;
      doneNs[each] = timeNs + checkedNs(durationNs, each, made[each]);
    }
    pushes.push({ timeNs, rank, computation, version, staleness, applies, pulls });
    if (!applies) continue;
    yield { pushes };
    pushes = [];
  }
}

/** One step with backup workers; all ranks begin the next one together, at `timeNs`. */
export interface BackupStep {
  readonly timeNs: number;
  /** Ranks whose gradients count, ascending. */
  readonly kept: readonly number[];
  /** Ranks that were late, ascending; they drop what they were at. */
  readonly dropped: readonly number[];
}

/** The steps of `worldSize` ranks of which the last `backups` of each step are dropped, without end. */
export function* backupSteps(
  worldSize: number,
  backups: number,
  durationNs: DurationNs,
): Generator<BackupStep, never> {
  let beganNs = 0;
  for (let step = 0; ; step++) {
    const arrivals = Array.from({ length: worldSize }, (_, rank) => ({
      rank,
      time: beganNs + checkedNs(durationNs, rank, step),
    }));
    const { kept, dropped, time } = firstArrivals(arrivals, worldSize - backups);
    beganNs = time;
    yield { timeNs: time, kept, dropped };
  }
}

function earliest(doneNs: readonly (number | null)[]): { rank: number; timeNs: number } {
  let first = { rank: -1, timeNs: Number.POSITIVE_INFINITY };
  for (const [rank, timeNs] of doneNs.entries()) {
    if (timeNs !== null && timeNs < first.timeNs) first = { rank, timeNs };
  }
  return first;
}

/** A rank that takes no time would push for ever and let no other come first. */
function checkedNs(durationNs: DurationNs, rank: number, computation: number): number {
  const ns = durationNs(rank, computation);
  if (ns > 0 && Number.isFinite(ns)) return ns;
  throw new RangeError(
    `rank ${rank}, computation ${computation}: ${ns} ns; a finite time above 0 is allowed`,
  );
}
