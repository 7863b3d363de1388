import { expect, test } from 'vitest';
import type { BackendTiming } from '#protocol/replica';
import { fallbacks, fastest, timeBackends } from './choose-backend.ts';

const timed = (backend: string, stepMs: number | null): BackendTiming => ({
  backend,
  device: backend,
  stepMs,
  reason: stepMs === null ? 'not here' : '',
});

test('RU-4 auto takes the backend whose slowest rank is fastest', async () => {
  const perRank: Record<string, (number | null)[]> = {
    fused: [null, null],
    webgpu: [1, 30],
    webgl: [25, 25],
    wasm: [20, 21],
  };
  const timings = await timeBackends(
    async (backend) => (perRank[backend] ?? []).map((ms) => timed(backend, ms)),
    () => undefined,
  );
  expect(fastest(timings)).toBe('wasm');
  expect(timings.find((timing) => timing.backend === 'webgpu')?.stepMs).toBe(30);
  expect(timings.find((timing) => timing.backend === 'cpu')?.reason).toContain('left out');
});

test('RU-4 the cpu backend is timed where nothing else works', async () => {
  const timings = await timeBackends(
    async (backend) => [timed(backend, backend === 'cpu' ? 70 : null)],
    () => undefined,
  );
  expect(fastest(timings)).toBe('cpu');
});

test('RU-4 nothing usable gives null; falling back goes down the list', () => {
  expect(fastest([timed('wasm', null)])).toBeNull();
  expect(fallbacks('webgpu')).toEqual(['webgl', 'wasm', 'cpu']);
  expect(fallbacks('cpu')).toEqual([]);
});
