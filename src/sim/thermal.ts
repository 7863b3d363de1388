/**
 * @file Thermal throttling: load heats, cooling lags, the frequency steps down above a limit and up
 * below it. A first-order model: the temperature goes to its equilibrium as e^(-t / timeConstant).
 */
import { type Ns, ns } from './time.ts';

export interface ThermalConfig {
  readonly ambientCelsius: number;
  /** Above ambient, at equilibrium: without load, and computing at full frequency. */
  readonly idleRiseCelsius: number;
  readonly loadRiseCelsius: number;
  /** The time in which the distance to equilibrium falls to 1/e. */
  readonly timeConstantNs: Ns;
  /** Above it the frequency goes one step down; below it by the hysteresis, one up. */
  readonly limitCelsius: number;
  readonly hysteresisCelsius: number;
  /** A step, and the least frequency, as shares of the full one. */
  readonly frequencyStep: number;
  readonly leastFrequency: number;
  /** The firmware looks at the temperature at multiples of this. */
  readonly controlNs: Ns;
}

export interface ThermalState {
  readonly timeNs: Ns;
  readonly celsius: number;
  readonly stepsDown: number;
}

/** Dynamic power is C V^2 f, and the voltage goes with the frequency. */
const POWER_EXPONENT = 3;

/** One device. It begins at the equilibrium without load. */
export class Thermal {
  private readonly config: ThermalConfig;
  private now = 0;
  private temperature: number;
  private stepsDown = 0;

  /** Throws RangeError for a config that describes nothing that could work. */
  constructor(config: ThermalConfig) {
    requireThermal(config);
    this.config = config;
    this.temperature = config.ambientCelsius + config.idleRiseCelsius;
  }

  get celsius(): number {
    return this.temperature;
  }

  /** Share of the full frequency, until the next look at the temperature. */
  get frequency(): number {
    const { frequencyStep, leastFrequency } = this.config;
    return Math.max(leastFrequency, 1 - this.stepsDown * frequencyStep);
  }

  /** How long the present frequency lasts under load; infinite where load can never heat too much. */
  frequencyUntilNs(): Ns {
    const stays = this.stepsDown === 0 && this.hottest(true) <= this.config.limitCelsius;
    return ns(stays ? Number.POSITIVE_INFINITY : this.nextLookNs());
  }

  /** Lets time pass up to `timeNs`, all of it computing or all of it not. */
  advance(timeNs: number, loaded: boolean): void {
    while (this.now < timeNs) {
      // Without a step to take back or a limit in reach there is nothing to look at.
      const quiet = this.stepsDown === 0 && this.hottest(loaded) <= this.config.limitCelsius;
      const look = this.nextLookNs();
      if (quiet || look > timeNs) {
        this.drift(timeNs, loaded);
        return;
      }
      this.drift(look, loaded);
      this.look();
    }
  }

  snapshot(): ThermalState {
    return { timeNs: ns(this.now), celsius: this.temperature, stepsDown: this.stepsDown };
  }

  restore({ timeNs, celsius, stepsDown }: ThermalState): void {
    this.now = timeNs;
    this.temperature = celsius;
    this.stepsDown = stepsDown;
  }

  private nextLookNs(): number {
    const { controlNs } = this.config;
    const next = Math.floor(this.now / controlNs) + 1;
    // A quotient may be rounded down to the look that was just taken.
    return next * controlNs > this.now ? next * controlNs : (next + 1) * controlNs;
  }

  private look(): void {
    const { limitCelsius, hysteresisCelsius, leastFrequency } = this.config;
    if (this.temperature > limitCelsius && this.frequency > leastFrequency) this.stepsDown++;
    else if (this.temperature < limitCelsius - hysteresisCelsius && this.stepsDown > 0) {
      this.stepsDown--;
    }
  }

  private drift(timeNs: number, loaded: boolean): void {
    const rest = Math.exp((this.now - timeNs) / this.config.timeConstantNs);
    const goal = this.equilibrium(loaded);
    this.temperature = goal + (this.temperature - goal) * rest;
    this.now = timeNs;
  }

  private equilibrium(loaded: boolean): number {
    const { ambientCelsius, idleRiseCelsius, loadRiseCelsius } = this.config;
    const power = loaded ? this.frequency ** POWER_EXPONENT : 0;
    return ambientCelsius + idleRiseCelsius + (loadRiseCelsius - idleRiseCelsius) * power;
  }

  /** The highest temperature on the way to equilibrium. */
  private hottest(loaded: boolean): number {
    return Math.max(this.temperature, this.equilibrium(loaded));
  }
}

function requireThermal(config: ThermalConfig): void {
  const { timeConstantNs, controlNs, frequencyStep, leastFrequency, hysteresisCelsius } = config;
  const { idleRiseCelsius, loadRiseCelsius } = config;
  const valid =
    timeConstantNs > 0 &&
    controlNs > 0 &&
    frequencyStep > 0 &&
    frequencyStep < 1 &&
    leastFrequency > 0 &&
    leastFrequency <= 1 &&
    hysteresisCelsius >= 0 &&
    idleRiseCelsius >= 0 &&
    loadRiseCelsius >= idleRiseCelsius;
  if (valid) return;
  throw new RangeError(
    'thermal: times and the frequency step must be above 0, the step below 1, the least frequency ' +
      'in (0, 1], the hysteresis and the idle rise at least 0 and the rise under load no less than ' +
      `that; found ${JSON.stringify(config)}`,
  );
}
