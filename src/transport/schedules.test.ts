import { expect, test } from 'vitest';
import { ringAllGather } from '#core/all-gather';
import { ringBroadcast } from '#core/broadcast';
import { chunkRanges } from '#core/chunks';
import type { Range, Schedule } from '#core/collective';
import { pairwiseExchange } from '#core/pairwise';
import { ringReduceScatter } from '#core/reduce-scatter';
import { simulate } from '#core/schedule-check';
import { ALL_REDUCE_NAMES, allReduceSchedule } from '#core/schedules';
import { arenaLayout, createArena } from './arena.ts';
import type { Call } from './bound.ts';
import { sumElements } from './elements.ts';
import type { RunOptions } from './endpoint.ts';
import { connectPorts, portsEndpoint } from './ports.ts';
import { type BoundProgram, bindProgram } from './shared-program.ts';

const LENGTH = 37;
const WORLD_SIZES = [2, 3, 4, 5, 6, 7, 8];
/** Remainders, and fewer elements than ranks; not the whole vector. */
const RANGES: readonly Range[] = [
  { start: 2, end: 37 },
  { start: 5, end: 6 },
];

/** Every schedule there is; nodes of two ranks where the world is even. */
function schedulesFor(worldSize: number): Schedule[] {
  const ranksPerNode = worldSize % 2 === 0 ? 2 : worldSize;
  return [
    ...ALL_REDUCE_NAMES.map((name) => allReduceSchedule(name, worldSize, { ranksPerNode })),
    ringReduceScatter(worldSize),
    ringAllGather(worldSize),
    ringBroadcast(worldSize),
    ...[1, 2, 4]
      .filter((distance) => worldSize % (2 * distance) === 0)
      .map((distance) => pairwiseExchange(worldSize, distance)),
  ];
}

const floats = (schedule: Schedule, range: Range): Call => ({
  schedule,
  elements: 'fp32',
  chunks: chunkRanges(range, schedule.chunks),
});

/** Thirds, so that the order of sums shows. */
function inputsOf(worldSize: number): Float32Array[] {
  return Array.from({ length: worldSize }, (_, rank) =>
    Float32Array.from({ length: LENGTH }, (_, i) => (rank * 31 + 7 * i + 1) / 3),
  );
}

/** Elements outside the range stay as the output was: 0. */
function expectedOutputs(schedule: Schedule, range: Range): Float32Array[] {
  return simulate(schedule, inputsOf(schedule.worldSize), range).map((result) =>
    result.map((value, i) => (i >= range.start && i < range.end ? value : 0)),
  );
}

async function runOnPorts(
  schedule: Schedule,
  range: Range,
  options: RunOptions = {},
): Promise<Float32Array[]> {
  const { worldSize } = schedule;
  const endpoints = connectPorts(worldSize).map((ports, rank) =>
    portsEndpoint(rank, worldSize, LENGTH, ports),
  );
  const inputs = inputsOf(worldSize);
  endpoints.forEach(({ input }, rank) => {
    input.set(inputs[rank]);
  });
  await Promise.all(endpoints.map((endpoint) => endpoint.run(schedule, range, options)));
  for (const endpoint of endpoints) endpoint.close();
  return endpoints.map(({ output }) => output);
}

/** Every rank's compiled program, one operation after the other as soon as its waits are over. */
function runOnSharedMemory(call: Call): Float32Array[] {
  const { schedule } = call;
  const layout = arenaLayout(createArena(schedule.worldSize, LENGTH));
  const inputs = inputsOf(schedule.worldSize);
  layout.inputs.forEach((input, rank) => {
    input.set(inputs[rank]);
  });
  const programs = layout.inputs.map((_, rank) => bindProgram(layout, rank, call));
  /** Entering is the first operation. */
  const done = programs.map(() => 1);
  for (let moved = true; moved; ) {
    moved = programs.map((program, rank) => move(program, rank, done)).includes(true);
  }
  programs.forEach(({ operations, untouched }, rank) => {
    if (done[rank] !== operations.length + 1) throw new Error(`rank ${rank} is stuck`);
    for (const { from, to } of untouched) to.set(from);
  });
  return [...layout.outputs];
}

function move({ operations, elements }: BoundProgram, rank: number, done: number[]): boolean {
  const operation = operations[done[rank] - 1];
  if (!operation?.waits.every((wait) => done[wait.rank] >= wait.count)) return false;
  const { op, target, own, source } = operation;
  if (op === 'sum') sumElements(elements, target, own, source);
  else target.set(source);
  done[rank]++;
  return true;
}

test.each(WORLD_SIZES)('TR-20 N = %i: ports run every schedule as simulated', async (worldSize) => {
  for (const schedule of schedulesFor(worldSize)) {
    for (const range of RANGES) {
      const outputs = await runOnPorts(schedule, range);
      expect(outputs, schedule.name).toEqual(expectedOutputs(schedule, range));
    }
  }
});

test.each(WORLD_SIZES)(
  'TR-20 N = %i: shared memory runs every schedule as simulated',
  (worldSize) => {
    for (const schedule of schedulesFor(worldSize)) {
      for (const range of RANGES) {
        const outputs = runOnSharedMemory(floats(schedule, range));
        expect(outputs, schedule.name).toEqual(expectedOutputs(schedule, range));
      }
    }
  },
);

test.each(WORLD_SIZES)(
  'TR-22 N = %i: both transports sum codes of 16 bits alike',
  async (worldSize) => {
    const range = { start: 3, end: 60 };
    for (const schedule of schedulesFor(worldSize)) {
      for (const elements of ['fp16', 'bf16'] as const) {
        const chunks = chunkRanges(range, schedule.chunks);
        const shared = runOnSharedMemory({ schedule, elements, chunks });
        const ports = await runOnPorts(schedule, range, { elements });
        expect(bits(ports), schedule.name).toEqual(bits(shared));
      }
    }
  },
);

test('TR-21 both transports gather chunks of differing lengths alike', async () => {
  const schedule = ringAllGather(4);
  const ends = [5, 5, 40, 41];
  const chunks = ends.map((end, rank) => ({ start: ends[rank - 1] ?? 2, end }));
  const range = { start: 2, end: 4 * LENGTH };
  const shared = runOnSharedMemory({ schedule, elements: 'bytes', chunks });
  const ports = await runOnPorts(schedule, range, { elements: 'bytes', chunks });
  expect(bits(ports)).toEqual(bits(shared));
  const [first] = inputsOf(1);
  expect(bits([shared[3]])[0].subarray(2, 5)).toEqual(bits([first])[0].subarray(2, 5));
});

test('TR-21 chunks that overlap, lie outside or are too few are refused', async () => {
  const schedule = ringAllGather(2);
  const range = { start: 0, end: 8 };
  const [endpoint] = connectPorts(2).map((ports, rank) => portsEndpoint(rank, 2, LENGTH, ports));
  const refused = (chunks: readonly Range[], text: string) =>
    expect(endpoint.run(schedule, range, { chunks })).rejects.toThrow(text);
  await refused([{ start: 0, end: 8 }], '2 chunks, not 1');
  await refused(
    [
      { start: 0, end: 5 },
      { start: 4, end: 8 },
    ],
    'must follow',
  );
  await refused(
    [
      { start: 0, end: 5 },
      { start: 5, end: 9 },
    ],
    'after the range',
  );
  endpoint.close();
});

const bits = (vectors: readonly Float32Array[]): Uint8Array[] =>
  vectors.map(({ buffer, byteOffset, byteLength }) =>
    Uint8Array.from(new Uint8Array(buffer, byteOffset, byteLength)),
  );
