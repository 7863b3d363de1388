/** @file A rank's part of a schedule as sends and receives, with the memory they work on. */
import type { ReceiveOp } from '#core/collective';
import type { Call } from './bound.ts';
import { type ElementArray, type Elements, elementBytes, elementsOf } from './elements.ts';

export interface BoundSend {
  readonly to: number;
  readonly chunk: number;
  readonly values: ElementArray;
}

/** target = own + what arrives, or target = what arrives. */
export interface BoundReceive {
  readonly from: number;
  readonly chunk: number;
  readonly op: ReceiveOp;
  readonly target: ElementArray;
  readonly own: ElementArray;
}

/** All sends of a step come before its receives, so they carry the values from before the step. */
interface BoundStep {
  readonly sends: readonly BoundSend[];
  readonly receives: readonly BoundReceive[];
}

export interface PortsProgram {
  readonly elements: Elements;
  /** Every step of the schedule, those in which this rank does nothing too. */
  readonly steps: readonly BoundStep[];
  /** Parts of the output that are copies of the input. */
  readonly untouched: readonly { readonly from: ElementArray; readonly to: ElementArray }[];
  /** Bytes of the longest chunk: all buffers of a collective have this size, so all can be reused. */
  readonly capacity: number;
}

/** Rank `rank`'s part of a call; messages about empty chunks are left out. */
export function bindPorts(
  { schedule, elements, chunks }: Call,
  rank: number,
  input: Float32Array,
  output: Float32Array,
): PortsProgram {
  const cut = (vector: Float32Array): ElementArray[] => {
    const whole = elementsOf(elements, vector);
    return chunks.map(({ start, end }) => whole.subarray(start, end));
  };
  const inputs = cut(input);
  const outputs = cut(output);
  /** Where this rank's present value of each chunk lies. */
  const present = [...inputs];
  const view = (views: readonly ElementArray[], chunk: number): ElementArray =>
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
    elements,
    steps,
    untouched: inputs.flatMap((from, chunk) =>
      present[chunk] === from ? [{ from, to: view(outputs, chunk) }] : [],
    ),
    capacity: capacityOf(elements, Math.max(...inputs.map(({ length }) => length))),
  };
}

/** Payloads of bytes differ from step to step; powers of two keep the kinds of buffers few. */
function capacityOf(elements: Elements, length: number): number {
  if (elements !== 'bytes') return elementBytes(elements) * length;
  return length === 0 ? 0 : 2 ** Math.ceil(Math.log2(length));
}
