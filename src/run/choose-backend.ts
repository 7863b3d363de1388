/** @file "Auto": every backend is timed on all ranks at once, and the fastest is taken. */
import type { BackendTiming } from '#protocol/replica';

/** Order of preference between equals, and of falling back. */
const CANDIDATES = ['fused', 'webgpu', 'webgl', 'wasm', 'cpu'] as const;

/** Asks every rank to time a backend at the same moment; the slowest rank's time counts. */
export type TimeOnAllRanks = (backend: string) => Promise<readonly BackendTiming[]>;

/** Times the candidates one after another; `progress` hears each one's name, place and number. */
export async function timeBackends(
  timeOnAllRanks: TimeOnAllRanks,
  progress: (backend: string, done: number, total: number) => void,
): Promise<BackendTiming[]> {
  const timings: BackendTiming[] = [];
  for (const [index, backend] of CANDIDATES.entries()) {
    progress(backend, index, CANDIDATES.length);
    if (backend === 'cpu' && timings.some((timing) => timing.stepMs !== null)) {
      timings.push({ backend, device: '', stepMs: null, verdict: 'slower', reason: '' });
      continue;
    }
    timings.push(slowest(await timeOnAllRanks(backend)));
  }
  return timings;
}

/** The backend with the shortest step, or null where none can be used. */
export function fastest(timings: readonly BackendTiming[]): string | null {
  let best: BackendTiming | null = null;
  for (const timing of timings) {
    if (timing.stepMs === null) continue;
    if (best?.stepMs == null || timing.stepMs < best.stepMs) best = timing;
  }
  return best?.backend ?? null;
}

/** Backends to try after `backend`, nearest first. */
export function fallbacks(backend: string): readonly string[] {
  const place = CANDIDATES.indexOf(backend as (typeof CANDIDATES)[number]);
  return CANDIDATES.slice(place + 1);
}

function slowest(perRank: readonly BackendTiming[]): BackendTiming {
  const unusable = perRank.find((timing) => timing.stepMs === null);
  if (unusable !== undefined) return unusable;
  return perRank.reduce((worst, timing) =>
    (timing.stepMs ?? 0) > (worst.stepMs ?? 0) ? timing : worst,
  );
}
