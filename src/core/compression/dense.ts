/** @file Dense all-reduce: as it is, or cast to 16 bits as DDP's fp16 and bf16 hooks do. */
import {
  type Compressor,
  type CompressorState,
  divide,
  noState,
  type UpdateContext,
} from './compressor.ts';
import { allReduce, type Exchanges, roundToWire, type WireFormat } from './exchange.ts';

/** values * (1 / N), the factor rounded to float32 [PyTorch reducer.cpp]. */
function multiplyByShare(values: Float32Array, worldSize: number): void {
  const share = Math.fround(1 / worldSize);
  for (let i = 0; i < values.length; i++) values[i] *= share;
}

/**
 * fp32: DDP without a hook, gradient * (1 / N), then the sum. fp16, bf16 [PyTorch
 * default_hooks.py]: cast, divide by N in the format, sum in the format, cast back.
 */
export function denseAllReduce(format: WireFormat): Compressor {
  function* update(
    _state: CompressorState,
    _next: CompressorState,
    gradient: Float32Array,
    average: Float32Array,
    { worldSize }: UpdateContext,
  ): Exchanges {
    const values = gradient.slice();
    roundToWire(values, format);
    if (format === 'fp32') multiplyByShare(values, worldSize);
    else divide(values, worldSize);
    roundToWire(values, format);
    average.set(yield* allReduce(values, format));
  }
  return { collective: 'allReduce', residual: null, init: noState, update };
}
