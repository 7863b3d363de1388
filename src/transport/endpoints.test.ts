import { afterEach, expect, test, vi } from 'vitest';
import { ringBroadcast } from '#core/broadcast';
import { ringAllReduce } from '#core/ring';
import { abortArena, createArena } from './arena.ts';
import { createEndpoint } from './create.ts';
import { CollectiveAbortedError, type Endpoint, LONG_WAIT_MS } from './endpoint.ts';
import { connectPorts, portsEndpoint } from './ports.ts';

const LENGTH = 6;
const WHOLE = { start: 0, end: LENGTH };
const open: Endpoint[] = [];

afterEach(() => {
  for (const endpoint of open.splice(0)) endpoint.close();
});

/** Rank 0's endpoint on ports, and the bare other end of its only link. */
function pair(epoch = 3): { endpoint: Endpoint; peer: MessagePort } {
  const [[, own], [peer]] = connectPorts(2);
  if (!own || !peer) throw new Error('two ports were expected');
  const endpoint = portsEndpoint(0, 2, LENGTH, [null, own], epoch);
  open.push(endpoint);
  return { endpoint, peer };
}

/** Both ranks of a world of two, in this thread. */
function both(): [Endpoint, Endpoint] {
  const endpoints = connectPorts(2).map((ports, rank) => portsEndpoint(rank, 2, LENGTH, ports));
  open.push(...endpoints);
  return endpoints as [Endpoint, Endpoint];
}

const chunk = (values: number[], more: object) => ({
  type: 'chunk',
  epoch: 3,
  collective: 0,
  step: 0,
  chunk: 1,
  buffer: Float32Array.from(values).buffer,
  ...more,
});

test('TR-1 a world of one copies its input, on both transports', async () => {
  const links = [
    { transport: 'shared', arena: createArena(1, LENGTH) },
    { transport: 'ports', ports: [null] },
  ] as const;
  for (const link of links) {
    const endpoint = createEndpoint({ rank: 0, worldSize: 1, vectorLength: LENGTH, link });
    endpoint.input.set([1, 2, 3, 4, 5, 6]);
    const report = await endpoint.run(ringAllReduce(1), { start: 1, end: 4 });
    expect([...endpoint.output]).toEqual([0, 2, 3, 4, 0, 0]);
    expect(report).toEqual({ bytesSent: 0, messagesSent: 0 });
  }
});

test('TR-1 collectives started without waiting run in their order', async () => {
  const [a, b] = both();
  a.input.fill(1);
  b.input.fill(10);
  const runs = [a, b].flatMap((endpoint) => [
    endpoint.run(ringAllReduce(2), { start: 3, end: 6 }),
    endpoint.run(ringBroadcast(2), { start: 0, end: 3 }),
  ]);
  await Promise.all(runs);
  expect([...b.output]).toEqual([1, 1, 1, 11, 11, 11]);
});

test('TR-7 a chunk of another epoch is dropped', async () => {
  const { endpoint, peer } = pair();
  endpoint.input.fill(1);
  const result = endpoint.run(ringAllReduce(2), WHOLE);
  peer.postMessage(chunk([7, 7, 7], { epoch: 2 }));
  peer.postMessage(chunk([5, 5, 5], { chunk: 0 }));
  peer.postMessage(chunk([6, 6, 6], { chunk: 1, step: 1 }));
  await result;
  expect([...endpoint.output]).toEqual([6, 6, 6, 6, 6, 6]);
});

test.each([
  [
    'another collective',
    chunk([1, 1, 1], { chunk: 0, collective: 1 }),
    'collective 1, step 0, chunk 0',
  ],
  ['another step', chunk([1, 1, 1], { chunk: 0, step: 1 }), 'collective 0, step 1, chunk 0'],
  ['another chunk', chunk([1, 1, 1], {}), 'collective 0, step 0, chunk 1'],
  ['another size', chunk([1, 1], { chunk: 0 }), '(8 bytes)'],
  ['no chunk at all', { type: 'greeting', epoch: 3 }, 'Rank 1 sent something that is no chunk'],
  ['no object', 17, 'Rank 1 sent something that is no chunk'],
])('TR-7 a message of %s is refused', async (_, message, text) => {
  const { endpoint, peer } = pair();
  const result = endpoint.run(ringAllReduce(2), WHOLE);
  peer.postMessage(message);
  await expect(result).rejects.toThrow(text);
  await expect(endpoint.run(ringAllReduce(2), WHOLE)).rejects.toThrow(CollectiveAbortedError);
});

test('TR-3 an abort of one rank ends the run of its peers and every later one', async () => {
  const [a, b] = both();
  const result = b.run(ringAllReduce(2), WHOLE);
  a.abort();
  await expect(result).rejects.toThrow(CollectiveAbortedError);
  await expect(a.run(ringAllReduce(2), WHOLE)).rejects.toThrow(CollectiveAbortedError);
  await expect(b.run(ringAllReduce(2), WHOLE)).rejects.toThrow(CollectiveAbortedError);
});

test('TR-3 an aborted arena, or a closed endpoint, runs nothing more', () => {
  const arena = createArena(1, LENGTH);
  const setup = { rank: 0, worldSize: 1, vectorLength: LENGTH } as const;
  const link = { transport: 'shared', arena } as const;
  const closed = createEndpoint({ ...setup, link });
  closed.close();
  expect(() => closed.run(ringAllReduce(1), WHOLE)).toThrow(CollectiveAbortedError);
  const endpoint = createEndpoint({ ...setup, link });
  void endpoint.run(ringAllReduce(1), WHOLE);
  abortArena(arena);
  expect(() => endpoint.run(ringAllReduce(1), WHOLE)).toThrow(CollectiveAbortedError);
});

test('a schedule or range that does not fit is refused before anything is sent', async () => {
  const arena = createArena(1, LENGTH);
  const link = { transport: 'shared', arena } as const;
  const shared = createEndpoint({ rank: 0, worldSize: 1, vectorLength: LENGTH, link });
  expect(() => shared.run(ringAllReduce(2), WHOLE)).toThrow('for 2 ranks; this endpoint has 1');
  for (const range of [
    { start: 0, end: 7 },
    { start: -1, end: 2 },
    { start: 3, end: 2 },
  ]) {
    expect(() => shared.run(ringAllReduce(1), range)).toThrow('are allowed');
  }
  const [a] = both();
  const faulty = { ...ringAllReduce(2), chunks: 1 };
  await expect(a.run(faulty, WHOLE)).rejects.toThrow('chunk 1; 0 ... 0 is allowed');
});

test('links that do not fit the sizes are refused', () => {
  const arena = createArena(2, LENGTH);
  const link = { transport: 'shared', arena } as const;
  expect(() => createEndpoint({ rank: 0, worldSize: 3, vectorLength: LENGTH, link })).toThrow(
    'the arena is for 2 ranks and 6 elements; 3 and 6 were asked for',
  );
  expect(() => createEndpoint({ rank: 2, worldSize: 2, vectorLength: LENGTH, link })).toThrow(
    'rank 2; 0 ... 1 is allowed',
  );
  expect(() => portsEndpoint(0, 2, LENGTH, [null, null])).toThrow('rank 0 has no port to rank 1');
  const foreign = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
  expect(() =>
    createEndpoint({
      rank: 0,
      worldSize: 1,
      vectorLength: 1,
      link: { transport: 'shared', arena: foreign },
    }),
  ).toThrow('no arena');
  expect(() => createArena(0, 1)).toThrow('world size 0');
  expect(() => createArena(1, -1)).toThrow('vector length -1');
});

test('TR-23 a wait of 100 ms calls its rank once, and goes on; shared memory', () => {
  const arena = createArena(2, LENGTH);
  const calls: number[] = [];
  const startMs = performance.now();
  const endpoint = createEndpoint({
    rank: 0,
    worldSize: 2,
    vectorLength: LENGTH,
    link: { transport: 'shared', arena },
    onLongWait: () => {
      calls.push(performance.now() - startMs);
      // Nobody else could end the wait of the only thread there is.
      abortArena(arena);
    },
  });
  open.push(endpoint);
  expect(() => endpoint.run(ringAllReduce(2), WHOLE)).toThrow(CollectiveAbortedError);
  expect(calls).toHaveLength(1);
  expect(calls[0]).toBeGreaterThanOrEqual(LONG_WAIT_MS - 1);
});

test('TR-23 a wait of 100 ms calls its rank once, and goes on; ports', async () => {
  const [[, own], [peer]] = connectPorts(2);
  if (!own || !peer) throw new Error('two ports were expected');
  const onLongWait = vi.fn();
  const link = { transport: 'ports', ports: [null, own] } as const;
  const endpoint = createEndpoint({
    rank: 0,
    worldSize: 2,
    vectorLength: LENGTH,
    link,
    onLongWait,
  });
  open.push(endpoint, portsEndpoint(1, 2, LENGTH, [peer, null]));
  const running = endpoint.run(ringAllReduce(2), WHOLE);
  await new Promise((resolve) => setTimeout(resolve, 3 * LONG_WAIT_MS));
  expect(onLongWait).toHaveBeenCalledTimes(1);
  await open[1]?.run(ringAllReduce(2), WHOLE);
  expect(await running).toMatchObject({ bytesSent: 24 });
});
