/** @file What a step of data-parallel training costs, as plain numbers, before anything is slow. */
import type { Range, Schedule } from '#core/collective';
import type { Model, Segment } from '#core/model';
import { type Ns, ns } from './time.ts';
import { evenChunkBytes } from './traffic.ts';

/** One layer's compute for a rank's micro-batch at full speed. */
export interface LayerCost {
  readonly forwardNs: Ns;
  readonly backwardNs: Ns;
}

/** One bucket's collective. */
export interface BucketJob {
  readonly schedule: Schedule;
  /** On the wire, of each chunk of the schedule: after compression or a cast. */
  readonly chunkBytes: ArrayLike<number>;
  /** Encoding and decoding, on the communication stream. */
  readonly encodeNs: Ns;
  readonly decodeNs: Ns;
  /** The layer whose backward completes the bucket. */
  readonly readyLayer: number;
}

export interface StepJob {
  /** In forward order. */
  readonly layers: readonly LayerCost[];
  /** Forward and backward so many times; only the last backward communicates (no_sync). */
  readonly microBatches: number;
  /** In launch order; none in a step that does not communicate. */
  readonly buckets: readonly BucketJob[];
  readonly optimizerNs: Ns;
}

export interface DeviceSpeed {
  /** In the precision of the run; efficiency is the share that layers reach. */
  readonly peakFlopsPerSecond: number;
  readonly efficiency: number;
  /** Of each layer and pass, whatever its size: kernel launches. */
  readonly overheadNs: Ns;
}

/** What `flops` take. */
export function computeNs(flops: number, { peakFlopsPerSecond, efficiency }: DeviceSpeed): Ns {
  return ns((1e9 * flops) / (peakFlopsPerSecond * efficiency));
}

/** Costs of a model's segments for `batch` samples. Throws RangeError for a device without speed. */
export function layerCosts(
  segments: readonly Pick<Segment, 'forwardFlops' | 'backwardFlops'>[],
  batch: number,
  device: DeviceSpeed,
): LayerCost[] {
  const { peakFlopsPerSecond, efficiency, overheadNs } = device;
  if (!(peakFlopsPerSecond > 0 && efficiency > 0 && overheadNs >= 0)) {
    throw new RangeError(
      `device: ${peakFlopsPerSecond} FLOP/s at efficiency ${efficiency}, ${overheadNs} ns a layer; ` +
        'speeds above 0 and an overhead from 0 are allowed',
    );
  }
  return segments.map(({ forwardFlops, backwardFlops }) => ({
    forwardNs: ns(overheadNs + computeNs(batch * forwardFlops, device)),
    backwardNs: ns(overheadNs + computeNs(batch * backwardFlops, device)),
  }));
}

/**
 * The layer whose backward completes each range of the flat vector: the first one, in forward
 * order, with a parameter in it. Throws RangeError for a range without parameters.
 */
export function readyLayers(
  segments: readonly Pick<Segment, 'parameters'>[],
  ranges: readonly Range[],
): number[] {
  return ranges.map(({ start, end }) => {
    const layer = segments.findIndex(({ parameters }) =>
      parameters.some(({ offset, length }) => offset < end && offset + length > start),
    );
    if (layer < 0)
      throw new RangeError(`readyLayers: no parameter lies in ${start} ... ${end - 1}`);
    return layer;
  });
}

export interface ModelJobConfig {
  readonly model: Pick<Model, 'segments'>;
  /** Samples of a rank's micro-batch. */
  readonly batch: number;
  readonly microBatches: number;
  readonly device: DeviceSpeed;
  /** Buckets in launch order, and what carries them. */
  readonly ranges: readonly Range[];
  readonly schedule: Schedule;
  /** On the wire: 4, or 2 with a cast to 16 bits. */
  readonly bytesPerElement: number;
  readonly optimizerNs: Ns;
}

/** The job of data-parallel training of `model`, without codecs. Throws as its parts do. */
export function modelJob(config: ModelJobConfig): StepJob {
  const { model, batch, microBatches, device, ranges, schedule, optimizerNs } = config;
  const ready = readyLayers(model.segments, ranges);
  const buckets = ranges.map(({ start, end }, bucket): BucketJob => {
    const chunkBytes = evenChunkBytes(schedule.chunks, end - start, config.bytesPerElement);
    return { schedule, chunkBytes, encodeNs: ns(0), decodeNs: ns(0), readyLayer: ready[bucket] };
  });
  return {
    layers: layerCosts(model.segments, batch, device),
    microBatches,
    buckets,
    optimizerNs,
  };
}

export interface BackwardPieces {
  /** [bucket] */
  readonly untilReadyNs: readonly Ns[];
  readonly restNs: Ns;
}

/**
 * Backward in pieces: the work before each bucket is ready, in launch order, and the rest. A bucket
 * waits for those before it, so one that is complete earlier adds nothing. Throws RangeError for a
 * layer that is not there.
 */
export function backwardPieces({ layers, buckets }: StepJob): BackwardPieces {
  const workUntil = new Float64Array(layers.length);
  let total = 0;
  for (let layer = layers.length - 1; layer >= 0; layer--) {
    total += layers[layer].backwardNs;
    workUntil[layer] = total;
  }
  let done = 0;
  const untilReadyNs = buckets.map(({ readyLayer }) => {
    if (workUntil[readyLayer] === undefined) {
      throw new RangeError(`bucket of layer ${readyLayer}; there are ${layers.length} layers`);
    }
    const before = done;
    done = Math.max(done, workUntil[readyLayer]);
    return ns(done - before);
  });
  return { untilReadyNs, restNs: ns(total - done) };
}

/** The work of one whole forward and of one whole backward. */
export function passWork({ layers }: StepJob): LayerCost {
  const sum = (pass: keyof LayerCost) => ns(layers.reduce((total, each) => total + each[pass], 0));
  return { forwardNs: sum('forwardNs'), backwardNs: sum('backwardNs') };
}
