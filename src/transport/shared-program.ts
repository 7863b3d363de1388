/** @file A rank's program with the memory it works on: views made once, used every step. */
import type { ReceiveOp, Schedule } from '#core/collective';
import type { ArenaLayout } from './arena.ts';
import type { Call } from './bound.ts';
import { type ElementArray, type Elements, elementBytes, elementsOf, viewAs } from './elements.ts';
import type { CollectiveReport } from './endpoint.ts';
import { compile, type Operation, type Program, type Wait } from './program.ts';
import { payload } from './report.ts';

/** After its waits: target = own + source, or target = source. All of one length. */
export interface BoundOperation {
  readonly op: ReceiveOp;
  readonly waits: readonly Wait[];
  readonly target: ElementArray;
  readonly own: ElementArray;
  readonly source: ElementArray;
}

export interface BoundProgram {
  readonly elements: Elements;
  readonly operations: readonly BoundOperation[];
  /** Parts of the output that are copies of the input. */
  readonly untouched: readonly { readonly from: ElementArray; readonly to: ElementArray }[];
  readonly inputReaders: readonly Wait[];
  readonly outputReaders: readonly Wait[];
  /** Operations of every rank. */
  readonly counts: readonly number[];
  readonly report: CollectiveReport;
}

/** Chunks of one rank's vectors. */
interface Chunks {
  readonly input: readonly ElementArray[];
  readonly output: readonly ElementArray[];
}

const compiled = new WeakMap<Schedule, Program>();

function programOf(schedule: Schedule): Program {
  const program = compiled.get(schedule) ?? compile(schedule);
  compiled.set(schedule, program);
  return program;
}

/** Rank `rank`'s part of a call, on the memory of `layout`. */
export function bindProgram(layout: ArenaLayout, rank: number, call: Call): BoundProgram {
  const { schedule, elements } = call;
  const { ranks, counts } = programOf(schedule);
  const program = at(ranks, rank);
  const cut = (vector: Float32Array): ElementArray[] => {
    const whole = elementsOf(elements, vector);
    return call.chunks.map(({ start, end }) => whole.subarray(start, end));
  };
  const chunks = layout.inputs.map(
    (input, peer): Chunks => ({ input: cut(input), output: cut(at(layout.outputs, peer)) }),
  );
  const own = at(chunks, rank);
  return {
    elements,
    operations: bindOperations(program.operations, elements, chunks, own),
    untouched: program.untouched.map((chunk) => ({
      from: at(own.input, chunk),
      to: at(own.output, chunk),
    })),
    inputReaders: program.inputReaders,
    outputReaders: program.outputReaders,
    counts,
    report: payload(call, rank),
  };
}

function bindOperations(
  operations: readonly Operation[],
  elements: Elements,
  chunks: readonly Chunks[],
  own: Chunks,
): BoundOperation[] {
  /** What was staged and not committed yet; commits come in the order of their stages. */
  const staged: ElementArray[] = [];
  return operations.map((operation): BoundOperation => {
    const { kind, op, from, chunk, waits } = operation;
    const target = at(own.output, chunk);
    if (kind === 'commit') {
      return { op, waits, target, own: target, source: staged.shift() ?? target };
    }
    const sender = at(chunks, from);
    const source = at(operation.sourceIsInput ? sender.input : sender.output, chunk);
    if (kind === 'stage') {
      const bytes = new ArrayBuffer(source.length * elementBytes(elements));
      const aside = viewAs(elements, bytes, 0, source.length);
      staged.push(aside);
      return { op: 'copy', waits, target: aside, own: aside, source };
    }
    return { op, waits, target, own: operation.ownIsInput ? at(own.input, chunk) : target, source };
  });
}

function at<T>(list: readonly T[], index: number): T {
  const item = list[index];
  if (item === undefined) throw new RangeError(`index ${index} of ${list.length}`);
  return item;
}
