/** @file What is known of each rank over the last steps, in memory that does not grow. */

/** Quantities of a rank and step; times in nanoseconds of cluster time. */
export const QUANTITIES = [
  'stepNs',
  'computeNs',
  /** For peers that have not come. */
  'waitNs',
  /** For the data loader. */
  'dataNs',
  /** Batches that wait in its loader. */
  'queue',
  'celsius',
  /** Time that its slowest port takes for its bytes, over what the port's data sheet says. */
  'portSlowness',
  'lossScale',
  /** Of its own gradient, before the ranks' are averaged. */
  'gradientNorm',
] as const;
export type Quantity = (typeof QUANTITIES)[number];

/** One step as it is observed: [rank] of each quantity; what is left out, or NaN, is not known. */
export interface StepSample extends Partial<Readonly<Record<Quantity, ArrayLike<number>>>> {
  readonly step: number;
  /** When each rank began. */
  readonly startNs: ArrayLike<number>;
}

export interface SeriesOptions {
  /** Steps that are kept. */
  readonly window?: number;
  /** First steps, whose medians are remembered as each rank's normal. */
  readonly baselineSteps?: number;
}

const WINDOW = 128;
const BASELINE_STEPS = 16;

/** Series of all ranks over the last `window` steps, and over the first ones. */
export class RankSeries {
  readonly worldSize: number;
  readonly window: number;
  private readonly baselineSteps: number;
  private count = 0;
  /** [quantity]: rank by rank, a ring of the last steps; and the first steps, likewise. */
  private readonly recentValues: Readonly<Record<Quantity, Float64Array>>;
  private readonly firstValues: Readonly<Record<Quantity, Float64Array>>;
  private readonly startsNs: Float64Array;
  private readonly stepNumbers: Float64Array;

  constructor(worldSize: number, options: SeriesOptions = {}) {
    const { window = WINDOW, baselineSteps = BASELINE_STEPS } = options;
    this.worldSize = worldSize;
    this.window = window;
    this.baselineSteps = baselineSteps;
    const store = (length: number) =>
      Object.fromEntries(
        QUANTITIES.map((quantity) => [quantity, new Float64Array(worldSize * length)]),
      ) as Record<Quantity, Float64Array>;
    this.recentValues = store(window);
    this.firstValues = store(baselineSteps);
    this.startsNs = new Float64Array(worldSize * window);
    this.stepNumbers = new Float64Array(window);
  }

  /** Steps that are kept now. */
  get length(): number {
    return Math.min(this.count, this.window);
  }

  /** Adds a step; the oldest makes room for it. */
  observe(sample: StepSample): void {
    const { worldSize, window, baselineSteps, count } = this;
    const slot = count % window;
    this.stepNumbers[slot] = sample.step;
    for (let rank = 0; rank < worldSize; rank++) {
      this.startsNs[rank * window + slot] = sample.startNs[rank];
      for (const quantity of QUANTITIES) {
        const value = sample[quantity]?.[rank] ?? Number.NaN;
        this.recentValues[quantity][rank * window + slot] = value;
        if (count < baselineSteps) {
          this.firstValues[quantity][rank * baselineSteps + count] = value;
        }
      }
    }
    this.count++;
  }

  /** The next steps are of another job: what was normal is learnt anew, and the past forgotten. */
  restart(): void {
    this.count = 0;
  }

  /** The last `steps` values of a rank, oldest first; NaN where not known. */
  last(quantity: Quantity, rank: number, steps = this.window): number[] {
    return this.read(this.recentValues[quantity], rank, steps);
  }

  /** When a rank began each of its last steps, oldest first. */
  starts(rank: number, steps = this.window): number[] {
    return this.read(this.startsNs, rank, steps);
  }

  /** The numbers of the last steps, oldest first. */
  steps(steps = this.window): number[] {
    return this.read(this.stepNumbers, 0, steps);
  }

  /** The first values of a rank since the start. */
  first(quantity: Quantity, rank: number): number[] {
    const begin = rank * this.baselineSteps;
    const length = Math.min(this.count, this.baselineSteps);
    return Array.from(this.firstValues[quantity].subarray(begin, begin + length));
  }

  private read(store: Float64Array, rank: number, steps: number): number[] {
    const { window, count } = this;
    const length = Math.min(steps, this.length);
    return Array.from({ length }, (_, i) => store[rank * window + ((count - length + i) % window)]);
  }
}
