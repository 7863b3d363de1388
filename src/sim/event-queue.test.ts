import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EventQueue } from './event-queue.ts';

function drained(queue: EventQueue): number[] {
  const events: number[] = [];
  while (queue.size > 0) events.push(queue.pop());
  return events;
}

test('CK-1 events come by time, and at one time in the order in which they were pushed', () => {
  const queue = new EventQueue();
  [30, 10, 20, 10, 30, 10].forEach((time, event) => {
    queue.push(time, event);
  });
  expect(drained(queue)).toEqual([1, 3, 5, 2, 0, 4]);
  expect(queue.nowNs).toBe(30);
});

test('CK-1 times that differ by rounding errors keep their order', () => {
  const queue = new EventQueue();
  queue.push(0.1 + 0.2, 1);
  queue.push(0.3, 2);
  expect(0.3).toBeLessThan(0.1 + 0.2);
  expect(drained(queue)).toEqual([1, 2]);
  expect(queue.nowNs).toBe(0.3);
});

test('CK-1 any mix of pushes and pops is a stable sort', () => {
  const moves = fc.array(fc.option(fc.integer({ min: 0, max: 20 })), { maxLength: 3000 });
  fc.assert(
    fc.property(moves, (delays) => {
      const queue = new EventQueue();
      const waiting: { time: number; event: number }[] = [];
      let now = 0;
      const takeOne = () => {
        if (waiting.length === 0) return;
        let first = 0;
        waiting.forEach(({ time }, i) => {
          if (time < waiting[first].time) first = i;
        });
        const [expected] = waiting.splice(first, 1);
        expect(queue.pop()).toBe(expected.event);
        now = expected.time;
        expect(queue.nowNs).toBe(now);
      };
      delays.forEach((delay, event) => {
        if (delay === null) {
          takeOne();
          return;
        }
        queue.push(now + delay, event);
        waiting.push({ time: now + delay, event });
      });
      while (waiting.length > 0) takeOne();
      expect(queue.size).toBe(0);
    }),
    { numRuns: 60 },
  );
});

test('CK-1 the past, NaN and an empty queue are refused; clear begins anew', () => {
  const queue = new EventQueue();
  queue.push(5, 1);
  expect(queue.pop()).toBe(1);
  expect(() => queue.push(4, 2)).toThrow('4 ns lies before the present, 5 ns');
  expect(() => queue.push(Number.NaN, 2)).toThrow('NaN');
  expect(() => queue.pop()).toThrow('no event');
  queue.clear();
  queue.push(4, 2);
  expect(queue.pop()).toBe(2);
});

test('CK-1 an event takes 28 bytes', () => {
  const queue = new EventQueue();
  for (let event = 0; event < 2 ** 20; event++) queue.push(event, event);
  expect(queue.bytes).toBe(28 * 2 ** 20);
  expect(queue.total).toBe(2 ** 20);
});
