/** @file Single vectors between rank 0 and others, while ranks that have no part in it do not wait. */
import { afterEach, expect, test } from 'vitest';
import { ringBroadcast } from '#core/broadcast';
import { abortArena, createArena } from './arena.ts';
import { createEndpoint } from './create.ts';
import { CollectiveAbortedError, type Endpoint } from './endpoint.ts';
import { connectPorts } from './ports.ts';

const LENGTH = 5;
const BYTES = 4 * LENGTH;
const open: Endpoint[] = [];

afterEach(() => {
  for (const endpoint of open.splice(0)) endpoint.close();
});

function endpoints(transport: 'shared' | 'ports', worldSize: number): Endpoint[] {
  const arena = createArena(worldSize, LENGTH, true);
  const rows = connectPorts(worldSize);
  const made = rows.map((ports, rank) => {
    const link =
      transport === 'shared' ? ({ transport, arena } as const) : ({ transport, ports } as const);
    return createEndpoint({ rank, worldSize, vectorLength: LENGTH, link });
  });
  open.push(...made);
  return made;
}

const vector = (value: number): Float32Array => new Float32Array(LENGTH).fill(value);

test.each(['shared', 'ports'] as const)(
  'TR-24 %s: vectors go to rank 0 and back; the others take no part',
  async (transport) => {
    const [server, , second, third] = endpoints(transport, 4) as [
      Endpoint,
      Endpoint,
      Endpoint,
      Endpoint,
    ];
    const sent = vector(2);
    expect(await second.send(0, sent)).toEqual({ bytesSent: BYTES, messagesSent: 1 });
    sent.fill(9);
    await third.send(0, vector(3));
    const found = vector(0);
    // Taken in the server's order, not in that of arrival.
    await server.receive(3, found);
    expect(found).toEqual(vector(3));
    await server.receive(2, found);
    expect(found).toEqual(vector(2));
    for (const value of [4, 5, 6]) {
      expect(await server.send(2, vector(value))).toEqual({ bytesSent: BYTES, messagesSent: 1 });
      await second.receive(0, found);
      expect(found).toEqual(vector(value));
    }
  },
);

test('TR-24 ports: single vectors and collectives follow each other on one link', async () => {
  const ranks = endpoints('ports', 3);
  const [server, first] = ranks as [Endpoint, Endpoint];
  server.input.set(vector(7));
  const found = vector(0);
  await Promise.all([first.send(0, vector(1)), server.receive(1, found)]);
  await Promise.all(ranks.map((rank) => rank.run(ringBroadcast(3, 1), { start: 0, end: LENGTH })));
  await Promise.all([server.send(1, vector(8)), first.receive(0, found)]);
  expect(found).toEqual(vector(8));
  expect(first.output).toEqual(vector(7));
});

test('TR-24 ports: a rank that expects a collective names what came instead', async () => {
  const [server, first] = endpoints('ports', 2) as [Endpoint, Endpoint];
  await server.send(1, vector(1));
  const running = first.run(ringBroadcast(2, 1), { start: 0, end: LENGTH });
  await expect(running).rejects.toThrow('waited for collective 0, step 0, chunk 0');
});

test('TR-3 TR-24 an abort ends a wait for a single vector, on both transports', async () => {
  const arena = createArena(2, LENGTH, true);
  const link = { transport: 'shared', arena } as const;
  const shared = createEndpoint({ rank: 1, worldSize: 2, vectorLength: LENGTH, link });
  abortArena(arena);
  expect(() => shared.receive(0, vector(0))).toThrow(CollectiveAbortedError);
  expect(() => shared.send(0, vector(0))).toThrow(CollectiveAbortedError);

  const [server, first] = endpoints('ports', 2) as [Endpoint, Endpoint];
  const waiting = first.receive(0, vector(0));
  server.abort();
  await expect(waiting).rejects.toThrow(CollectiveAbortedError);
  await expect(first.send(0, vector(0))).rejects.toThrow(CollectiveAbortedError);
});

test('TR-24 shared: an arena without mailboxes, and a pair without rank 0, are refused', () => {
  const link = { transport: 'shared', arena: createArena(3, LENGTH) } as const;
  const plain = createEndpoint({ rank: 1, worldSize: 3, vectorLength: LENGTH, link });
  expect(() => plain.send(0, vector(0))).toThrow('no mailbox from rank 1 to rank 0');
  const [, first] = endpoints('shared', 3) as [Endpoint, Endpoint];
  expect(() => first.send(2, vector(0))).toThrow('no mailbox from rank 1 to rank 2');
});
