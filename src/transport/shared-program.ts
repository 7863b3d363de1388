/** @file A rank's program with the memory it works on: views made once, used every step. */
import { chunkRanges } from '#core/chunks';
import type { Range, ReceiveOp, Schedule } from '#core/collective';
import type { ArenaLayout } from './arena.ts';
import type { CollectiveReport } from './endpoint.ts';
import { compile, type Operation, type Wait } from './program.ts';
import { payload } from './report.ts';

/** After its waits: target = own + source, or target = source. All of one length. */
export interface BoundOperation {
  readonly op: ReceiveOp;
  readonly waits: readonly Wait[];
  readonly target: Float32Array;
  readonly own: Float32Array;
  readonly source: Float32Array;
}

export interface BoundProgram {
  readonly operations: readonly BoundOperation[];
  /** Parts of the output that are copies of the input. */
  readonly untouched: readonly { readonly from: Float32Array; readonly to: Float32Array }[];
  readonly inputReaders: readonly Wait[];
  readonly outputReaders: readonly Wait[];
  /** Operations of every rank. */
  readonly counts: readonly number[];
  readonly report: CollectiveReport;
}

/** Chunks of one rank's vectors. */
interface Chunks {
  readonly input: readonly Float32Array[];
  readonly output: readonly Float32Array[];
}

/** Rank `rank`'s part of `schedule` over `range`, on the memory of `layout`. */
export function bindProgram(
  layout: ArenaLayout,
  rank: number,
  schedule: Schedule,
  range: Range,
): BoundProgram {
  const { ranks, counts } = compile(schedule);
  const program = at(ranks, rank);
  const parts = chunkRanges(range, schedule.chunks);
  const chunks = layout.inputs.map(
    (input, peer): Chunks => ({
      input: parts.map(({ start, end }) => input.subarray(start, end)),
      output: parts.map(({ start, end }) => at(layout.outputs, peer).subarray(start, end)),
    }),
  );
  const own = at(chunks, rank);
  return {
    operations: bindOperations(program.operations, chunks, own),
    untouched: program.untouched.map((chunk) => ({
      from: at(own.input, chunk),
      to: at(own.output, chunk),
    })),
    inputReaders: program.inputReaders,
    outputReaders: program.outputReaders,
    counts,
    report: payload(schedule, range, rank),
  };
}

function bindOperations(
  operations: readonly Operation[],
  chunks: readonly Chunks[],
  own: Chunks,
): BoundOperation[] {
  /** What was staged and not committed yet; commits come in the order of their stages. */
  const staged: Float32Array[] = [];
  return operations.map((operation): BoundOperation => {
    const { kind, op, from, chunk, waits } = operation;
    const target = at(own.output, chunk);
    if (kind === 'commit') {
      return { op, waits, target, own: target, source: staged.shift() ?? target };
    }
    const sender = at(chunks, from);
    const source = at(operation.sourceIsInput ? sender.input : sender.output, chunk);
    if (kind === 'stage') {
      const aside = new Float32Array(source.length);
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
