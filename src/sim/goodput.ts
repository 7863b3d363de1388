/** @file Checkpoints, failures and what is left of the time: Young's interval and goodput. */

export interface Reliability {
  /** Between failures of one device. */
  readonly mtbfHoursPerGpu: number;
  readonly gpus: number;
  /** To write one checkpoint, during which training waits. */
  readonly checkpointSeconds: number;
  /** From a failure to the first new step: detection, replacement, reading the checkpoint. */
  readonly restartSeconds: number;
}

export interface Goodput {
  readonly mtbfSeconds: number;
  /** Young: sqrt(2 C M). */
  readonly intervalSeconds: number;
  /** Daly's first order, compute between two checkpoints: sqrt(2 C M) - C. */
  readonly dalySeconds: number;
  /** Share lost to checkpoints and to work done twice: C/tau + tau/(2M). */
  readonly waste: number;
  /** 1 - waste - R/M, at least 0. */
  readonly goodput: number;
}

/**
 * Goodput with a checkpoint every `intervalSeconds`, Young's where left out. Valid for C well below
 * M. Throws RangeError unless all are finite, counts and MTBF positive.
 */
export function goodput(reliability: Reliability, intervalSeconds?: number): Goodput {
  const { mtbfHoursPerGpu, gpus, checkpointSeconds, restartSeconds } = reliability;
  if (!(mtbfHoursPerGpu > 0 && gpus >= 1 && checkpointSeconds >= 0 && restartSeconds >= 0)) {
    throw new RangeError(`goodput: ${JSON.stringify(reliability)} has a value below its limit`);
  }
  const mtbfSeconds = (mtbfHoursPerGpu * 3600) / gpus;
  const young = Math.sqrt(2 * checkpointSeconds * mtbfSeconds);
  const interval = intervalSeconds ?? young;
  const writing = interval > 0 ? checkpointSeconds / interval : 0;
  const waste = writing + interval / (2 * mtbfSeconds);
  return {
    mtbfSeconds,
    intervalSeconds: interval,
    dalySeconds: Math.max(0, young - checkpointSeconds),
    waste,
    goodput: Math.max(0, 1 - waste - restartSeconds / mtbfSeconds),
  };
}

/** Weights in 16 bits, fp32 master and Adam's two moments [BLOOM: 14 B a parameter]. */
const CHECKPOINT_BYTES_PER_PARAMETER = 14;

/** Bytes of a checkpoint of a model in mixed precision. */
export function checkpointBytes(parameters: number): number {
  return CHECKPOINT_BYTES_PER_PARAMETER * parameters;
}
