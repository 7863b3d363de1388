/** @file The event queue of the cluster clock: a binary heap in typed arrays, 20 bytes an event. */
import { type Ns, ns } from './time.ts';

const FIRST_CAPACITY = 1024;

/**
 * Events come out by time, and events of one time in the order in which they were pushed. An event
 * is a number whose meaning is the caller's.
 */
export class EventQueue {
  private times = new Float64Array(FIRST_CAPACITY);
  private orders = new Float64Array(FIRST_CAPACITY);
  private events = new Int32Array(FIRST_CAPACITY);
  private count = 0;
  private pushed = 0;
  private now = Number.NEGATIVE_INFINITY;

  /** Events that wait. */
  get size(): number {
    return this.count;
  }

  /** The time of the event that came out last; minus infinity before the first. */
  get nowNs(): Ns {
    return ns(this.now);
  }

  /** Events pushed since the queue was made. */
  get total(): number {
    return this.pushed;
  }

  /** Bytes that the heap takes. */
  get bytes(): number {
    return this.times.byteLength + this.orders.byteLength + this.events.byteLength;
  }

  /** `event` is an integer of 32 bits. Throws RangeError for a time before now, or NaN. */
  push(timeNs: number, event: number): void {
    if (!(timeNs >= this.now)) {
      throw new RangeError(`EventQueue: ${timeNs} ns lies before the present, ${this.now} ns`);
    }
    if (this.count === this.times.length) this.grow();
    const order = this.pushed++;
    const { times, orders, events } = this;
    let hole = this.count++;
    // A new event has the highest order, so it passes only later ones.
    while (hole > 0) {
      const parent = (hole - 1) >>> 1;
      if (times[parent] <= timeNs) break;
      times[hole] = times[parent];
      orders[hole] = orders[parent];
      events[hole] = events[parent];
      hole = parent;
    }
    times[hole] = timeNs;
    orders[hole] = order;
    events[hole] = event;
  }

  /** Takes the next event out and moves the present to it. Throws RangeError if there is none. */
  pop(): number {
    if (this.count === 0) throw new RangeError('EventQueue: there is no event');
    const next = this.events[0];
    this.now = this.times[0];
    this.count--;
    if (this.count > 0) this.siftDown();
    return next;
  }

  /** Forgets what waits and begins anew, at any time. */
  clear(): void {
    this.count = 0;
    this.now = Number.NEGATIVE_INFINITY;
  }

  /** Fills the hole at the top with the last event. */
  private siftDown(): void {
    const { times, orders, events, count } = this;
    const time = times[count];
    const order = orders[count];
    let hole = 0;
    for (let child = 1; child < count; child = 2 * hole + 1) {
      const right = child + 1;
      if (right < count && earlier(times, orders, right, child)) child = right;
      if (times[child] > time || (times[child] === time && orders[child] > order)) break;
      times[hole] = times[child];
      orders[hole] = orders[child];
      events[hole] = events[child];
      hole = child;
    }
    times[hole] = time;
    orders[hole] = order;
    events[hole] = events[count];
  }

  private grow(): void {
    const capacity = 2 * this.times.length;
    this.times = enlarged(this.times, new Float64Array(capacity));
    this.orders = enlarged(this.orders, new Float64Array(capacity));
    this.events = enlarged(this.events, new Int32Array(capacity));
  }
}

function earlier(times: Float64Array, orders: Float64Array, a: number, b: number): boolean {
  return times[a] < times[b] || (times[a] === times[b] && orders[a] < orders[b]);
}

function enlarged<T extends Float64Array | Int32Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
