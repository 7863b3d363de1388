/** @file A rank's part of a schedule as sends and receives, with the memory they work on. */
import { chunkRanges } from '#core/chunks';
import type { Range, ReceiveOp, Schedule } from '#core/collective';

export interface BoundSend {
  readonly to: number;
  readonly chunk: number;
  readonly values: Float32Array;
}

/** target = own + what arrives, or target = what arrives. */
export interface BoundReceive {
  readonly from: number;
  readonly chunk: number;
  readonly op: ReceiveOp;
  readonly target: Float32Array;
  readonly own: Float32Array;
}

/** All sends of a step come before its receives, so they carry the values from before the step. */
interface BoundStep {
  readonly sends: readonly BoundSend[];
  readonly receives: readonly BoundReceive[];
}

export interface PortsProgram {
  /** Every step of the schedule, those in which this rank does nothing too. */
  readonly steps: readonly BoundStep[];
  /** Parts of the output that are copies of the input. */
  readonly untouched: readonly { readonly from: Float32Array; readonly to: Float32Array }[];
  /** Bytes of the longest chunk: all buffers of a collective have this size, so all can be reused. */
  readonly capacity: number;
}

/** Rank `rank`'s part of `schedule` over `range`; messages about empty chunks are left out. */
export function bindPorts(
  schedule: Schedule,
  range: Range,
  rank: number,
  input: Float32Array,
  output: Float32Array,
): PortsProgram {
  const parts = chunkRanges(range, schedule.chunks);
  const inputs = parts.map(({ start, end }) => input.subarray(start, end));
  const outputs = parts.map(({ start, end }) => output.subarray(start, end));
  /** Where this rank's present value of each chunk lies. */
  const present = [...inputs];
  const view = (views: readonly Float32Array[], chunk: number) =>
    views[chunk] ?? new Float32Array();

  const steps = schedule.steps.map((messages): BoundStep => {
    const full = messages.filter(({ chunk }) => view(inputs, chunk).length > 0);
    const sends = full
      .filter(({ from }) => from === rank)
      .map(({ to, chunk }) => ({ to, chunk, values: view(present, chunk) }));
    const receives = full
      .filter(({ to }) => to === rank)
      .map(({ from, chunk, op }) => {
        const own = view(present, chunk);
        const target = view(outputs, chunk);
        present[chunk] = target;
        return { from, chunk, op, target, own };
      });
    return { sends, receives };
  });

  return {
    steps,
    untouched: inputs.flatMap((from, chunk) =>
      present[chunk] === from ? [{ from, to: view(outputs, chunk) }] : [],
    ),
    capacity: Float32Array.BYTES_PER_ELEMENT * Math.max(...inputs.map(({ length }) => length)),
  };
}
