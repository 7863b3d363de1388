import { expect, test } from 'vitest';
import { halvingDoublingAllReduce } from '#core/halving-doubling';
import { ringAllReduce } from '#core/ring';
import { evenChunkBytes, parcelBytes, receivesOf, trafficOf } from './traffic.ts';

test('CK-2 messages of several chunks from one rank to one other in a step are one message', () => {
  const traffic = trafficOf(halvingDoublingAllReduce(8));
  // 3 exchanges each way, one message a rank: 48, where the schedule lists 2 (4 + 2 + 1) 8 chunks.
  expect(traffic.toTurn.length).toBe(48);
  const bytes = parcelBytes(traffic, new Float64Array(8).fill(10));
  const sent = Array.from(traffic.parcel, (parcel) => bytes[parcel]);
  expect(sent.filter((size) => size === 40)).toHaveLength(16);
  expect(sent.filter((size) => size === 20)).toHaveLength(16);
  expect(sent.filter((size) => size === 10)).toHaveLength(16);
});

test('CK-2 a turn waits for messages with bytes alone', () => {
  const traffic = trafficOf(ringAllReduce(4));
  expect([...traffic.receives]).toEqual(new Array(24).fill(1));
  const bytes = parcelBytes(traffic, evenChunkBytes(4, 1, 4));
  expect([...bytes]).toEqual([4, 0, 0, 0]);
  // Chunk 0 alone travels: three times summed, three times copied.
  expect(receivesOf(traffic, bytes).reduce((a, b) => a + b)).toBe(6);
  expect(() => parcelBytes(traffic, [1, 2])).toThrow('2 chunks; 4 are needed');
});

test('CK-2 a schedule with ranks or chunks that are not there is refused', () => {
  const schedule = { ...ringAllReduce(3), worldSize: 2 };
  expect(() => trafficOf(schedule)).toThrow('there are 2 ranks and 3 chunks');
});
