/** @file The factor on a device's compute with which the model meets one measured step. */
import type { Cluster } from './cluster.ts';
import { type StepJob, stepPrice } from './step-model.ts';

const STEPS = 60;
const MOST = 1000;

/**
 * `job` with the computeScale that makes a step of `ranks` ranks take `seconds`; steps grow with it.
 * Throws RangeError where even free or thousandfold compute would not.
 */
export function calibrated(
  cluster: Cluster,
  ranks: number,
  job: StepJob,
  seconds: number,
): StepJob {
  const priced = (computeScale: number) =>
    stepPrice(cluster, ranks, { ...job, computeScale }).stepSeconds;
  let [low, high] = [0, MOST];
  if (!(priced(low) <= seconds && seconds <= priced(high))) {
    throw new RangeError(
      `calibration: ${seconds} s on ${ranks} ranks; the model gives ${priced(low)} to ${priced(high)} s`,
    );
  }
  for (let step = 0; step < STEPS; step++) {
    const middle = (low + high) / 2;
    if (priced(middle) < seconds) low = middle;
    else high = middle;
  }
  return { ...job, computeScale: (low + high) / 2 };
}
