/** @file The event queue of the cluster clock: a binary heap in typed arrays, 28 bytes an event. */
import { type Ns, ns } from './time.ts';

const FIRST_CAPACITY = 1024;

/**
 * Times that round to one tick are one time. What should come together, and differs by rounding
 * errors of its sums, then keeps its order; 1/16 ns is less than anything that is modelled.
 */
const TICKS_PER_NS = 16;

/**
 * Events come out by time, and events of one time in the order in which they were pushed. An event
 * is a number whose meaning is the caller's.
 */
export class EventQueue {
  private times = new Float64Array(FIRST_CAPACITY);
  private ticks = new Float64Array(FIRST_CAPACITY);
  private orders = new Float64Array(FIRST_CAPACITY);
  private events = new Int32Array(FIRST_CAPACITY);
  private count = 0;
  private pushed = 0;
  private now = Number.NEGATIVE_INFINITY;
  private nowTick = Number.NEGATIVE_INFINITY;

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
    const { times, ticks, orders, events } = this;
    return times.byteLength + ticks.byteLength + orders.byteLength + events.byteLength;
  }

  /** `event` is an integer of 32 bits. Throws RangeError for a time before now, or NaN. */
  push(timeNs: number, event: number): void {
    const tick = Math.round(timeNs * TICKS_PER_NS);
    if (!(tick >= this.nowTick)) {
      throw new RangeError(`EventQueue: ${timeNs} ns lies before the present, ${this.now} ns`);
    }
    if (this.count === this.times.length) this.grow();
    const { ticks } = this;
    let hole = this.count++;
    // A new event has the highest order, so it passes only later ones.
    while (hole > 0) {
      const parent = (hole - 1) >>> 1;
      if (ticks[parent] <= tick) break;
      this.move(parent, hole);
      hole = parent;
    }
    this.times[hole] = timeNs;
    ticks[hole] = tick;
    this.orders[hole] = this.pushed++;
    this.events[hole] = event;
  }

  /** Takes the next event out and moves the present to it. Throws RangeError if there is none. */
  pop(): number {
    if (this.count === 0) throw new RangeError('EventQueue: there is no event');
    const next = this.events[0];
    this.now = this.times[0];
    this.nowTick = this.ticks[0];
    this.count--;
    if (this.count > 0) this.siftDown();
    return next;
  }

  /** Forgets what waits and begins anew, at any time. */
  clear(): void {
    this.count = 0;
    this.now = Number.NEGATIVE_INFINITY;
    this.nowTick = Number.NEGATIVE_INFINITY;
  }

  /** Fills the hole at the top with the last event. */
  private siftDown(): void {
    const { ticks, orders, count } = this;
    const tick = ticks[count];
    const order = orders[count];
    let hole = 0;
    for (let child = 1; child < count; child = 2 * hole + 1) {
      const right = child + 1;
      if (right < count && earlier(ticks, orders, right, child)) child = right;
      if (ticks[child] > tick || (ticks[child] === tick && orders[child] > order)) break;
      this.move(child, hole);
      hole = child;
    }
    this.move(count, hole);
  }

  private move(from: number, to: number): void {
    this.times[to] = this.times[from];
    this.ticks[to] = this.ticks[from];
    this.orders[to] = this.orders[from];
    this.events[to] = this.events[from];
  }

  private grow(): void {
    const capacity = 2 * this.times.length;
    this.times = enlarged(this.times, new Float64Array(capacity));
    this.ticks = enlarged(this.ticks, new Float64Array(capacity));
    this.orders = enlarged(this.orders, new Float64Array(capacity));
    this.events = enlarged(this.events, new Int32Array(capacity));
  }
}

function earlier(ticks: Float64Array, orders: Float64Array, a: number, b: number): boolean {
  return ticks[a] < ticks[b] || (ticks[a] === ticks[b] && orders[a] < orders[b]);
}

function enlarged<T extends Float64Array | Int32Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
